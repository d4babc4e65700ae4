#include "sddp/passes/risk.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace lockstep::sddp {
namespace {

std::vector<double> weights(const RiskMeasure& measure, const std::vector<double>& cost) {
    std::vector<double> weight(cost.size());
    const std::vector<double> alike(cost.size(), 1.0 / static_cast<double>(cost.size()));
    risk_weights(measure, alike, cost, weight);
    return weight;
}

TEST(RiskTest, ExpectationWeighsAllAlike) {
    EXPECT_EQ(weights({1, 0}, {5, 1, 3, 2}), std::vector<double>(4, 0.25));
    EXPECT_EQ(weights({1, 0.7}, {5, 1, 3, 2}), std::vector<double>(4, 0.25));
}

TEST(RiskTest, TailMeanOfHalfIsTheMeanOfTheCostlierHalf) {
    const std::vector<double> cost{4, 1, 8, 3};

    const auto weight = weights({0.5, 1}, cost);

    EXPECT_EQ(weight, (std::vector<double>{0.5, 0, 0.5, 0}));
    EXPECT_DOUBLE_EQ(weighted_sum(weight, cost), 6);
}

TEST(RiskTest, MixtureKeepsTheWeightOfTheExpectationBelowTheTail) {
    // (1 - 0.4)·mean + 0.4·(mean of the costliest half of five) by hand:
    // tail of 2.5 outcomes: 50, 40 and half of 30.
    const std::vector<double> cost{10, 20, 30, 40, 50};
    const double tail = (50 + 40 + 0.5 * 30) / 2.5;

    const auto weight = weights({0.5, 0.4}, cost);

    EXPECT_NEAR(weighted_sum(weight, cost), 0.6 * 30 + 0.4 * tail, 1e-12);
    EXPECT_NEAR(weight[0], 0.12, 1e-15);
}

TEST(RiskTest, TiesGoToTheLowerIndex) {
    EXPECT_EQ(weights({0.25, 1}, {7, 7, 7, 7}), (std::vector<double>{1, 0, 0, 0}));
}

TEST(RiskTest, ATailTakesSharesOfUnlikelyOutcomesWhole) {
    const std::vector<double> probability{0.1, 0.6, 0.3};
    const std::vector<double> cost{9, 1, 5};
    std::vector<double> weight(3);

    risk_weights({1, 0}, probability, cost, weight);
    EXPECT_EQ(weight, probability);

    // the costliest quarter: 0.1 of 9 and 0.15 of 5
    risk_weights({0.25, 1}, probability, cost, weight);
    EXPECT_NEAR(weighted_sum(weight, cost), (0.1 * 9 + 0.15 * 5) / 0.25, 1e-12);
}

TEST(RiskTest, TheWorstCaseHasItsWeight) {
    RiskMeasure measure;
    measure.worst_case = 0.5;
    EXPECT_EQ(weights(measure, {4, 8, 8, 3}), (std::vector<double>{0.125, 0.625, 0.125, 0.125}));
    measure.alpha = 0.5;
    measure.lambda = 0.5;
    EXPECT_EQ(weights(measure, {4, 1, 8, 3}), (std::vector<double>{0.25, 0, 0.75, 0}));
}

TEST(RiskTest, TheEntropicMeasureIsTheLogarithmOfAMean) {
    const std::vector<double> probability{0.2, 0.5, 0.3};
    const std::vector<double> cost{9, 1, 5};
    RiskMeasure measure;
    measure.entropic = 0.75;
    for (const double gamma : {1e-3, 0.1, 2.0}) {
        measure.gamma = gamma;
        std::vector<double> weight(3);
        const auto offset = risk_weights(measure, probability, cost, weight);
        double mean = 0;
        double expected = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            mean += probability[i] * std::exp(gamma * cost[i]);
            expected += 0.25 * probability[i] * cost[i];
        }
        expected += 0.75 * std::log(mean) / gamma;
        EXPECT_NEAR(weighted_sum(weight, cost) + offset, expected, 1e-9) << gamma;
        EXPECT_NEAR(weighted_sum(weight, std::vector<double>(3, 1.0)), 1, 1e-12);
    }
}

// What makes cuts of it: weights and offset at one point bound the measure at every other.
TEST(RiskTest, WeightsAtAPointBoundTheMeasureElsewhere) {
    std::mt19937_64 random(11);
    std::uniform_real_distribution<double> unit(0, 1);
    const std::vector<double> probability{0.2, 0.5, 0.3};
    for (int trial = 0; trial < 200; ++trial) {
        const RiskMeasure measure{0.1 + 0.9 * unit(random), 0.3, 0.2, 0.4, 0.1 + unit(random)};
        const auto draw = [&] {
            return std::vector<double>{10 * unit(random), 10 * unit(random), 10 * unit(random)};
        };
        const auto here = draw();
        const auto there = draw();
        std::vector<double> weight(3);
        std::vector<double> other(3);
        const auto offset = risk_weights(measure, probability, here, weight);
        const auto value = risk_weights(measure, probability, there, other);
        EXPECT_LE(weighted_sum(weight, there) + offset, weighted_sum(other, there) + value + 1e-10);
    }
}

// The measure is the least over η of (1 - λ)·mean + λ·(η + mean of the excess over η)/α; the least
// lies at a cost. Source: [RockafellarUryasev2000], equation 9.
double by_auxiliary_minimum(const RiskMeasure& measure, const std::vector<double>& cost) {
    double mean = 0;
    for (const double value : cost) {
        mean += value / static_cast<double>(cost.size());
    }
    double best = 1e300;
    for (const double eta : cost) {
        double excess = 0;
        for (const double value : cost) {
            excess += std::max(0.0, value - eta) / static_cast<double>(cost.size());
        }
        best = std::min(best, eta + excess / measure.alpha);
    }
    return (1 - measure.lambda) * mean + measure.lambda * best;
}

TEST(RiskTest, EqualsTheAuxiliaryMinimumForRandomCosts) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> unit(0, 1);
    for (int trial = 0; trial < 200; ++trial) {
        std::vector<double> cost(1 + static_cast<std::size_t>(random() % 9));
        for (auto& value : cost) {
            value = std::floor(20 * unit(random));
        }
        const RiskMeasure measure{0.05 + 0.95 * unit(random), unit(random)};
        const auto weight = weights(measure, cost);
        EXPECT_NEAR(weighted_sum(weight, cost), by_auxiliary_minimum(measure, cost), 1e-10);
        EXPECT_NEAR(weighted_sum(weight, std::vector<double>(cost.size(), 1)), 1, 1e-12);
    }
}

}  // namespace
}  // namespace lockstep::sddp
