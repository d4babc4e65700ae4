#include "lockstep/xpcs/cmc/nuts.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/runtime/random.hpp"
#include "lockstep/xpcs/cmc/diagnostics.hpp"

#include "support/chi_square.hpp"
#include "support/xpcs/chains.hpp"

namespace lockstep::xpcs::cmc {
namespace {

using testing::HasSubstr;

double standard_normal(std::span<const double> x, std::span<double> gradient) {
    double value = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        gradient[i] = -x[i];
        value -= 0.5 * x[i] * x[i];
    }
    return value;
}

// Two coordinates of sds 1e-3 and 100 with correlation 0.999.
double correlated_normal(std::span<const double> x, std::span<double> gradient) {
    constexpr double correlation = 0.999;
    const double a = x[0] * 1e3;
    const double b = x[1] / 100;
    const double rest = 1 - correlation * correlation;
    gradient[0] = -(a - correlation * b) / rest * 1e3;
    gradient[1] = -(b - correlation * a) / rest / 100;
    return -0.5 * (a * a - 2 * correlation * a * b + b * b) / rest;
}

// v ~ Normal(0, sd), the other coordinates ~ Normal(0, e^(v/2)).
struct Funnel {
    double sd;
    double operator()(std::span<const double> x, std::span<double> gradient) const {
        const double v = x[0];
        const auto others = static_cast<double>(x.size() - 1);
        const double precision = std::exp(-v);
        double squares = 0;
        for (std::size_t i = 1; i < x.size(); ++i) {
            squares += x[i] * x[i];
            gradient[i] = -x[i] * precision;
        }
        gradient[0] = -v / (sd * sd) + 0.5 * squares * precision - 0.5 * others;
        return -0.5 * v * v / (sd * sd) - 0.5 * squares * precision - 0.5 * others * v;
    }
};

// x ~ Normal(0, 1), y ~ Normal(x², 1/2).
double banana(std::span<const double> x, std::span<double> gradient) {
    const double off = x[1] - x[0] * x[0];
    gradient[0] = -x[0] + 8 * off * x[0];
    gradient[1] = -4 * off;
    return -0.5 * x[0] * x[0] - 2 * off * off;
}

void expect_moments(const std::vector<double>& values, int chains, double mean, double sd) {
    const MatrixView<const double> view(
        values.data(), chains, static_cast<std::ptrdiff_t>(values.size()) / chains);
    const Summary found = summarise(view);
    EXPECT_LT(found.rhat.value(), 1.02);
    EXPECT_NEAR(found.mean, mean, 4 * found.mcse_mean);
    EXPECT_NEAR(found.sd, sd, 4 * found.mcse_sd);
}

TEST(NutsTest, StandardNormal) {
    const auto chains = test::four_chains(test::densities(10, standard_normal), NutsOptions{});
    for (int i = 0; i < 10; ++i) {
        expect_moments(coordinate_of(chains, i), 4, 0, 1);
    }
}

TEST(NutsTest, CorrelatedNormalOfVeryDifferentScales) {
    for (const MetricKind metric : {MetricKind::dense, MetricKind::diagonal}) {
        NutsOptions options;
        options.metric = metric;
        const auto chains = test::four_chains(test::densities(2, correlated_normal), options);
        expect_moments(coordinate_of(chains, 0), 4, 0, 1e-3);
        expect_moments(coordinate_of(chains, 1), 4, 0, 100);
    }
}

// Trap 35: with the covariance of a fit no leapfrogs are wasted on finding the scales.
TEST(NutsTest, AGivenCovarianceMakesAnySharpPosteriorEasy) {
    const double covariance = 0.999 * 1e-3 * 100;
    NutsOptions options;
    options.warmup = 200;
    options.covariance = {1e-6, covariance, covariance, 1e4};
    const auto with = test::four_chains(test::densities(2, correlated_normal), options);
    for (const ChainDraws& chain : with) {
        EXPECT_LT(chain.total_leapfrogs(), 8 * chain.count());
    }
    expect_moments(coordinate_of(with, 0), 4, 0, 1e-3);
}

TEST(NutsTest, FunnelWithKnownMarginals) {
    NutsOptions options;
    options.target_acceptance = 0.95;
    const auto chains = test::four_chains(test::densities(3, Funnel{1}), options);
    expect_moments(coordinate_of(chains, 0), 4, 0, 1);
    expect_moments(
        test::values_of(chains, [](auto x) { return x[1] * std::exp(-x[0] / 2); }), 4, 0, 1);
}

TEST(NutsTest, Banana) {
    NutsOptions options;
    options.target_acceptance = 0.95;
    const auto chains = test::four_chains(test::densities(2, banana), options);
    expect_moments(coordinate_of(chains, 0), 4, 0, 1);
    expect_moments(coordinate_of(chains, 1), 4, 1, 1.5);
}

// Numbers of the classes of equal probability that values of Normal(0, 1) fall into.
std::vector<double> counts_of(const std::vector<double>& values, int classes) {
    std::vector<double> counts(static_cast<std::size_t>(classes));
    for (const double value : values) {
        const double p = 0.5 * std::erfc(-value / std::sqrt(2.0));
        ++counts[std::min(static_cast<std::size_t>(p * classes), counts.size() - 1)];
    }
    return counts;
}

// Chains without adaptation that start at independent draws of the funnel leave it as it is,
// however large the steps.
TEST(NutsTest, TransitionsLeaveTheDensityAsItIs) {
    constexpr int chains = 4000;
    constexpr double false_alarm = 1e-4;
    const runtime::Random random(3, "test.exact");
    test::FunctionDensity density(2, Funnel{1});
    NutsOptions options;
    options.warmup = 0;
    options.draws = 3;
    options.initial_step = 0.7;
    std::vector<double> neck;
    std::vector<double> width;
    std::int64_t divergences = 0;
    for (std::uint32_t c = 0; c < chains; ++c) {
        const double v = random.normal(c, 0, 0);
        const std::vector<double> start{v, std::exp(v / 2) * random.normal(c, 0, 1)};
        NutsChain chain(density, start, options, {5, 0, c});
        chain.advance(options.draws);
        const auto last = chain.draws().matrix().row(options.draws - 1);
        neck.push_back(last[0]);
        width.push_back(last[1] * std::exp(-last[0] / 2));
        divergences += chain.draws().divergences();
    }
    EXPECT_LT(divergences, chains);
    for (const auto& values : {neck, width}) {
        constexpr int classes = 20;
        test::ChiSquare test;
        test.add(counts_of(values, classes), std::vector<double>(classes, 1.0 / classes));
        EXPECT_LT(test.statistic(), test.bound(false_alarm));
    }
}

// mu ~ Normal(0, 1), five y ~ Normal(mu, 1): the rank of the true mu among draws of the posterior
// is uniform.
TEST(NutsTest, RanksOfTrueValuesAreUniform) {
    constexpr int simulations = 400;
    constexpr int ranks = 16;
    constexpr int thinning = 10;
    const runtime::Random random(8, "test.calibration");
    NutsOptions options;
    options.warmup = 100;
    options.draws = (ranks - 1) * thinning;
    std::vector<double> counts(ranks);
    for (std::uint32_t s = 0; s < simulations; ++s) {
        const double truth = random.normal(s, 0, 0);
        double sum = 0;
        for (std::uint32_t i = 1; i <= 5; ++i) {
            sum += truth + random.normal(s, 0, i);
        }
        test::FunctionDensity density(1, [=](std::span<const double> x, std::span<double> slope) {
            slope[0] = sum - 6 * x[0];
            return sum * x[0] - 3 * x[0] * x[0];
        });
        NutsChain chain(density, std::vector<double>{2.0 - s % 5}, options, {9, s, 0});
        chain.advance(options.warmup + options.draws);
        std::size_t rank = 0;
        for (int draw = thinning - 1; draw < options.draws; draw += thinning) {
            rank += chain.draws().matrix()(draw, 0) < truth ? 1U : 0U;
        }
        ++counts[rank];
    }
    test::ChiSquare test;
    test.add(counts, std::vector<double>(ranks, 1.0 / ranks));
    EXPECT_LT(test.statistic(), test.bound(1e-4));
}

TEST(NutsTest, DivergencesAreSeen) {
    const auto steep = test::four_chains(test::densities(10, Funnel{3}), NutsOptions{});
    int divergences = 0;
    for (const ChainDraws& chain : steep) {
        divergences += chain.divergences();
    }
    EXPECT_GT(divergences, 0);
    for (const auto& chain :
         test::four_chains(test::densities(10, standard_normal), NutsOptions{})) {
        EXPECT_EQ(chain.divergences(), 0);
    }
}

// Half of a normal: beyond 0 the density is zero, and the walk turns back there.
TEST(NutsTest, WhereTheDensityIsZeroTrajectoriesEnd) {
    const auto half = [](std::span<const double> x, std::span<double> gradient) {
        gradient[0] = -x[0];
        return x[0] < 0 ? -std::numeric_limits<double>::infinity() : -0.5 * x[0] * x[0];
    };
    test::FunctionDensity density(1, half);
    NutsOptions options;
    options.warmup = 0;
    options.draws = 20000;
    options.initial_step = 0.5;
    NutsChain chain(density, std::vector<double>{1.0}, options, {1, 0, 0});
    chain.advance(options.draws);
    EXPECT_GT(chain.draws().divergences(), 0);
    for (const double x : chain.draws().values) {
        ASSERT_GE(x, 0);
    }
    const auto& values = chain.draws().values;
    const Summary found = summarise({values.data(), 1, static_cast<std::ptrdiff_t>(values.size())});
    EXPECT_NEAR(found.mean, std::sqrt(2 / std::acos(-1.0)), 4 * found.mcse_mean);
}

TEST(NutsTest, StatisticsOfDrawsBelongTogether) {
    test::FunctionDensity density(3, standard_normal);
    NutsOptions options;
    options.max_tree_depth = 3;
    options.draws = 200;
    NutsChain chain(density, std::vector<double>(3, 0.5), options, {1, 2, 3});
    chain.advance(10000);
    const ChainDraws& draws = chain.draws();
    ASSERT_EQ(draws.count(), 200);
    EXPECT_TRUE(chain.done());
    EXPECT_EQ(chain.iteration(), 1200);
    for (std::size_t i = 0; i < 200; ++i) {
        EXPECT_LE(draws.tree_depth[i], 3);
        EXPECT_LE(draws.leapfrogs[i], 7);
        EXPECT_GE(draws.leapfrogs[i], 1);
        EXPECT_GE(draws.energy[i], -draws.log_density[i]);
        EXPECT_LE(draws.acceptance[i], 1);
        std::vector<double> gradient(3);
        const auto x = draws.matrix().row(static_cast<std::ptrdiff_t>(i));
        EXPECT_EQ(draws.log_density[i], standard_normal(x, gradient));
    }
    EXPECT_GT(e_bfmi(draws.energy), 0.5);
    EXPECT_GT(draws.mean_acceptance(), 0.7);
}

TEST(NutsTest, ChainsDifferBySeedTaskAndNumber) {
    test::FunctionDensity density(1, standard_normal);
    NutsOptions options;
    options.warmup = 20;
    options.draws = 5;
    const auto draws = [&](ChainKey key) {
        NutsChain chain(density, std::vector<double>{0.5}, options, key);
        chain.advance(25);
        return chain.draws().values;
    };
    const auto first = draws({1, 0, 0});
    EXPECT_EQ(draws({1, 0, 0}), first);
    EXPECT_NE(draws({2, 0, 0}), first);
    EXPECT_NE(draws({1, 1, 0}), first);
    EXPECT_NE(draws({1, 0, 1}), first);
}

std::vector<std::byte> saved(const NutsChain& chain) {
    ByteWriter writer;
    chain.save(writer);
    return writer.take();
}

TEST(NutsTest, AResumedChainGoesOnWithTheSameBits) {
    for (const MetricKind metric : {MetricKind::dense, MetricKind::diagonal}) {
        test::FunctionDensity density(3, Funnel{1});
        NutsOptions options;
        options.metric = metric;
        options.warmup = 150;
        options.draws = 50;
        const std::vector<double> start(3, 0.5);
        NutsChain whole(density, start, options, {4, 0, 1});
        whole.advance(200);
        for (const int interruption : {0, 1, 74, 80, 99, 100, 149, 150, 170, 200}) {
            NutsChain first(density, start, options, {4, 0, 1});
            first.advance(interruption);
            const auto bytes = saved(first);
            NutsChain second(density, start, options, {4, 0, 1});
            ByteReader reader(bytes);
            second.restore(reader);
            EXPECT_TRUE(reader.at_end());
            second.advance(200);
            EXPECT_EQ(saved(second), saved(whole)) << interruption;
        }
    }
}

TEST(NutsTest, DamagedOrForeignBytesAreRefused) {
    test::FunctionDensity density(2, standard_normal);
    const std::vector<double> start(2, 0.5);
    NutsOptions options;
    options.warmup = 20;
    options.draws = 5;
    NutsChain chain(density, start, options, {1, 2, 3});
    chain.advance(22);
    const auto bytes = saved(chain);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        NutsChain other(density, start, options, {1, 2, 3});
        ByteReader reader(std::span<const std::byte>(bytes).first(length));
        EXPECT_THROW(other.restore(reader), InputError) << length;
    }
    NutsChain other(density, start, options, {1, 2, 4});
    ByteReader reader(bytes);
    EXPECT_THROW(other.restore(reader), InputError);
    test::FunctionDensity wider(3, standard_normal);
    NutsChain of_three(wider, std::vector<double>(3, 0.5), options, {1, 2, 3});
    ByteReader again(bytes);
    EXPECT_THROW(of_three.restore(again), InputError);
}

