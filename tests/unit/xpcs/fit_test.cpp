// Fits against minima that homodyne's functions and independent solvers found.
#include "lockstep/xpcs/fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/comm/communicator.hpp"

#include "support/xpcs/alone.hpp"
#include "support/xpcs/measurements.hpp"

namespace lockstep::xpcs {
namespace {

using test::Alone;
using test::member;
using test::number;
using test::numbers;
using testing::HasSubstr;
using testing::ThrowsMessage;

FitOptions published_options(Motion motion) {
    FitOptions options;
    options.motion = motion;
    options.sigma = 0.01;
    options.start = {1e4, -0.5, 500};
    if (motion == Motion::laminar_flow) {
        options.start.insert(options.start.end(), {1e-3, 0, 0, 0});
    }
    return options;
}

/// χ² that counts both triangles of the matrices.
double both_triangles(const FitResult& result) {
    return 2 * result.chi_squared;
}

class GoldenMinimum : public testing::TestWithParam<std::string> {};

TEST_P(GoldenMinimum, IsReached) {
    const auto golden = test::xpcs_json("golden.json");
    const io::Json& lam6 = member(golden, {"lam6"});
    auto data = test::cached_measurement("lam6_cache.npz", 0.1);
    auto options = published_options(Motion::laminar_flow);
    if (GetParam() == "averaged") {
        options.scale.mode = ScaleMode::averaged;
    } else if (GetParam() == "constant") {
        options.scale.mode = ScaleMode::constant;
        const auto contrasts = numbers(member(lam6, {"quantile_scaling", "contrast"}));
        const auto offsets = numbers(member(lam6, {"quantile_scaling", "offset"}));
        for (std::size_t angle = 0; angle < contrasts.size(); ++angle) {
            options.scale.given.push_back({contrasts[angle], offsets[angle]});
        }
    }
    Alone alone;
    const auto result = fit(data, options, alone.team);
    const io::Json& of = member(lam6, {"stratified_path", GetParam()});
    EXPECT_TRUE(nlsq::converged(result.minimum.stop)) << nlsq::text(result.minimum.stop);
    EXPECT_NEAR(both_triangles(result) / number(member(of, {"chi2_min"})), 1, 1e-9);
    const auto minimiser = numbers(member(of, {"minimiser"}));
    const auto uncertainty = numbers(member(of, {"uncertainty_from_s2_invJtJ"}));
    ASSERT_EQ(result.values.size(), minimiser.size());
    // There the pairs are counted twice, and so is the diagonal, whose residuals are 0; averaged
    // scaling counts as if it was that of each angle.
    const auto fitted = static_cast<double>(minimiser.size());
    const double counted_here = static_cast<double>(result.pairs) - fitted;
    const double counted_there = 6 * 63 * 63 - (GetParam() == "averaged" ? 19 : fitted);
    for (std::size_t k = 0; k < minimiser.size(); ++k) {
        EXPECT_NEAR(result.values[k], minimiser[k], 1e-4 * uncertainty[k]) << result.names[k];
        const double error = std::sqrt(result.covariance.matrix[k * minimiser.size() + k]);
        EXPECT_NEAR(error / uncertainty[k] * std::sqrt(counted_here / counted_there), 1, 1e-5)
            << result.names[k];
    }
}

INSTANTIATE_TEST_SUITE_P(Modes,
                         GoldenMinimum,
                         testing::Values("individual", "averaged", "constant"),
                         [](const auto& which) { return which.param; });

TEST(Fit, ReachesTheMinimaOfIndependentSolvers) {
    const auto peers = test::xpcs_json("golden-peers.json");
    int compared = 0;
    for (const auto& entry : test::array(member(peers, {"nlsq_minimum", "entries"}))) {
        const std::string name = *member(entry, {"dataset"}).if_string();
        if (name != "st_7k" && name != "lam_24k") {
            continue;
        }
        const auto data = test::peer_measurement(name);
        auto options =
            published_options(name == "st_7k" ? Motion::diffusion : Motion::laminar_flow);
        if (*member(entry, {"mode"}).if_string() == "auto") {
            options.scale.mode = ScaleMode::averaged;
        }
        Alone alone;
        const auto result = fit(data, options, alone.team);
        EXPECT_NEAR(both_triangles(result) / number(member(entry, {"chi2_min"})), 1, 1e-9);
        const auto x = numbers(member(entry, {"x"}));
        const auto unc = numbers(member(entry, {"unc"}));
        for (std::size_t k = 0; k < x.size(); ++k) {
            EXPECT_NEAR(result.values[k], x[k], 1e-4 * unc[k]) << name << ' ' << result.names[k];
        }
        ++compared;
    }
    EXPECT_EQ(compared, 3);
}

TEST(Fit, IsTheSameForAnyNumberOfThreadsAndRanks) {
    // Enough pairs that they make several blocks.
    Measurement data = test::peer_measurement("lam_24k");
    Alone alone;
    const auto options = published_options(Motion::laminar_flow);
    const auto expected = digest_of(fit(data, options, alone.team));
    for (const int threads : {2, 3}) {
        Alone several(threads);
        EXPECT_EQ(digest_of(fit(data, options, several.team)), expected) << threads;
    }
    for (const int count : {2, 3}) {
        std::vector<Digest> digests(at(count));
        comm::run_in_process(count, [&](comm::Communicator& ranks) {
            runtime::ThreadTeam threads(1);
            runtime::Team team{ranks, threads};
            digests[at(ranks.rank())] = digest_of(fit(data, options, team));
        });
        EXPECT_THAT(digests, testing::Each(expected)) << count;
    }
}

TEST(Fit, MaskedPairsDoNotCount) {
    auto data = test::peer_measurement("st_7k");
    const auto options = published_options(Motion::diffusion);
    Alone alone;
    const auto whole = fit(data, options, alone.team);
    for (std::size_t k = 0; k < data.c2.size(); k += 7) {
        data.c2[k] = k % 2 == 0 ? std::numeric_limits<double>::quiet_NaN() : data.c2[k];
    }
    const auto masked = fit(data, options, alone.team);
    EXPECT_LT(masked.pairs, whole.pairs);
    EXPECT_NEAR(
        masked.physical[0], whole.physical[0], 3 * std::sqrt(whole.covariance.matrix[6 * 9 + 6]));
    for (double& value : data.c2) {
        value = std::isnan(value) ? 1e6 : value;
    }
    EXPECT_GT(fit(data, options, alone.team).chi_squared, 1e6 * masked.chi_squared);
}

TEST(Fit, AnglesMayComeInAnyOrderOfTheirNames) {
    auto data = test::peer_measurement("lam_24k");
    auto other = data;
    other.phi = {-90, -60, -30, 0, 30, 60};
    ASSERT_EQ(other.phi, data.phi);
    // The model has a period of half a turn in an angle.
    other.phi = {30, 60, 90, 120, 150, 180};
    const auto pairs = static_cast<std::ptrdiff_t>(pair_count(data.frames));
    std::rotate(other.c2.begin(), other.c2.begin() + 4 * pairs, other.c2.end());
    std::rotate(
        other.diagonal.begin(), other.diagonal.begin() + 4 * data.frames, other.diagonal.end());
    Alone alone;
    const auto options = published_options(Motion::laminar_flow);
    const auto first = fit(data, options, alone.team);
    const auto second = fit(other, options, alone.team);
    EXPECT_NEAR(first.chi_squared / second.chi_squared, 1, 1e-10);
    EXPECT_NEAR(first.physical[0] / second.physical[0], 1, 1e-6);
}

TEST(Fit, NoiseIsThatOfTheData) {
    const auto data = test::peer_measurement("lam_24k");
    for (const double sigma : noise_of(data)) {
        EXPECT_NEAR(sigma, 0.004, 0.0003);  // of the recipe; about 4 deviations
    }
}

TEST(Fit, FourierScalingOfEveryAngleIsIndividualScaling) {
    const auto data = test::peer_measurement("st_7k");
    auto options = published_options(Motion::diffusion);
    Alone alone;
    const auto individual = fit(data, options, alone.team);
    options.scale.mode = ScaleMode::fourier;
    options.scale.harmonics = 1;
    const auto fourier = fit(data, options, alone.team);
    EXPECT_NEAR(fourier.chi_squared / individual.chi_squared, 1, 1e-10);
    for (std::size_t angle = 0; angle < 3; ++angle) {
        EXPECT_NEAR(fourier.scales[angle].contrast, individual.scales[angle].contrast, 1e-8);
    }
    EXPECT_EQ(fourier.names[1], "contrast_c1");
}

TEST(Fit, RefusesFewerPairsThanValues) {
    Measurement data;
    data.q = 0.005;
    data.gap = 2e6;
    data.dt = 0.1;
    data.frames = 3;
    data.phi = {0};
    data.c2 = {1.3, 1.2, 1.3};
    data.diagonal = {1.5, 1.5, 1.5};
    Alone alone;
    EXPECT_THAT([&] { (void)fit(data, published_options(Motion::diffusion), alone.team); },
                ThrowsMessage<InputError>(HasSubstr("3 pairs of frames cannot tell 5 values")));
}

TEST(Fit, RefusesAStartOutsideTheBoundsByName) {
    const auto data = test::peer_measurement("st_7k");
    auto options = published_options(Motion::diffusion);
    options.start[1] = 3;
    Alone alone;
    EXPECT_THAT([&] { fit(data, options, alone.team); },
                ThrowsMessage<InputError>(HasSubstr("alpha")));
}

TEST(Fit, ATurnOfTheDataIntoNoiseIsTold) {
    auto data = test::peer_measurement("st_7k");
    for (std::size_t k = 0; k < data.c2.size(); ++k) {
        data.c2[k] = 1 + 1e-3 * std::sin(1e4 * static_cast<double>(k));
    }
    Alone alone;
    const auto result = fit(data, published_options(Motion::diffusion), alone.team);
    EXPECT_TRUE(std::isfinite(result.chi_squared));
}

TEST(QuantileScales, AreHomodynesWhereTheDiagonalIsThatOfItsNeighbours) {
    const auto golden = test::xpcs_json("golden.json");
    const io::Json& expected = member(golden, {"lam6", "quantile_scaling"});

    const auto scales = quantile_scales(test::cached_measurement("lam6_cache.npz", 0.1), {});

    const auto contrasts = numbers(member(expected, {"contrast"}));
    const auto offsets = numbers(member(expected, {"offset"}));
    ASSERT_EQ(scales.size(), contrasts.size());
    for (std::size_t angle = 0; angle < scales.size(); ++angle) {
        EXPECT_NEAR(scales[angle].contrast, contrasts[angle], 1e-12) << angle;
        EXPECT_NEAR(scales[angle].offset, offsets[angle], 1e-12) << angle;
    }
}

TEST(QuantileScales, StayWithinTheirBounds) {
    ScaleOptions options;
    options.lower = {0.31, 1.01};
    options.upper = {0.32, 1.02};

    for (const Scale& scale :
         quantile_scales(test::cached_measurement("lam6_cache.npz", 0.1), options)) {
        EXPECT_THAT(scale.contrast, testing::AllOf(testing::Ge(0.31), testing::Le(0.32)));
        EXPECT_THAT(scale.offset, testing::AllOf(testing::Ge(1.01), testing::Le(1.02)));
    }
}

}  // namespace
}  // namespace lockstep::xpcs
