#include "lockstep/xpcs/simulate.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "support/xpcs/measurements.hpp"
#include "support/xpcs/speckle_sample.hpp"

namespace lockstep::xpcs {
namespace {

using test::SpeckleSample;
using testing::HasSubstr;
using testing::ThrowsMessage;

SpeckleSample still() {
    SpeckleSample sample({0, 90}, 12);
    sample.noise.pixels = 20'000;
    return sample;
}

/// What a pair has without noise.
double expected(const SpeckleSample& of, int angle, std::size_t pair) {
    std::vector<double> x(at(pair_count(of.like.frames)));
    fill_g1_squared(of.like, of.truth, angle, x);
    const Scale& scale = of.truth.scales[at(angle)];
    return scale.offset + scale.contrast * x[pair];
}

TEST(Simulate, WithoutNoiseIsTheModelOfHomodyne) {
    const auto golden = test::xpcs_json("golden.json");
    const io::Json& lam6 = test::member(golden, {"lam6"});
    runtime::ThreadTeam threads(1);
    SpeckleSample of(test::numbers(test::member(lam6, {"truth", "phi"})), 63);
    of.truth.motion = Motion::laminar_flow;
    of.truth.physical = test::numbers(test::member(lam6, {"truth", "params"}));
    const auto contrasts = test::numbers(test::member(lam6, {"truth", "contrast"}));
    const auto offsets = test::numbers(test::member(lam6, {"truth", "offset"}));
    for (std::size_t angle = 0; angle < contrasts.size(); ++angle) {
        of.truth.scales[angle] = {contrasts[angle], offsets[angle]};
    }
    of.noise.kind = SimulatedNoise::Kind::normal;
    of.noise.sigma = 0;

    const auto data = of.simulate(1, threads);

    // The row of the first frame of the fit; its diagonal stands first.
    const auto row = test::numbers(test::member(golden, {"lam6", "g2_noise_free_angle2_row0"}));
    ASSERT_GT(row.size(), 2U);
    for (std::size_t k = 1; k < row.size(); ++k) {
        EXPECT_NEAR(data.c2[data.row(2, 0) + k - 1], row[k], 1e-13) << k;
    }
}

TEST(Simulate, NormalErrorsHaveTheirDeviation) {
    runtime::ThreadTeam threads(1);
    SpeckleSample of({0}, 150);
    of.noise.kind = SimulatedNoise::Kind::normal;
    of.noise.sigma = 0.01;
    const auto noisy = of.simulate(1, threads);
    of.noise.sigma = 0;
    const auto exact = of.simulate(1, threads);
    double sum = 0;
    double squares = 0;
    const auto pairs = static_cast<double>(noisy.c2.size());
    for (std::size_t k = 0; k < noisy.c2.size(); ++k) {
        const double error = noisy.c2[k] - exact.c2[k];
        sum += error;
        squares += error * error;
    }
    EXPECT_NEAR(sum / pairs, 0, 4 * 0.01 / std::sqrt(pairs));
    EXPECT_NEAR(std::sqrt(squares / pairs) / 0.01, 1, 4 / std::sqrt(2 * pairs));
}

TEST(Simulate, SpeckleHasTheCorrelationAndThePhotonNoiseOfItsTruth) {
    runtime::ThreadTeam threads(2);
    for (const double contrast : {0.3, 0.5, 1.0}) {
        for (const double photons : {0.3, 5.0, 100.0, std::numeric_limits<double>::infinity()}) {
            auto of = still();
            of.truth.scales.assign(2, {contrast, 1});
            of.noise.photons = photons;
            const auto data = of.simulate(3, threads);
            // A product of two counts errs by about its mean over the root of the pixels.
            const double error = 5 * (1 + contrast + 1 / photons) / std::sqrt(20'000.0);
            for (const std::size_t pair : {0U, 5U, 40U}) {
                EXPECT_NEAR(data.c2[data.row(1, 0) + pair], expected(of, 1, pair), error);
            }
            double diagonal = 0;
            for (const double value : data.diagonal) {
                diagonal += value / static_cast<double>(data.diagonal.size());
            }
            EXPECT_NEAR(diagonal, 1 + contrast + 1 / photons, error) << contrast << ' ' << photons;
        }
    }
}

TEST(Simulate, IsAFunctionOfTheSeedForAnyThreads) {
    auto of = still();
    of.noise.pixels = 200;
    of.noise.photons = 1;
    runtime::ThreadTeam one(1);
    runtime::ThreadTeam three(3);
    for (const auto kind : {SimulatedNoise::Kind::normal, SimulatedNoise::Kind::speckle}) {
        of.noise.kind = kind;
        const auto data = of.simulate(5, one);
        EXPECT_EQ(of.simulate(5, three).c2, data.c2);
        EXPECT_EQ(of.simulate(5, three).diagonal, data.diagonal);
        EXPECT_NE(of.simulate(6, one).c2, data.c2);
        // Angles are not alike.
        EXPECT_NE(data.c2[data.row(0, 0)], data.c2[data.row(1, 0)]);
    }
}

TEST(Simulate, RefusesWhatNoMeasurementIs) {
    runtime::ThreadTeam threads(1);
    const auto refusal = [&](auto change) {
        auto of = std::make_shared<SpeckleSample>(still());
        change(*of);
        return [of, &threads] { of->simulate(1, threads); };
    };
    using Of = SpeckleSample&;
    EXPECT_THAT(refusal([](Of of) {
                    of.like.phi = {90, 0};
                }),
                ThrowsMessage<InputError>(HasSubstr("angles must ascend")));
    EXPECT_THAT(refusal([](Of of) { of.like.dt = 0; }), ThrowsMessage<InputError>(HasSubstr("dt")));
    EXPECT_THAT(refusal([](Of of) { of.truth.physical.pop_back(); }),
                ThrowsMessage<InputError>(HasSubstr("2 parameters instead of 3")));
    EXPECT_THAT(refusal([](Of of) { of.truth.scales.pop_back(); }),
                ThrowsMessage<InputError>(HasSubstr("of 1 angles instead of 2")));
    EXPECT_THAT(refusal([](Of of) { of.truth.scales[1].contrast = 0; }),
                ThrowsMessage<InputError>(HasSubstr("contrast 0: must be in (0, 1]")));
    EXPECT_THAT(refusal([](Of of) { of.noise.photons = 0; }),
                ThrowsMessage<InputError>(HasSubstr("0 photons")));
    EXPECT_THAT(refusal([](Of of) { of.noise.pixels = 0; }),
                ThrowsMessage<InputError>(HasSubstr("0 pixels")));
    EXPECT_THAT(refusal([](Of of) { of.noise.sigma = std::nan(""); }),
                ThrowsMessage<InputError>(HasSubstr("deviation nan")));
}

}  // namespace
}  // namespace lockstep::xpcs
