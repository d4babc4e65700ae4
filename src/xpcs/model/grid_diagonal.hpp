#pragma once

#include <span>
#include <vector>

#include "lockstep/xpcs/model/measurement.hpp"

#include "xpcs/model/pair_selection.hpp"
#include "xpcs/model/pair_sums.hpp"

namespace lockstep::xpcs {

/// What homodyne's objective for small data counts beside each pair of frames once, equation (30)
/// of docs/xpcs/theory.md: each pair a second time, and the diagonal, which is the mean of its
/// neighbours in the data as in the model.
class GridDiagonal {
public:
    /// @param first_neighbours  [angles]: pair of the first frame with the one that was dropped
    /// before it, which counts in the data alone; empty or NaN: none
    GridDiagonal(const Measurement& measurement, std::span<const double> first_neighbours);

    /// Makes of the finished sums over pairs those over whole matrices.
    void complete(const PairModel& model,
                  std::span<const AngleData> data,
                  Level level,
                  std::span<AngleSums> sums);

private:
    using Columns = std::array<double, AngleSums::columns>;
    [[nodiscard]] Columns columns_at(int k, double observed, const Scale& reference) const;

    int frames_;
    PairSelection neighbours_;      // the pairs (k, k+1); of data that are 0, so that all count
    std::vector<double> diagonal_;  // [angles, frames]; NaN: does not count
    RowColumns of_neighbours_;
};

}  // namespace lockstep::xpcs
