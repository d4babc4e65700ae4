#include "rl/solve/plan.hpp"

namespace lockstep::rl {

Plan plan_of(const SolveOptions& options, const RowSource& rows, const RowFacts& facts) {
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
    return {ends, rows.is_stored() && options.gamma < 1, false};
}

}  // namespace lockstep::rl
