#pragma once

#include "lockstep/rl/environment.hpp"

namespace lockstep::rl {

/// The model of an environment that computes its outcomes.
template <Generated E>
Model generated_model(const E& rules) {
    ModelBuilder builder(rules.states(), rules.actions());
    for (int s = 0; s < rules.states(); ++s) {
        for (int a = 0; a < rules.actions(); ++a) {
            if ((rules.mask(s) >> static_cast<unsigned>(a) & 1U) != 0) {
                rules.outcomes(s, a, [&](const Outcome& outcome) { builder.add(s, a, outcome); });
            }
        }
    }
    for (const Start& start : rules.starts()) {
        builder.add_start(start);
    }
    return builder.build();
}

}  // namespace lockstep::rl
