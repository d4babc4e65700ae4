#include "app/rl/solve/arrangement.hpp"

namespace lockstep::app {
namespace {

bool is_by_policy(const rl::SolveOptions& options, bool ends) {
    switch (options.method) {
        case rl::Method::modified_policy_iteration:
        case rl::Method::policy_iteration:
            return true;
        case rl::Method::automatic:
            return options.criterion == rl::Criterion::total && !ends;
        default:
            return false;
    }
}

}  // namespace

// Rows of policies are always stored; where episodes end, sweeps in place do without.
Arrangement arrangement_of(const rl::SolveOptions& options,
                           const rl::RowFacts& facts,
                           int states,
                           bool is_computed) {
    Arrangement arrangement{options, true, false};
    const bool ends = options.gamma == 1 || facts.least_going_on < 1;
    const bool is_large = facts.table_bytes(states) > most_bytes_of_usual_rows;
    if (is_large && is_computed && !is_by_policy(options, ends)) {
        arrangement.keeps_rows = false;
        if (options.method == rl::Method::automatic) {
            arrangement.options.method = rl::Method::gauss_seidel;
        }
    }
    arrangement.is_divisible = rl::is_divisible(arrangement.options, facts);
    return arrangement;
}

}  // namespace lockstep::app
