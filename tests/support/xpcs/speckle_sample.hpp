#pragma once

#include <cstdint>
#include <vector>

#include "lockstep/xpcs/fit.hpp"
#include "lockstep/xpcs/simulate.hpp"

namespace lockstep::test {

/// A sample at rest, its truth, and fits of simulated speckle of it.
struct SpeckleSample {
    explicit SpeckleSample(std::vector<double> angles, int frames) {
        like.q = 0.0054;
        like.gap = 2e6;
        like.dt = 0.1;
        like.frames = frames;
        like.phi = std::move(angles);
        truth.physical = {8000, -0.6, 400};
        truth.scales.assign(like.phi.size(), {0.3, 1});
        noise.kind = xpcs::SimulatedNoise::Kind::speckle;
        options.start = {1e4, -0.5, 500};
    }

    xpcs::Measurement simulate(std::uint64_t seed, runtime::ThreadTeam& threads) {
        noise.seed = seed;
        return xpcs::simulate(like, truth, noise, threads);
    }
    /// In the order of a fit's values.
    [[nodiscard]] std::vector<double> true_values() const {
        std::vector<double> values;
        for (const auto& scale : truth.scales) {
            values.push_back(scale.contrast);
        }
        for (const auto& scale : truth.scales) {
            values.push_back(scale.offset);
        }
        values.insert(values.end(), truth.physical.begin(), truth.physical.end());
        return values;
    }

    xpcs::Measurement like;
    xpcs::Truth truth;
    xpcs::SimulatedNoise noise;
    xpcs::FitOptions options;
};

}  // namespace lockstep::test
