#pragma once

#include "lockstep/runtime/team.hpp"
#include "lockstep/xpcs/sample.hpp"
#include "lockstep/xpcs/simulate.hpp"

#include "support/xpcs/measurements.hpp"

namespace lockstep::test {

/// Large enough for two threads an evaluation, which are few of 150 frames' pairs.
struct LargePosterior {
    explicit LargePosterior(runtime::Team& team) {
        xpcs::Measurement like;
        like.q = golden_q;
        like.gap = golden_gap;
        like.dt = 0.05;
        like.frames = 150;
        like.phi = {0, 60, 120};
        const xpcs::Truth truth{xpcs::Motion::diffusion, {}, {1e4, -0.5, 500}, {3, {0.3, 1}}};
        data = xpcs::simulate(like, truth, {}, team.threads);
        fitting.sigma = 0.004;
        fitting.start = {8e3, -0.4, 400};
        fitted = xpcs::fit(data, fitting, team);
        sampling.posterior.physical.resize(3);
        sampling.warmup = 30;
        sampling.draws = 20;
    }

    xpcs::Measurement data;
    xpcs::FitOptions fitting;
    xpcs::FitResult fitted;
    xpcs::SampleOptions sampling;
};

}  // namespace lockstep::test
