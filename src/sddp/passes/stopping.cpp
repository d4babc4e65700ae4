#include "sddp/passes/stopping.hpp"

#include <algorithm>
#include <cmath>

namespace lockstep::sddp {

namespace {

using Kind = StoppingRule::Kind;

bool stands_still(const StoppingRule& rule, std::span<const double> bounds) {
    const auto back = static_cast<std::size_t>(rule.iterations);
    if (bounds.size() <= back)
        return false;
    const auto now = bounds.back();
    const auto then = bounds[bounds.size() - 1 - back];
    return std::abs(now - then) < rule.tolerance * std::max(1.0, std::abs(now));
}

bool holds(const StoppingRule& rule, std::span<const double> bounds, double elapsed) {
    switch (rule.kind) {
        case Kind::iteration_limit:
            return bounds.size() >= static_cast<std::size_t>(rule.iterations);
        case Kind::time_limit:
            return elapsed >= rule.seconds;
        case Kind::bound_stalling:
            return stands_still(rule, bounds);
    }
    return false;
}

StopReason reason(Kind kind) {
    switch (kind) {
        case Kind::time_limit:
            return StopReason::time_limit;
        case Kind::bound_stalling:
            return StopReason::bound_stalling;
        default:
            return StopReason::iteration_limit;
    }
}

}  // namespace

std::optional<StopReason> should_stop(const TrainOptions& options,
                                      std::span<const double> bounds,
                                      double elapsed) {
    int limit = 0;
    bool all = true;
    std::optional<StopReason> any;
    std::optional<StopReason> last;
    for (const auto& rule : options.stopping) {
        const bool now = holds(rule, bounds, elapsed);
        if (rule.kind == Kind::iteration_limit) {
            limit = std::max(limit, rule.iterations);
        } else {
            all = all && now;
            last = reason(rule.kind);
        }
        if (now && (!any || rule.kind != Kind::iteration_limit))
            any = reason(rule.kind);
    }
    if (options.stop_when_all) {
        if (last && all)
            return last;
        any.reset();
    }
    if (!any && limit > 0 && bounds.size() >= static_cast<std::size_t>(limit))
        return StopReason::iteration_limit;
    return any;
}

std::string_view to_string(StopReason reason) {
    switch (reason) {
        case StopReason::iteration_limit:
            return "iteration_limit";
        case StopReason::time_limit:
            return "time_limit";
        case StopReason::bound_stalling:
            return "bound_stalling";
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
