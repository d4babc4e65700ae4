// Simulated samples whose truth is known come back, and error bars say how near.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"
#include "lockstep/xpcs/errors.hpp"
#include "lockstep/xpcs/fit.hpp"
#include "lockstep/xpcs/simulate.hpp"

#include "support/xpcs/alone.hpp"
#include "support/xpcs/measurements.hpp"

namespace lockstep::xpcs {
namespace {

using std::numbers::pi;
using test::Alone;
using test::member;
using test::numbers;

constexpr int seeds = 200;
constexpr double promised = 0.6827;

struct Setting {
    Motion motion;
    ScaleMode mode;
    const char* name;
};

/// A sample whose scales are as the mode has them, and its truth in the order of a fit's values.
struct Sample {
    explicit Sample(const Setting& setting) {
        const bool flows = setting.motion == Motion::laminar_flow;
        like.q = test::golden_q;
        like.gap = test::golden_gap;
        like.dt = 0.15;
        like.frames = 40;
        like.phi = {-60, -30, 0, 30, 60, 90};
        truth.motion = options.motion = setting.motion;
        truth.physical = {12000, -0.8, 600};
        options.start = {1e4, -0.5, 500};
        if (flows) {
            truth.physical.insert(truth.physical.end(), {8e-4, -0.25, 5e-5, -5});
            options.start.insert(options.start.end(), {1e-3, 0, 0, 0});
        }
        options.scale.mode = setting.mode;
        options.scale.harmonics = 1;
        fill_scales();
        truth_of_values.insert(truth_of_values.end(), truth.physical.begin(), truth.physical.end());
    }

    void fill_scales() {
        switch (options.scale.mode) {
            case ScaleMode::individual:
                scales_of({0.30, 0.28, 0.31, 0.29, 0.32, 0.27},
                          {1, 1.004, 0.997, 1.002, 0.995, 1.006});
                truth_of_values = {0.30,
                                   0.28,
                                   0.31,
                                   0.29,
                                   0.32,
                                   0.27,  //
                                   1,
                                   1.004,
                                   0.997,
                                   1.002,
                                   0.995,
                                   1.006};
                return;
            case ScaleMode::averaged:
                truth.scales.assign(like.phi.size(), {0.3, 1});
                truth_of_values = {0.3, 1};
                return;
            case ScaleMode::constant:
                truth.scales.assign(like.phi.size(), {0.3, 1});
                options.scale.given = truth.scales;
                return;
            case ScaleMode::fourier:
                truth_of_values = {0.3, 0.02, -0.01, 1, 0.003, 0.005};
                for (const double phi : like.phi) {
                    const double c = std::cos(phi * pi / 180);
                    const double s = std::sin(phi * pi / 180);
                    truth.scales.push_back({0.3 + 0.02 * c - 0.01 * s, 1 + 0.003 * c + 0.005 * s});
                }
                return;
        }
    }

    void scales_of(const std::vector<double>& contrasts, const std::vector<double>& offsets) {
        for (std::size_t angle = 0; angle < contrasts.size(); ++angle) {
            truth.scales.push_back({contrasts[angle], offsets[angle]});
        }
    }

    Measurement like;
    Truth truth;
    FitOptions options;
    std::vector<double> truth_of_values;
};

/// In how many of the fits each interval holds the truth.
std::vector<int> covered(const Sample& sample) {
    Alone alone;
    std::vector<int> counts(sample.truth_of_values.size(), 0);
    for (int seed = 1; seed <= seeds; ++seed) {
        SimulatedNoise noise;
        noise.seed = static_cast<std::uint64_t>(seed);
        const auto data = simulate(sample.like, sample.truth, noise, alone.threads);
        const auto found = fit(data, sample.options, alone.team);
        EXPECT_TRUE(nlsq::converged(found.minimum.stop)) << nlsq::text(found.minimum.stop);
        const auto errors =
            errors_of(data, sample.options, found, {.method = ErrorMethod::classical}, alone.team)
                .errors();
        for (std::size_t k = 0; k < counts.size(); ++k) {
            counts[k] += std::abs(found.values[k] - sample.truth_of_values[k]) < errors[k] ? 1 : 0;
        }
    }
    return counts;
}

class RecoveryTest : public testing::TestWithParam<Setting> {};

TEST_P(RecoveryTest, IntervalsCoverTheTruthAsOftenAsTheySay) {
    const Sample sample(GetParam());

    const auto counts = covered(sample);

    // Four deviations of the binomial distribution, once in 16,000: 0.13 of the seeds. Errors that
    // counted both triangles would cover 52 %.
    const double deviation = std::sqrt(seeds * promised * (1 - promised));
    for (const int count : counts) {
        EXPECT_NEAR(count, seeds * promised, 4 * deviation);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Modes,
    RecoveryTest,
    testing::Values(Setting{Motion::diffusion, ScaleMode::individual, "RestIndividual"},
                    Setting{Motion::diffusion, ScaleMode::averaged, "RestAveraged"},
                    Setting{Motion::diffusion, ScaleMode::constant, "RestConstant"},
                    Setting{Motion::diffusion, ScaleMode::fourier, "RestFourier"},
                    Setting{Motion::laminar_flow, ScaleMode::individual, "FlowIndividual"},
                    Setting{Motion::laminar_flow, ScaleMode::averaged, "FlowAveraged"},
                    Setting{Motion::laminar_flow, ScaleMode::constant, "FlowConstant"},
                    Setting{Motion::laminar_flow, ScaleMode::fourier, "FlowFourier"}),
    [](const auto& setting) { return std::string(setting.param.name); });

/// Values that were fitted to measurements at a beamline, as the truth of simulated ones.
TEST(PublishedValuesTest, ComeBackFromADistantStart) {
    const auto published = test::xpcs_json("published_fits.json");
    Alone alone;
    for (const bool flows : {false, true}) {
        const io::Json& of = member(published, {flows ? "laminar_c020" : "static_simon"});
        auto values = numbers(member(of, {"values"}));
        Scale scale{0, 0};
        if (flows) {
            scale = {test::number(member(of, {"contrast"})), test::number(member(of, {"offset"}))};
        } else {
            scale = {values[0], values[1]};
            values.erase(values.begin(), values.begin() + 2);
        }
        Measurement like;
        like.q = test::golden_q;
        like.gap = test::golden_gap;
        like.dt = 0.1;
        like.frames = 120;
        for (int angle = 0; angle < (flows ? 23 : 3); ++angle) {
            like.phi.push_back(flows ? -88 + 8 * angle : 45 * angle);
        }
        Truth truth;
        truth.motion = flows ? Motion::laminar_flow : Motion::diffusion;
        truth.physical = values;
        truth.scales.assign(like.phi.size(), scale);
        SimulatedNoise noise;
        noise.sigma = 0.01 * scale.contrast;
        const auto data = simulate(like, truth, noise, alone.threads);
        FitOptions options;
        options.motion = truth.motion;
        options.start = {1e4, -1, 0};
        if (flows) {
            options.start.insert(options.start.end(), {1e-3, 0, 0, 0});
        }

        const auto found = fit(data, options, alone.team);

        EXPECT_TRUE(nlsq::converged(found.minimum.stop)) << nlsq::text(found.minimum.stop);
        const std::size_t first = found.values.size() - values.size();
        for (std::size_t k = 0; k < values.size(); ++k) {
            const double error =
                std::sqrt(found.covariance.matrix[(first + k) * (found.values.size() + 1)]);
            EXPECT_NEAR(found.physical[k], values[k], 4 * error) << found.names[first + k];
        }
    }
}

}  // namespace
}  // namespace lockstep::xpcs
