// Chains in the posterior of a flow: ten million lies between the largest and the smallest value.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"
#include "lockstep/xpcs/sample.hpp"

#include "support/xpcs/alone.hpp"
#include "support/xpcs/measurements.hpp"

namespace lockstep::xpcs {
namespace {

// 200 + 200 iterations, with which homodyne's chains have R-hat above 2 and a quarter diverges.
TEST(FlowChainsTest, ShortOnesMeetFromDispersedStarts) {
    const auto data = test::peer_measurement("lam_24k");
    FitOptions fitting;
    fitting.motion = Motion::laminar_flow;
    fitting.sigma = 0.004;
    fitting.start = {1e4, -0.5, 500, 1e-3, 0, 0, 0};
    SampleOptions sampling;
    const auto box = fitting.box();
    for (std::size_t p = 0; p < box.lower.size(); ++p) {
        sampling.posterior.physical.push_back(
            {Prior::Kind::uniform, 0, 1, box.lower[p], box.upper[p]});
    }
    sampling.method = SampleMethod::chains;
    sampling.warmup = 200;
    sampling.draws = 200;
    test::Alone alone(2);

    const auto result = sample(data, fitting, fit(data, fitting, alone.team), sampling, alone.team);

    EXPECT_LE(result.chain_figures.divergences, 2);
    const auto peers = test::xpcs_json("golden-peers.json");
    const io::Json& of = test::member(peers, {"posterior", "entries", "lam_24k"});
    const auto means = test::numbers(test::member(of, {"mean"}));
    const auto sds = test::numbers(test::member(of, {"sd"}));
    for (int k = 0; k < 7; ++k) {
        const auto summary = result.summary(k);
        EXPECT_LT(summary.rhat.value(), 1.03) << result.names[at(k)];
        EXPECT_GT(summary.ess_bulk, 200) << result.names[at(k)];
        const std::size_t there = 12 + at(k);  // after the scales
        const double error = sds[there] / std::sqrt(summary.ess_bulk);
        EXPECT_NEAR(summary.mean, means[there], 4.5 * error) << result.names[at(k)];
    }
}

}  // namespace
}  // namespace lockstep::xpcs
