#pragma once

#include <vector>

#include "lockstep/xpcs/fit.hpp"
#include "lockstep/xpcs/simulate.hpp"

/// Simulated two-time correlations: flow with ten angles and scales of their own.
namespace lockstep::flow {

inline constexpr int angles = 10;
inline constexpr double duration = 6.4;  // s
inline const std::vector<double> truth{12000, -0.8, 600, 8e-4, -0.25, 5e-5, -5};

inline xpcs::Measurement measurement(int frames, runtime::ThreadTeam& threads) {
    xpcs::Measurement like;
    like.q = 0.0054;
    like.gap = 2e6;
    like.dt = duration / (frames + 1);
    like.frames = frames;
    for (int angle = 0; angle < angles; ++angle) {
        like.phi.push_back(-90 + 18.0 * angle);
    }
    return simulate(
        like,
        {xpcs::Motion::laminar_flow, xpcs::ShearTerm::homodyne, truth, {angles, {0.3, 1}}},
        {},
        threads);
}

inline xpcs::FitOptions fit_options() {
    xpcs::FitOptions options;
    options.motion = xpcs::Motion::laminar_flow;
    options.sigma = 0.004;
    options.start = {1e4, -0.5, 500, 1e-3, 0, 0, 0};
    return options;
}

}  // namespace lockstep::flow
