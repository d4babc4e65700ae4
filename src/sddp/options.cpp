#include "lockstep/sddp/options.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

namespace lockstep::sddp {

namespace {

using Kind = StoppingRule::Kind;

// Written so that NaN, which compares with nothing, is refused too.
template <typename T>
void require(bool is_allowed, std::string_view name, T found, std::string_view allowed) {
    if (!is_allowed) {
        throw InputError(fmt::format("{} is {} (must be {})", name, found, allowed));
    }
}

void require_at_least(int least, std::string_view name, int found) {
    require(found >= least, name, found, fmt::format("{} or more", least));
}

void require_not_negative(std::string_view name, double found) {
    require(found >= 0, name, found, "0 or more");
}

void validate_stalling(const StoppingRule& rule) {
    require_at_least(1, "iterations of bound_stalling", rule.iterations);
    require_not_negative("tolerance of bound_stalling", rule.tolerance);
    require_not_negative("absolute_tolerance of bound_stalling", rule.absolute_tolerance);
    require_at_least(0, "min_iterations of bound_stalling", rule.min_iterations);
    require_not_negative("max_gap of bound_stalling", rule.max_gap);
}

}  // namespace

void SpeedOptions::validate() const {
    require_at_least(1, "max_added_per_round of cut selection", cuts_per_round);
    require_not_negative("violation_tolerance of cut selection", violation);
    require_at_least(0, "seed_window of cut selection", seed_window);
    require_at_least(1, "start_iteration of cut selection", lazy_from);
    require_not_negative("row_activity_tolerance of cut selection", activity);
}

void StoppingRule::validate() const {
    switch (kind) {
        case Kind::iteration_limit:
            return require_at_least(1, "limit of iteration_limit", iterations);
        case Kind::time_limit:
            return require(seconds > 0, "seconds of time_limit", seconds, "above 0");
        case Kind::bound_stalling:
            return validate_stalling(*this);
        case Kind::gap:
            require_not_negative("relative_tolerance of gap", tolerance);
            return require_not_negative("tolerance of gap", absolute_tolerance);
    }
}

int TrainOptions::iteration_limit() const noexcept {
    int limit = 0;
    for (const auto& rule : stopping) {
        if (rule.kind != Kind::iteration_limit) {
            continue;
        }
        const bool is_first = limit == 0;
        limit = is_first        ? rule.iterations
                : stop_when_all ? std::max(limit, rule.iterations)
                                : std::min(limit, rule.iterations);
    }
    return limit;
}

void CutSelection::validate() const {
    require_not_negative("tolerance of cut selection", tolerance);
    require_at_least(1, "check_frequency of cut selection", every);
    require_at_least(1, "candidate_recency of cut selection", window);
    require_at_least(0, "max_active_per_stage of cut selection", most_selected);
}

void InnerBoundOptions::validate() const {
    require_at_least(0, "interval_iterations of the inner bound", every);
    require_at_least(0, "initial_iteration of the inner bound", first);
    require_not_negative("fallback_value of the inner bound", fallback_price);
}

void PolicyCostOptions::validate() const {
    require_at_least(0, "interval_iterations of the policy's cost", every);
    require_at_least(0, "initial_iteration of the policy's cost", first);
    require_at_least(1, "num_paths of the policy's cost", paths);
}

namespace {

// Only HiGHS has a profile.
void validate(lp::SolverKind solver, const lp::SolverOptions& options) {
    options.validate();
    if (solver != lp::SolverKind::highs && options.highs != lp::HighsProfile{}) {
        throw InputError(
            "the solver profile of config.json has choices of HiGHS: choose --solver highs");
    }
}

}  // namespace

void TrainOptions::validate() const {
    require_at_least(1, "forward_passes", forward_passes);
    selection.validate();
    inner.validate();
    policy_cost.validate();
    speed.validate();
    for (const auto& rule : stopping) {
        rule.validate();
    }
    if (std::none_of(stopping.begin(), stopping.end(), [](const auto& rule) {
            return rule.kind == Kind::iteration_limit;
        })) {
        throw InputError("stopping rules hold no iteration_limit: training might never end");
    }
    require_at_least(0, "checkpoint_iterations", checkpoint_iterations);
    require_at_least(0, "checkpoint_first", checkpoint_first);
    require_not_negative("checkpoint_seconds", checkpoint_seconds);
    sddp::validate(solver, tolerances);
    if (forward) {
        sddp::validate(solver, forward->tolerances);
    }
}

void SimulateOptions::validate() const {
    require_at_least(1, "num_scenarios", scenarios);
    require_at_least(1, "num_cycles", cycles);
    speed.validate();
    sddp::validate(solver, tolerances);
}

}  // namespace lockstep::sddp