TEST(NutsTest, StopIsAskedInEveryLeapfrogAndLeavesWholeIterations) {
    test::FunctionDensity density(2, banana);
    const std::vector<double> start(2, 0.5);
    NutsOptions options;
    options.warmup = 20;
    options.draws = 30;
    NutsChain whole(density, start, options, {1, 0, 0});
    whole.advance(50);
    NutsChain chain(density, start, options, {1, 0, 0});
    int interruptions = 0;
    for (int steps_left = 5; !chain.done(); steps_left = 5 + interruptions) {
        if (!chain.advance(50, [&] { return --steps_left < 0; })) {
            ++interruptions;
            ASSERT_LT(interruptions, 1000);
        }
    }
    EXPECT_GT(interruptions, 5);
    EXPECT_EQ(chain.draws().values, whole.draws().values);
}

std::string message_of(int dimension,
                       double (*f)(std::span<const double>, std::span<double>),
                       const NutsOptions& options,
                       const std::vector<double>& start) {
    test::FunctionDensity density(dimension, f);
    try {
        NutsChain chain(density, start, options, {1, 2, 3});
        chain.advance(1);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(NutsTest, WhatCannotBeSampledIsNamed) {
    const auto nowhere = [](std::span<const double>, std::span<double> gradient) {
        gradient[0] = 0;
        return -std::numeric_limits<double>::infinity();
    };
    EXPECT_THAT(message_of(1, nowhere, {}, {0}),
                HasSubstr("chain 3 of task 2 cannot start: the logarithm of the density is -inf"));
    const auto flat = [](std::span<const double>, std::span<double> gradient) {
        gradient[0] = 0;
        return 0.0;
    };
    EXPECT_THAT(message_of(1, flat, {}, {0}), HasSubstr("improper"));
    const auto no_slope = [](std::span<const double> x, std::span<double> gradient) {
        gradient[0] = std::nan("");
        return -0.5 * x[0] * x[0];
    };
    EXPECT_THAT(message_of(1, no_slope, {}, {0}), HasSubstr("derivatives are not finite"));
}

TEST(NutsTest, OptionsOutOfRangeAreNamed) {
    const auto message = [](auto change) {
        NutsOptions options;
        change(options);
        return message_of(2, standard_normal, options, {0, 0});
    };
    EXPECT_THAT(message([](auto& o) { o.warmup = -1; }), HasSubstr("warmup is -1"));
    EXPECT_THAT(message([](auto& o) { o.draws = 0; }), HasSubstr("draws is 0"));
    EXPECT_THAT(message([](auto& o) { o.target_acceptance = 1; }), HasSubstr("in (0, 1)"));
    EXPECT_THAT(message([](auto& o) { o.max_tree_depth = 21; }), HasSubstr("1 to 20"));
    EXPECT_THAT(message([](auto& o) { o.max_energy_error = 0; }), HasSubstr("max_energy_error"));
    EXPECT_THAT(message([](auto& o) { o.initial_step = std::nan(""); }), HasSubstr("initial_step"));
    EXPECT_THAT(message([](auto& o) { o.covariance = {1}; }), HasSubstr("2 x 2"));
    EXPECT_THAT(message([](auto& o) { o.covariance = {1, 2, 2, 1}; }), HasSubstr("row 1"));
    EXPECT_THAT(message_of(2, standard_normal, {}, {0}), HasSubstr("number of start values is 1"));
}

}  // namespace
}  // namespace lockstep::xpcs::cmc
