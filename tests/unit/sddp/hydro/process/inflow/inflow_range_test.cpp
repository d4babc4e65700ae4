#include "sddp/hydro/process/inflow/inflow_range.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"

#include "support/dice.hpp"

namespace lockstep::sddp {
namespace {

/// One plant whose stages are alike, with two openings of noise -1 and 1.
Process one_plant(int stages, double base, double scale, std::vector<double> psi, double initial) {
    Process process;
    process.non_negativity = NonNegativity::truncation;
    auto& model = process.inflow;
    model.hydros = process.layout.hydros = process.tree.dimension = 1;
    model.lags = static_cast<int>(psi.size());
    model.initial_lags.assign(psi.size(), initial);
    for (int t = 0; t < stages; ++t) {
        model.stages.push_back({{base}, {scale}, SharedArray<double>(psi), {}});
        process.tree.count.push_back(2);
        process.tree.values.push_back({-1, 1});
    }
    return process;
}

std::vector<Interval> means_of(const Process& process) {
    std::vector<Interval> means;
    for (const auto& stage : inflow_means(process)) {
        means.push_back(stage.front());
    }
    return means;
}

TEST(InflowRangeTest, FollowsThePathsOfOneLag) {
    const auto means = means_of(one_plant(3, 10, 15, {0.5}, 20));
    ASSERT_EQ(means.size(), 3u);
    EXPECT_DOUBLE_EQ(means[0].low, 20);
    EXPECT_DOUBLE_EQ(means[0].high, 20);
    // inflows of 5 and 35 lead to means of 12.5 and 27.5
    EXPECT_DOUBLE_EQ(means[1].low, 12.5);
    EXPECT_DOUBLE_EQ(means[1].high, 27.5);
    // -2.5 is truncated, 42.5 is the most
    EXPECT_DOUBLE_EQ(means[2].low, 10);
    EXPECT_DOUBLE_EQ(means[2].high, 31.25);
}

TEST(InflowRangeTest, WithoutNoiseNothingIsTruncated) {
    const auto means = means_of(one_plant(2, -10, 0, {0.5}, 0));
    EXPECT_DOUBLE_EQ(means[1].low, -15);
    EXPECT_DOUBLE_EQ(means[1].high, -15);
}

// Bounds by lag alone would grow by 1.8 a stage; the process itself forgets.
TEST(InflowRangeTest, DoesNotGrowWhereCoefficientsAlternate) {
    const auto means = means_of(one_plant(60, 400, 10, {1.2, -0.6}, 1000));
    EXPECT_GT(means.back().low, 900);
    EXPECT_LT(means.back().high, 1100);
}

TEST(InflowRangeTest, OnlyTruncationWithMemoryNeedsIt) {
    auto process = one_plant(2, 10, 15, {0.5}, 20);
    process.non_negativity = NonNegativity::penalty;
    EXPECT_TRUE(inflow_means(process).empty());
    process.non_negativity = NonNegativity::truncation_with_penalty;
    EXPECT_FALSE(inflow_means(process).empty());
    EXPECT_TRUE(inflow_means(one_plant(2, 10, 15, {}, 0)).empty());
}

TEST(InflowRangeTest, ABoundIsOneUnlessTangentsMeetTruncatedInflows) {
    auto process = one_plant(3, 10, 15, {0.5}, 20);
    EXPECT_TRUE(has_valid_bound(Calendar(), process));
    process.bound_slopes = BoundSlopes::tangent;
    EXPECT_FALSE(has_valid_bound(Calendar(), process));
    process.non_negativity = NonNegativity::none;
    EXPECT_TRUE(has_valid_bound(Calendar(), process));
    process = one_plant(2, 10, 5, {0.5}, 20);
    process.bound_slopes = BoundSlopes::tangent;
    EXPECT_TRUE(has_valid_bound(Calendar(), process));  // no path is truncated
}

TEST(InflowRangeTest, ABoundIsNoneWhereCutsLeaveOutWhatTheCostDependsOn) {
    auto process = one_plant(3, 10, 5, {0.5}, 20);
    Calendar calendar;
    calendar.stages.resize(3);
    EXPECT_TRUE(has_valid_bound(calendar, process));
    calendar.stages[0].storage_in_cuts = calendar.stages[0].lags_in_cuts = false;
    EXPECT_TRUE(has_valid_bound(calendar, process));  // there are no cuts before the first stage
    calendar.stages[2].lags_in_cuts = false;
    EXPECT_FALSE(has_valid_bound(calendar, process));
    EXPECT_EQ(stages_of_partial_cuts(calendar, process), std::vector<int>{2});
    process.inflow.stages[2].lag = {0};
    EXPECT_TRUE(has_valid_bound(calendar, process));  // nothing from stage 2 on remembers
    process.inflow.stages[2].lag = {0.5};
    process.tree.count = {1, 1, 1};
    EXPECT_TRUE(has_valid_bound(calendar, process));  // all paths have the same lags
    calendar.stages[1].storage_in_cuts = false;
    EXPECT_FALSE(has_valid_bound(calendar, process));
}

TEST(InflowRangeTest, NamesPlantsThatAreTruncatedOnSomePath) {
    EXPECT_EQ(truncated_hydros(one_plant(3, 10, 15, {0.5}, 20)), std::vector<int>{0});
    EXPECT_TRUE(truncated_hydros(one_plant(2, 10, 5, {0.5}, 20)).empty());
    // truncated always, so that all paths are alike
    EXPECT_TRUE(truncated_hydros(one_plant(3, -90, 5, {0.5}, 0)).empty());
}

/// A process of several plants and lags, of coefficients of either sign.
Process random_process(std::uint64_t seed) {
    test::Dice dice(seed);
    Process process;
    process.non_negativity = NonNegativity::truncation;
    auto& model = process.inflow;
    model.hydros = process.layout.hydros = process.tree.dimension = dice.integer(1, 3);
    model.lags = dice.integer(1, 3);
    for (int i = 0; i < model.hydros * model.lags; ++i) {
        model.initial_lags.push_back(dice.uniform(0, 50));
    }
    for (int t = 0; t < 5; ++t) {
        auto& stage = model.stages.emplace_back();
        for (int h = 0; h < model.hydros; ++h) {
            stage.base.push_back(dice.uniform(-5, 30));
            stage.scale.push_back(dice.chance(0.2) ? 0 : dice.uniform(1, 30));
        }
        for (int i = 0; i < model.hydros * model.lags; ++i) {
            stage.lag.push_back(dice.uniform(-0.6, 0.9));
        }
        process.tree.count.push_back(dice.integer(1, 3));
        auto& noise = process.tree.values.emplace_back();
        for (int i = 0; i < process.tree.count.back() * model.hydros; ++i) {
            noise.push_back(dice.uniform(-2, 2));
        }
    }
    return process;
}

/// Visits every path from `stage` on with `lags` before it.
template <typename F>
void visit(const Process& process, int stage, const std::vector<double>& lags, const F& f) {
    if (stage == static_cast<int>(process.inflow.stages.size())) {
        return;
    }
    const auto& model = process.inflow.stages[at(stage)];
    const auto hydros = at(process.inflow.hydros);
    std::vector<double> mean(model.base.begin(), model.base.end());
    for (std::size_t i = 0; i < lags.size(); ++i) {
        mean[i % hydros] += model.lag[i] * lags[i];
    }
    f(stage, mean);
    for (int opening = 0; opening < process.tree.count[at(stage)]; ++opening) {
        auto next = lags;
        std::copy_backward(lags.begin(), lags.end() - process.inflow.hydros, next.end());
        for (std::size_t h = 0; h < hydros; ++h) {
            next[h] = mean[h] + model.scale[h] * process.tree.noise(stage, opening)[h];
            if (model.scale[h] > 0) {
                next[h] = std::max(next[h], 0.0);
            }
        }
        visit(process, stage + 1, next, f);
    }
}

TEST(InflowRangeTest, HoldsTheMeansOfAllPaths) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const auto process = random_process(seed);
        const auto ranges = inflow_means(process);
        visit(process, 0, process.inflow.initial_lags, [&](int t, std::span<const double> mean) {
            for (std::size_t h = 0; h < mean.size(); ++h) {
                EXPECT_GE(mean[h], ranges[at(t)][h].low - 1e-9) << seed << ", stage " << t;
                EXPECT_LE(mean[h], ranges[at(t)][h].high + 1e-9) << seed << ", stage " << t;
            }
        });
    }
}

