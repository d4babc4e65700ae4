#include "sddp/passes/bounds/stopping.hpp"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace lockstep::sddp {
namespace {

using Kind = StoppingRule::Kind;

TrainOptions with(std::vector<StoppingRule> rules, bool all = false) {
    TrainOptions options;
    options.stopping = std::move(rules);
    options.stop_when_all = all;
    return options;
}

const StoppingRule ten{Kind::iteration_limit, 10, 0, 0};
const StoppingRule minute{Kind::time_limit, 0, 60, 0};
const StoppingRule stalled{Kind::bound_stalling, 2, 0, 1e-3};

/// Iterations with these bounds, whose trajectories cost `above` more than the bound and vary by
/// `std` between four of them.
std::vector<IterationReport> iterations(const std::vector<double>& bounds,
                                        double above = 0,
                                        double std = 0) {
    std::vector<IterationReport> reports;
    for (const double bound : bounds) {
        auto& report = reports.emplace_back();
        report.lower_bound = bound;
        report.upper_bound = bound + above;
        report.upper_bound_std = std;
        report.half_width_95 = 1.96 * std / 2;
    }
    return reports;
}

std::optional<StopReason> stop(const TrainOptions& options,
                               const std::vector<double>& bounds,
                               double seconds = 0) {
    return should_stop(options, {iterations(bounds), seconds});
}

TEST(StoppingTest, IterationLimitHoldsAtTheLimit) {
    EXPECT_FALSE(stop(with({ten}), std::vector<double>(9, 1.0)));
    EXPECT_EQ(stop(with({ten}), std::vector<double>(10, 1.0)), StopReason::iteration_limit);
}

TEST(StoppingTest, TimeLimitHoldsFromItsSecondOn) {
    EXPECT_FALSE(stop(with({ten, minute}), {1.0}, 59.9));
    EXPECT_EQ(stop(with({ten, minute}), {1.0}, 60), StopReason::time_limit);
}

TEST(StoppingTest, StallingComparesExactlyItsWindowBack) {
    EXPECT_FALSE(stop(with({ten, stalled}), {100.0, 100.0}));
    EXPECT_FALSE(stop(with({ten, stalled}), {90.0, 100.0, 100.0}));
    EXPECT_EQ(stop(with({ten, stalled}), {90.0, 100.0, 100.0, 100.05}), StopReason::bound_stalling);
}

TEST(StoppingTest, AWindowOfOneDoesNotFireAtTheFirstIteration) {
    EXPECT_FALSE(stop(with({ten, {Kind::bound_stalling, 1, 0, 1e-3}}), {5.0}));
}

TEST(StoppingTest, ABoundOfZeroHasNotBegunToMove) {
    EXPECT_FALSE(stop(with({ten, stalled}), std::vector<double>(9, 0.0)));
    EXPECT_FALSE(stop(with({ten, stalled}), {0, 0, 0, 1e-7, 1e-7, 1e-7}));
    EXPECT_EQ(stop(with({ten, stalled}), {0, 0, 0, 50, 50, 50}), StopReason::bound_stalling);
}

TEST(StoppingTest, ABoundThatNeverMovedNeedsCostsThatAgree) {
    const auto options = with({ten, stalled});
    const std::vector<double> still(5, 100.0);
    EXPECT_EQ(should_stop(options, {iterations(still)}), StopReason::bound_stalling);
    EXPECT_FALSE(should_stop(options, {iterations(still, 40)}));
    // five times four trajectories whose costs vary by 200 $: 40 $ are chance
    EXPECT_EQ(should_stop(options, {iterations(still, 40, 200)}), StopReason::bound_stalling);
    // one that has moved needs them no more
    EXPECT_EQ(should_stop(options, {iterations({1, 100, 100, 100}, 40)}),
              StopReason::bound_stalling);
}

TEST(StoppingTest, CostsSayNothingOfABoundThatIsAverseToRisk) {
    EXPECT_EQ(should_stop(with({ten, stalled}),
                          {iterations(std::vector<double>(5, 100.0), 40), 0, false}),
              StopReason::bound_stalling);
}

TEST(StoppingTest, AChangeOfTheAbsoluteToleranceIsNone) {
    auto rule = stalled;
    rule.tolerance = 0;
    EXPECT_FALSE(stop(with({ten, rule}), {1, 100, 100, 100}));
    rule.absolute_tolerance = 3;
    EXPECT_EQ(stop(with({ten, rule}), {1, 100, 100, 103}), StopReason::bound_stalling);
    EXPECT_FALSE(stop(with({ten, rule}), {1, 100, 100, 103.5}));
    EXPECT_FALSE(stop(with({ten, rule}), {0, 2, 2, 2}));  // and from 0 neither
}

TEST(StoppingTest, StallingWaitsForItsLeastIterations) {
    auto rule = stalled;
    rule.min_iterations = 6;
    EXPECT_FALSE(stop(with({ten, rule}), {1, 100, 100, 100, 100}));
    EXPECT_EQ(stop(with({ten, rule}), {1, 100, 100, 100, 100, 100}), StopReason::bound_stalling);
}

TEST(StoppingTest, StallingWaitsForTheGapThatItAllows) {
    auto rule = stalled;
    rule.max_gap = 0.1;
    const std::vector<double> bounds{1, 100, 100, 100};
    EXPECT_FALSE(should_stop(with({ten, rule}), {iterations(bounds, 11)}));
    EXPECT_EQ(should_stop(with({ten, rule}), {iterations(bounds, 9)}), StopReason::bound_stalling);
    // the mean of two times four costs has a half width of 1.96·10/√8 = 6.9
    EXPECT_EQ(should_stop(with({ten, rule}), {iterations(bounds, 16, 10)}),
              StopReason::bound_stalling);
    EXPECT_FALSE(should_stop(with({ten, rule}), {iterations(bounds, 18, 10)}));
}

TEST(StoppingTest, HasConvergedOnlyWhereTheGapIsNarrow) {
    const std::vector<double> bounds{1, 100, 100, 100};
    EXPECT_TRUE(has_converged(with({ten, stalled}), {iterations(bounds, 0.9)}));
    EXPECT_FALSE(has_converged(with({ten, stalled}), {iterations(bounds, 1.1)}));
    EXPECT_TRUE(has_converged(with({ten, stalled}), {iterations(bounds, 1.1), 0, false}));
    EXPECT_FALSE(has_converged(with({ten}), {iterations(bounds)}));
    EXPECT_FALSE(has_converged(with({ten, stalled}), {iterations({1, 2, 3, 4})}));
    auto rule = stalled;
    rule.max_gap = 0.1;
    EXPECT_TRUE(has_converged(with({ten, rule}), {iterations(bounds, 9)}));
}

TEST(StoppingTest, AllWaitsForEveryRuleButTheLimit) {
    const auto options = with({ten, minute, stalled}, true);
    EXPECT_FALSE(stop(options, std::vector(3, 100.0), 10));
    EXPECT_FALSE(stop(options, {1.0, 50.0, 100.0}, 99));
    EXPECT_EQ(stop(options, std::vector(3, 100.0), 99), StopReason::bound_stalling);
    EXPECT_EQ(stop(options, std::vector(10, 100.0), 10), StopReason::iteration_limit);
}

TEST(StoppingTest, TheLargestLimitEndsWhenAllMustHold) {
    const auto options = with({ten, {Kind::iteration_limit, 20, 0, 0}}, true);
    EXPECT_FALSE(stop(options, std::vector(15, 1.0)));
    EXPECT_EQ(stop(options, std::vector(20, 1.0)), StopReason::iteration_limit);
}

}  // namespace
}  // namespace lockstep::sddp
