#include "lp/optimality.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace lockstep::lp::detail {
namespace {

/// A value inside its bounds, with a gradient that gains nothing by moving it. False for NaN.
bool is_stationary(double value,
                   double gradient,
                   double lower,
                   double upper,
                   double primal_slack,
                   double dual_slack) {
    if (!(value >= lower - primal_slack && value <= upper + primal_slack)) {
        return false;
    }
    if (gradient > dual_slack) {
        return value <= lower + primal_slack;
    }
    if (gradient < -dual_slack) {
        return value >= upper - primal_slack;
    }
    return gradient == gradient;
}

/// A gap below this is none: sums of rounding errors where the objective is nothing.
constexpr double least_gap = 1e-6;

}  // namespace

bool OptimalityCheck::holds(const ClaimedOptimum& claim, const Slack& slack) {
    gap_ = 0.0;
    size_ = 0.0;
    activity_.assign(claim.dual.size(), 0.0);
    largest_term_.assign(claim.dual.size(), 0.0);
    const bool columns_are_fine =
        slack.relative > 0.0 ? columns_hold<true>(claim, slack) : columns_hold<false>(claim, slack);
    return columns_are_fine && rows_hold(claim, slack) && gap_ <= slack.gap * size_ + least_gap;
}

template <bool relative>
bool OptimalityCheck::columns_hold(const ClaimedOptimum& claim, const Slack& slack) {
    for (std::size_t column = 0; column < claim.cost.size(); ++column) {
        const double x = claim.primal[column];
        double reduced_cost = claim.cost[column];
        double largest = std::abs(reduced_cost);
        const int first = claim.column_start[column];
        for (int k = first; k < first + claim.column_length[column]; ++k) {
            const auto row = static_cast<std::size_t>(claim.row_index[k]);
            const double charge = claim.value[k] * claim.dual[row];
            const double flow = claim.value[k] * x;
            reduced_cost -= charge;
            activity_[row] += flow;
            if constexpr (relative) {
                largest = std::max(largest, std::abs(charge));
                largest_term_[row] = std::max(largest_term_[row], std::abs(flow));
            }
        }
        const double primal_slack = std::max(slack.primal, slack.relative * std::abs(x));
        const double dual_slack = std::max(slack.dual, slack.relative * largest);
        if (std::abs(reduced_cost - claim.reduced_cost[column]) > dual_slack ||
            !is_stationary(x,
                           reduced_cost,
                           claim.column_lower[column],
                           claim.column_upper[column],
                           primal_slack,
                           dual_slack)) {
            return false;
        }
        add_to_gap(x, reduced_cost, claim.column_lower[column], claim.column_upper[column]);
        size_ += std::abs(claim.cost[column] * x);
    }
    return true;
}

// A price on a bound that the value does not reach; on one that is not there, as if it were 0.
void OptimalityCheck::add_to_gap(double value, double gradient, double lower, double upper) {
    const double bound = gradient > 0.0 ? lower : upper;
    gap_ += std::abs(gradient * (std::abs(bound) < 1e20 ? value - bound : value));
}

bool OptimalityCheck::rows_hold(const ClaimedOptimum& claim, const Slack& slack) {
    for (std::size_t row = 0; row < activity_.size(); ++row) {
        const double primal_slack = std::max(slack.primal, slack.relative * largest_term_[row]);
        if (std::abs(activity_[row] - claim.row_activity[row]) > primal_slack ||
            !is_stationary(activity_[row],
                           claim.dual[row],
                           claim.row_lower[row],
                           claim.row_upper[row],
                           primal_slack,
                           slack.dual)) {
            return false;
        }
        add_to_gap(activity_[row], claim.dual[row], claim.row_lower[row], claim.row_upper[row]);
    }
    return true;
}

}  // namespace lockstep::lp::detail
