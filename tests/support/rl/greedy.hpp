#pragma once

#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/rl/learn.hpp"
#include "lockstep/rl/solve.hpp"

#include "support/rl/learning.hpp"

namespace lockstep::test {

/// The policy that is greedy for a table, as probabilities [states, actions]; the lowest among
/// equal actions.
inline std::vector<double> greedy_policy(const rl::Model& model, const rl::QTable& table) {
    std::vector<double> policy(table.values.size(), 0);
    for (std::ptrdiff_t s = 0; s < table.states; ++s) {
        std::ptrdiff_t best = -1;
        for (std::ptrdiff_t pair = s * table.actions; pair < (s + 1) * table.actions; ++pair) {
            const auto action = static_cast<int>(pair - s * table.actions);
            if (model.is_legal(static_cast<int>(s), action) &&
                (best < 0 || table.values[at(pair)] > table.values[at(best)])) {
                best = pair;
            }
        }
        if (best >= 0) {
            policy[at(best)] = 1;
        }
    }
    return policy;
}

/// Value of the start under the policy that is greedy for a table, exactly.
inline double greedy_value(const rl::Model& model, const rl::QTable& table, double gamma) {
    rl::SolveOptions options;
    options.gamma = gamma;
    runtime::ThreadTeam team(1);
    rl::SolveObserver observer;
    const auto solution = rl::evaluate(model, greedy_policy(model, table), options, team, observer);
    double value = 0;
    for (const auto& start : model.starts()) {
        value += start.probability * solution.value[at(start.state)];
    }
    return value;
}

inline double greedy_value(const rl::World& world, const rl::QTable& table, double gamma) {
    return greedy_value(*world.model(), table, gamma);
}

}  // namespace lockstep::test
