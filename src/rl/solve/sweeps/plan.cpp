#include "rl/solve/sweeps/plan.hpp"

namespace lockstep::rl {

Plan plan_of(const SolveOptions& options, bool is_stored, const RowFacts& facts) {
    const bool ends = options.gamma == 1 || facts.least_going_on < 1;
    switch (options.method) {
        case Method::value_iteration:
            return {false, false, false};
        case Method::gauss_seidel:
            return {true, false, false};
        case Method::policy_iteration:
            return {true, true, true};
        case Method::modified_policy_iteration:
            return {ends, true, false};
        case Method::automatic:
            break;
    }
    return {ends, is_stored && options.gamma < 1, false};
}

bool is_divisible(const SolveOptions& options, const RowFacts& facts) {
    if (options.criterion == Criterion::horizon) {
        return true;
    }
    const bool is_discounted = options.criterion == Criterion::total && options.gamma < 1;
    const Plan plan = plan_of(options, true, facts);
    const bool has_levels = plan.is_in_place && plan.is_by_policy;
    return is_discounted && !has_levels && options.first_policy.empty();
}

}  // namespace lockstep::rl