TEST(AffineSupportTest, LiesBelowAndTouchesWhereItCan) {
    test::Dice dice(1);
    for (int i = 0; i < 200; ++i) {
        const double low = dice.uniform(-10, 5);
        const Interval range{low, low + dice.uniform(0, 10)};
        const double weight = dice.uniform(-1, 1);
        const double here = dice.uniform(range.low, range.high);
        const auto support = support_of_truncated(weight, here, range);
        const auto excess = [&](double f) {
            return weight * (support.slope * f + support.constant - std::max(0.0, f));
        };
        for (int k = 0; k <= 20; ++k) {
            EXPECT_LE(excess(range.low + k * (range.high - range.low) / 20), 1e-12);
        }
        if (weight >= 0) {
            EXPECT_NEAR(excess(here), 0, 1e-12);
        } else {
            EXPECT_NEAR(excess(range.low), 0, 1e-12);
            EXPECT_NEAR(excess(range.high), 0, 1e-12);
        }
    }
}

TEST(AffineSupportTest, WhereNothingChangesItIsExact) {
    EXPECT_EQ(support_of_truncated(-1, 2, {0, 5}).slope, 1);
    EXPECT_EQ(support_of_truncated(-1, 2, {0, 5}).constant, 0);
    EXPECT_EQ(support_of_truncated(-1, -2, {-5, 0}).slope, 0);
    EXPECT_EQ(support_of_truncated(-1, -2, {-5, 0}).constant, 0);
    EXPECT_EQ(support_of_truncated(1, -2, {-5, 5}).slope, 0);
    EXPECT_EQ(support_of_truncated(1, 2, {-5, 5}).slope, 1);
}

}  // namespace
}  // namespace lockstep::sddp
