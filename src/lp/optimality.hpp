#pragma once

#include <span>
#include <vector>

#include "lockstep/lp/solver.hpp"

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
    /// Objective less the bound that the duals give, of the sum of the objective's absolute terms.
    double gap = infinity;
};

/// Within two tolerances, and a gap of 1e-7.
inline Slack tight_slack(const SolverOptions& options) {
    return {2.0 * options.primal_tolerance, 2.0 * options.dual_tolerance, 0.0, 1e-7};
}

/// Or within so much of the numbers that a sum is made of.
inline constexpr double rounding_allowed = 1e-11;

/// What is better than no answer.
inline constexpr Slack last_resort{1e-7, 1e-7, 1e-7, 1e-6};

/// Checks an optimum from its definition: row activities and reduced costs are computed anew from
/// the matrix, so no error of the solver's own updates stays hidden. Many reduced costs within
/// their tolerance may still add up, so the gap between objective and dual bound counts too. One
/// pass over the matrix.
class OptimalityCheck {
public:
    [[nodiscard]] bool holds(const ClaimedOptimum& claim, const Slack& slack);

private:
    template <bool relative>
    bool columns_hold(const ClaimedOptimum& claim, const Slack& slack);
    [[nodiscard]] bool rows_hold(const ClaimedOptimum& claim, const Slack& slack);
    void add_to_gap(double value, double gradient, double lower, double upper);

    double gap_ = 0.0;
    double size_ = 0.0;  // of the objective
    std::vector<double> activity_;
    std::vector<double> largest_term_;
};

}  // namespace lockstep::lp::detail
