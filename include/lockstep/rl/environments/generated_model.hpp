#pragma once

#include "lockstep/rl/environment.hpp"

namespace lockstep::rl {

/// The model of an environment that computes its outcomes, of all legal pairs, without starts.
template <Generated E>
ModelBuilder generated_model(const E& rules) {
    ModelBuilder builder(rules.states(), rules.actions());
    for (int s = 0; s < rules.states(); ++s) {
        for (int a = 0; a < rules.actions(); ++a) {
            if ((rules.mask(s) >> static_cast<unsigned>(a) & 1U) != 0) {
                rules.outcomes(s, a, [&](const Outcome& outcome) { builder.add(s, a, outcome); });
            }
        }
    }
    return builder;
}

}  // namespace lockstep::rl
