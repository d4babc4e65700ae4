#pragma once

#include <cstddef>

namespace lockstep::sddp {

/// Sizes of the non-zero numbers of a part of an LP; both 0 where there are none.
struct SizeRange {
    double least = 0;
    double most = 0;
    /// most / least, 1 where there are no numbers.
    [[nodiscard]] double ratio() const noexcept { return least > 0 ? most / least : 1; }
};

/// How the LP of a stage, without its cuts, is scaled before it goes to the solver.
///
/// Two powers of two: one for the objective, one for the column of the future cost. That column has
/// no entry in rows other than cuts, so that the matrix stays as it is.
struct StageScaling {
    int columns = 0;
    int rows = 0;
    std::size_t entries = 0;
    SizeRange matrix;
    SizeRange objective_in_dollars;
    SizeRange objective;          ///< as solved
    double objective_scale = 1;   ///< objective as solved per dollar
    double future_cost_unit = 1;  ///< [$] that one unit of the future cost column means
};

}  // namespace lockstep::sddp
