#include "lockstep/xpcs/errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"

#include "support/xpcs/alone.hpp"
#include "support/xpcs/speckle_sample.hpp"

namespace lockstep::xpcs {
namespace {

using test::Alone;
using test::SpeckleSample;

constexpr int frames = 31;

/// Whose correlation decays within the series, so that the fit is nearly linear.
SpeckleSample sample() {
    SpeckleSample made({0, 90}, frames);
    made.like.q = 0.015;
    made.noise.pixels = 4000;
    made.noise.photons = 4;
    return made;
}

std::vector<double> errors(const Measurement& data,
                           const FitOptions& options,
                           ErrorMethod method,
                           runtime::Team& team) {
    ErrorOptions how;
    how.method = method;
    return errors_of(data, options, fit(data, options, team), how, team).errors();
}

/// Of two angles: contrasts, offsets, alpha, and D(1 s) = D0 + D_offset. D0 and D_offset alone have
/// tails so far that no few fits tell their deviation.
constexpr std::size_t first_physical = 4;

std::vector<double> told_of(const FitResult& fit) {
    std::vector<double> told(fit.values.begin(), fit.values.begin() + first_physical);
    told.push_back(fit.physical[1]);
    told.push_back(fit.physical[0] + fit.physical[2]);
    return told;
}

std::vector<double> errors_told_of(const ErrorBars& bars) {
    const auto all = bars.errors();
    const auto covariance = [&](std::size_t row, std::size_t column) {
        return bars.covariance
            .matrix[(first_physical + row) * all.size() + first_physical + column];
    };
    std::vector<double> told(all.begin(), all.begin() + first_physical);
    told.push_back(all[first_physical + 1]);
    told.push_back(std::sqrt(covariance(0, 0) + covariance(2, 2) + 2 * covariance(0, 2)));
    return told;
}

/// Standard deviations over fits of simulated measurements.
std::vector<double> spread_of_fits(SpeckleSample& of, int count, runtime::Team& team) {
    std::vector<double> sum(first_physical + 2, 0.0);
    std::vector<double> squares(sum);
    for (int k = 0; k < count; ++k) {
        const auto told = told_of(fit(of.simulate(100 + at(k), team.threads), of.options, team));
        for (std::size_t p = 0; p < told.size(); ++p) {
            sum[p] += told[p];
            squares[p] += told[p] * told[p];
        }
    }
    for (std::size_t p = 0; p < sum.size(); ++p) {
        squares[p] = std::sqrt((squares[p] - sum[p] * sum[p] / count) / (count - 1));
    }
    return squares;
}

TEST(ErrorsOf, SpeckleIsTheSpreadOfFitsAndTheClassicalOneIsNot) {
    Alone alone(2);
    auto of = sample();
    const auto spread = spread_of_fits(of, 40, alone.team);
    const auto data = of.simulate(7, alone.threads);
    const auto found = fit(data, of.options, alone.team);
    const auto told = [&](ErrorMethod method) {
        ErrorOptions how;
        how.method = method;
        return errors_told_of(errors_of(data, of.options, found, how, alone.team));
    };

    const auto speckle = told(ErrorMethod::speckle);
    const auto classical = told(ErrorMethod::classical);

    for (std::size_t p = 0; p < spread.size(); ++p) {
        EXPECT_NEAR(speckle[p] / spread[p], 1, 0.35) << p;
        EXPECT_LT(classical[p] / spread[p], 0.5) << p;
    }
}

TEST(ErrorsOf, SpeckleTellsPhotonsModesAndPixels) {
    Alone alone(2);
    auto of = sample();
    of.noise.photons = 0.5;
    const auto data = of.simulate(7, alone.threads);
    const auto bars =
        errors_of(data, of.options, fit(data, of.options, alone.team), {}, alone.team);

    ASSERT_EQ(bars.speckle.size(), 2U);
    for (const auto& facts : bars.speckle) {
        EXPECT_NEAR(facts.photons, 0.5, 0.02);
        EXPECT_NEAR(facts.modes, 1 / 0.3, 0.5);
        EXPECT_NEAR(facts.pixels / 4000, 1, 0.2);
    }
}

TEST(ErrorsOf, BlocksAreWiderThanTheClassicalOnesAndClassicalOnesThoseOfTheFit) {
    Alone alone(2);
    auto of = sample();
    const auto data = of.simulate(7, alone.threads);
    const auto found = fit(data, of.options, alone.team);
    ErrorOptions how;
    how.method = ErrorMethod::classical;
    EXPECT_EQ(errors_of(data, of.options, found, how, alone.team).covariance.matrix,
              found.covariance.matrix);

    const auto blocks = errors(data, of.options, ErrorMethod::blocks, alone.team);
    const auto classical = errors(data, of.options, ErrorMethod::classical, alone.team);

    double log_ratio = 0;
    for (std::size_t p = 0; p < blocks.size(); ++p) {
        log_ratio += std::log(blocks[p] / classical[p]) / static_cast<double>(blocks.size());
    }
    EXPECT_GT(std::exp(log_ratio), 1.5);
    EXPECT_LT(std::exp(log_ratio), 8);
}

// Where errors are independent of each other, the sandwich is the classical covariance.
TEST(ErrorsOf, BlocksAreTheClassicalOnesOfIndependentErrors) {
    Alone alone(2);
    SpeckleSample of({0, 45, 90}, 127);
    of.noise.kind = SimulatedNoise::Kind::normal;
    const auto data = of.simulate(7, alone.threads);

    const auto blocks = errors(data, of.options, ErrorMethod::blocks, alone.team);
    const auto classical = errors(data, of.options, ErrorMethod::classical, alone.team);

    for (std::size_t p = 0; p < blocks.size(); ++p) {
        EXPECT_NEAR(blocks[p] / classical[p], 1, 0.6) << p;  // of 16 blocks
    }
}

TEST(ErrorsOf, AreTheSameForAnyNumberOfThreadsAndRanks) {
    Alone alone;
    auto of = sample();
    const auto data = of.simulate(7, alone.threads);
    for (const auto method : {ErrorMethod::speckle, ErrorMethod::blocks}) {
        const auto expected = errors(data, of.options, method, alone.team);
        for (const int threads : {2, 3}) {
            Alone several(threads);
            EXPECT_EQ(errors(data, of.options, method, several.team), expected) << threads;
        }
        for (const int count : {2, 3}) {
            std::vector<std::vector<double>> found(at(count));
            comm::run_in_process(count, [&](comm::Communicator& ranks) {
                runtime::ThreadTeam threads(1);
                runtime::Team team{ranks, threads};
                found[at(ranks.rank())] = errors(data, of.options, method, team);
            });
            EXPECT_THAT(found, testing::Each(expected)) << count;
        }
    }
}

TEST(ErrorsOf, AMaskedFrameMakesThemALittleLarger) {
    Alone alone(2);
    auto of = sample();
    auto data = of.simulate(7, alone.threads);
    const auto whole = errors(data, of.options, ErrorMethod::speckle, alone.team);
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    for (int angle = 0; angle < data.angles(); ++angle) {
        for (const int bad : {5, 6, 20}) {
            data.diagonal[at(angle * frames + bad)] = nan;
            for (int other = 0; other < frames; ++other) {
                if (other != bad) {
                    const int low = std::min(bad, other);
                    data.c2[data.row(angle, low) + at(std::max(bad, other) - low - 1)] = nan;
                }
            }
        }
    }
    for (const auto method : {ErrorMethod::speckle, ErrorMethod::blocks}) {
        const auto masked = errors(data, of.options, method, alone.team);
        for (std::size_t p = 0; p < masked.size(); ++p) {
            EXPECT_GT(masked[p], method == ErrorMethod::speckle ? 0.7 * whole[p] : 0) << p;
            EXPECT_LT(masked[p], 2 * whole[p]) << p;
        }
    }
}

TEST(ErrorsOf, AValueAtItsBoundHasNone) {
    Alone alone(2);
    auto of = sample();
    const auto data = of.simulate(7, alone.threads);
    const double best = fit(data, of.options, alone.team).physical[2];
    of.options.lower = {100, -2, best + 200};
    of.options.upper = {1e5, 2, 1e5};
    of.options.start[2] = best + 300;
    const auto found = fit(data, of.options, alone.team);
    ASSERT_EQ(found.bounds.back(), nlsq::AtBound::lower);

    for (const auto method : {ErrorMethod::classical, ErrorMethod::blocks, ErrorMethod::speckle}) {
        const auto bars = errors(data, of.options, method, alone.team);
        EXPECT_TRUE(std::isnan(bars.back())) << to_string(method);
        EXPECT_GT(bars.front(), 0) << to_string(method);
    }
}

}  // namespace
}  // namespace lockstep::xpcs
