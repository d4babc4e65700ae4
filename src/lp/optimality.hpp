#pragma once

#include <span>
#include <vector>

namespace lockstep::lp::detail {

/// A linear programme and a claimed optimum of it, where a solver keeps them. Shapes as in
/// lp::Model.
struct ClaimedOptimum {
    std::span<const double> cost;
    std::span<const double> column_lower;
    std::span<const double> column_upper;
    std::span<const double> row_lower;
    std::span<const double> row_upper;
    const int* column_start;   ///< [columns], first entry of each column
    const int* column_length;  ///< [columns]
    const int* row_index;
    const double* value;
    std::span<const double> primal;
    std::span<const double> row_activity;
    std::span<const double> dual;
    std::span<const double> reduced_cost;
};

/// How far a claim may be off: each number is allowed max(absolute, relative * largest term of its
/// sum).
struct Slack {
    double primal;          ///< bounds of columns and rows, row activities, absolute
    double dual;            ///< reduced costs and their sign, sign of duals, absolute
    double relative = 0.0;  ///< 0 is cheaper
};

/// Checks an optimum from its definition: row activities and reduced costs are computed anew from
/// the matrix, so no error of the solver's own updates stays hidden. One pass over the matrix.
class OptimalityCheck {
public:
    [[nodiscard]] bool holds(const ClaimedOptimum& claim, const Slack& slack);

private:
    template <bool relative>
    bool columns_hold(const ClaimedOptimum& claim, const Slack& slack);
    [[nodiscard]] bool rows_hold(const ClaimedOptimum& claim, const Slack& slack) const;

    std::vector<double> activity_;
    std::vector<double> largest_term_;
};

}  // namespace lockstep::lp::detail
