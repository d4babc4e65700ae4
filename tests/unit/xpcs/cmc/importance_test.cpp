#include "lockstep/xpcs/cmc/importance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/xpcs/cmc/moments.hpp"

#include "support/xpcs/chains.hpp"

namespace lockstep::xpcs::cmc {
namespace {

using testing::HasSubstr;

// Normal of mean (1, -2), sds 1 and 2, correlation 0.5, normalised.
double target(std::span<const double> x, std::span<double>) {
    const double a = x[0] - 1;
    const double b = (x[1] + 2) / 2;
    return -(a * a - a * b + b * b) / 1.5 - std::log(2 * std::acos(-1.0) * 2 * std::sqrt(0.75));
}

const std::vector<double> covariance{1, 1, 1, 4};

WeightedPoints sampled(const LinearCoordinates& around, const Proposal& proposal, int threads = 1) {
    runtime::ThreadTeam team(threads);
    return importance_sample(test::densities(2, target), around, proposal, 1, 0, team);
}

TEST(ImportanceTest, TheExactProposalWeighsAllPointsAlike) {
    const LinearCoordinates around({1, -2}, covariance);
    const WeightedPoints points = sampled(around, {.points = 1000});
    EXPECT_NEAR(points.effective_size, 1000, 1e-6);
    EXPECT_NEAR(points.log_evidence, 0, 1e-12);
    EXPECT_LT(points.k, 0.1);
}

TEST(ImportanceTest, AnotherProposalGivesTheMomentsOfTheTarget) {
    const LinearCoordinates around({1.3, -1.5}, std::vector<double>{1.5, 0, 0, 5});
    for (const Proposal& proposal : {Proposal{.points = 40000},
                                     Proposal{.degrees_of_freedom = 4, .points = 40000},
                                     Proposal{.widening = 1.3, .points = 40000}}) {
        const WeightedPoints points = sampled(around, proposal);
        EXPECT_LT(points.k, 0.5);
        EXPECT_GT(points.effective_size, 15000);
        EXPECT_NEAR(points.log_evidence, 0, 4 / std::sqrt(points.effective_size));
        const auto draws = resample(points, 40000, 1, 0);
        const PosteriorDifference difference =
            compare(moments_of({draws.data(), 40000, 2}), {{1, -2}, covariance});
        EXPECT_LT(difference.largest_shift(), 5 / std::sqrt(points.effective_size));
        EXPECT_LT(difference.largest_correlation_difference(),
                  5 / std::sqrt(points.effective_size));
        EXPECT_NEAR(difference.width_ratio[1], 1, 5 / std::sqrt(points.effective_size));
    }
}

TEST(ImportanceTest, ANarrowProposalIsFoundOut) {
    const LinearCoordinates around({1, -2}, covariance);
    EXPECT_GT(sampled(around, {.widening = 0.4, .points = 4000}).k, 0.7);
}

TEST(ImportanceTest, TheSameBitsForAnyNumberOfThreads) {
    const LinearCoordinates around({0, 0}, covariance);
    const Proposal proposal{.degrees_of_freedom = 5, .points = 999};
    const WeightedPoints reference = sampled(around, proposal);
    for (const int threads : {2, 5}) {
        const WeightedPoints points = sampled(around, proposal, threads);
        EXPECT_EQ(points.values, reference.values);
        EXPECT_EQ(points.log_weights, reference.log_weights);
        EXPECT_EQ(points.k, reference.k);
    }
}

TEST(ImportanceTest, ResamplingTakesEachPointAsOftenAsItsWeightSays) {
    WeightedPoints points;
    points.dimension = 1;
    points.values = {10, 20, 30, 40};
    points.log_density = {0, 0, 0, 0};
    points.log_weights = {
        std::log(0.5), std::log(0.25), -std::numeric_limits<double>::infinity(), std::log(0.25)};
    const auto draws = resample(points, 400, 5, 2);
    EXPECT_EQ(std::count(draws.begin(), draws.end(), 10), 200);
    EXPECT_EQ(std::count(draws.begin(), draws.end(), 20), 100);
    EXPECT_EQ(std::count(draws.begin(), draws.end(), 30), 0);
    EXPECT_EQ(std::count(draws.begin(), draws.end(), 40), 100);
    EXPECT_FALSE(std::is_sorted(draws.begin(), draws.end()));
    EXPECT_NE(resample(points, 400, 6, 2), draws);
}

TEST(ImportanceTest, WhatCannotBeSampledIsNamed) {
    runtime::ThreadTeam team(1);
    const auto message = [&](const MakeDensity& make, const Proposal& proposal, const Stop& stop) {
        const LinearCoordinates around({0, 0}, covariance);
        try {
            importance_sample(make, around, proposal, 1, 0, team, stop);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    const auto nothing = [](std::span<const double>, std::span<double>) { return std::nan(""); };
    EXPECT_THAT(message(test::densities(2, nothing), {.points = 50}, {}), HasSubstr("zero at all"));
    EXPECT_THAT(message(test::densities(3, target), {}, {}), HasSubstr("3 coordinates"));
    EXPECT_THAT(message(test::densities(2, target), {.points = 0}, {}), HasSubstr("1 or more"));
    int asked = 0;
    EXPECT_THAT(message(test::densities(2, target), {}, [&] { return ++asked > 10; }),
                HasSubstr("stopped"));
    EXPECT_EQ(asked, 11);
}

}  // namespace
}  // namespace lockstep::xpcs::cmc
