#include "sddp/passes/bounds/stopping.hpp"

#include <algorithm>
#include <cmath>

namespace lockstep::sddp {

namespace {

using Kind = StoppingRule::Kind;
using Reports = std::span<const IterationReport>;

constexpr double wide_gap = 0.01;
constexpr double normal_quantile_95 = 1.96;

/// How much of a change from or to `bound` is none [$].
double allowed_change(const StoppingRule& rule, double bound) {
    return std::max(rule.tolerance * std::max(1.0, std::abs(bound)), rule.absolute_tolerance);
}

bool is_equal(const StoppingRule& rule, double now, double then) {
    const auto change = std::abs(now - then);
    return change < allowed_change(rule, now) ||
           (rule.absolute_tolerance > 0 && change <= rule.absolute_tolerance);
}

/// How far the costs of the iterations' trajectories, taken as one sample, lie above the last
/// bound even at the lower end of their mean's 95 % interval [$]; negative where the bound is
/// within or above.
double excess_of_costs(Reports iterations) {
    const auto count = static_cast<double>(iterations.size());
    double mean = 0;
    for (const auto& report : iterations) {
        mean += report.upper_bound / count;
    }
    double variance = 0;  // of the mean
    for (const auto& report : iterations) {
        const auto within = report.half_width_95 / normal_quantile_95;
        const auto between = report.upper_bound - mean;
        variance += (within * within + between * between) / (count * count);
    }
    return mean - normal_quantile_95 * std::sqrt(variance) - iterations.back().lower_bound;
}

bool is_gap_within(double share, Reports iterations) {
    const auto scale = std::max(1.0, std::abs(iterations.back().lower_bound));
    return !(excess_of_costs(iterations) > share * scale);
}

bool stands_still(const StoppingRule& rule, const Progress& progress) {
    const auto& all = progress.iterations;
    const auto back = static_cast<std::size_t>(rule.iterations);
    if (all.size() <= back || all.size() < static_cast<std::size_t>(rule.min_iterations)) {
        return false;
    }
    const auto now = all.back().lower_bound;
    if (!is_equal(rule, now, all[all.size() - 1 - back].lower_bound) || is_equal(rule, now, 0)) {
        return false;
    }
    if (!progress.is_risk_neutral) {
        return true;
    }
    const bool has_moved = !is_equal(rule, now, all.front().lower_bound);
    return (has_moved || excess_of_costs(all) <= allowed_change(rule, now)) &&
           is_gap_within(rule.max_gap, all.last(back));
}

bool is_closed(const StoppingRule& rule, const IterationReport& report) {
    const auto upper = std::min({report.is_upper_bound_exact ? report.upper_bound : lp::infinity,
                                 report.inner_bound,
                                 report.policy_cost + report.policy_cost_half_width_95});
    const auto gap = upper - report.lower_bound;
    const auto scale = std::max(1.0, std::abs(report.lower_bound));
    return gap <= rule.absolute_tolerance || gap <= rule.tolerance * scale;
}

bool holds(const StoppingRule& rule, const Progress& progress) {
    switch (rule.kind) {
        case Kind::iteration_limit:
            return progress.completed() >= rule.iterations;
        case Kind::time_limit:
            return progress.seconds >= rule.seconds;
        case Kind::bound_stalling:
            return stands_still(rule, progress);
        case Kind::gap:
            return !progress.iterations.empty() && is_closed(rule, progress.iterations.back());
    }
    return false;
}

StopReason reason(Kind kind) {
    switch (kind) {
        case Kind::time_limit:
            return StopReason::time_limit;
        case Kind::bound_stalling:
            return StopReason::bound_stalling;
        case Kind::gap:
            return StopReason::gap;
        default:
            return StopReason::iteration_limit;
    }
}

}  // namespace

std::optional<StopReason> should_stop(const TrainOptions& options, const Progress& progress) {
    int limit = 0;
    bool all = true;
    std::optional<StopReason> any;
    std::optional<StopReason> last;
    for (const auto& rule : options.stopping) {
        const bool now = holds(rule, progress);
        if (rule.kind == Kind::iteration_limit) {
            limit = std::max(limit, rule.iterations);
        } else {
            all = all && now;
            last = reason(rule.kind);
        }
        if (now && (!any || rule.kind != Kind::iteration_limit)) {
            any = reason(rule.kind);
        }
    }
    if (options.stop_when_all) {
        if (last && all) {
            return last;
        }
        any.reset();
    }
    if (!any && limit > 0 && progress.completed() >= limit) {
        return StopReason::iteration_limit;
    }
    return any;
}

bool has_converged(const TrainOptions& options, const Progress& progress) {
    return std::any_of(options.stopping.begin(), options.stopping.end(), [&](const auto& rule) {
        if (rule.kind == Kind::gap) {
            return holds(rule, progress);
        }
        if (rule.kind != Kind::bound_stalling || !stands_still(rule, progress)) {
            return false;
        }
        const auto share = std::isinf(rule.max_gap) ? wide_gap : rule.max_gap;
        const auto window = static_cast<std::size_t>(rule.iterations);
        return !progress.is_risk_neutral || is_gap_within(share, progress.iterations.last(window));
    });
}

std::string_view to_string(StopReason reason) {
    switch (reason) {
        case StopReason::iteration_limit:
            return "iteration_limit";
        case StopReason::time_limit:
            return "time_limit";
        case StopReason::bound_stalling:
            return "bound_stalling";
        case StopReason::gap:
            return "gap";
        case StopReason::cancelled:
            return "graceful_shutdown";
        case StopReason::infeasible:
            return "infeasible";
        case StopReason::numerical:
            return "numerical_failure";
    }
    return "unknown";
}

}  // namespace lockstep::sddp
