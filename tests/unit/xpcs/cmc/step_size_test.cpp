#include "xpcs/cmc/step_size.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace lockstep::xpcs::cmc {
namespace {

// By the formulas of the paper with t0 = 10, kappa = 0.75, gamma = 0.05.
TEST(StepSizeTest, TwoUpdatesByHand) {
    StepSize step(0.5, 0.8);
    step.restart();

    step.learn(0.6);
    const double error1 = 0.2 / 11;
    const double log1 = std::log(5.0) - error1 / 0.05;
    EXPECT_NEAR(std::log(step.value()), log1, 1e-14);

    step.learn(1.3);  // counts as 1
    const double error2 = (1 - 1.0 / 12) * error1 + (0.8 - 1) / 12;
    const double log2 = std::log(5.0) - error2 * std::sqrt(2.0) / 0.05;
    EXPECT_NEAR(std::log(step.value()), log2, 1e-14);

    step.settle();
    const double recent = std::pow(2.0, -0.75);
    EXPECT_NEAR(std::log(step.value()), recent * log2 + (1 - recent) * log1, 1e-14);
}

TEST(StepSizeTest, ReachesTheAcceptanceThatIsAskedFor) {
    StepSize step(1, 0.8);
    step.restart();
    for (int i = 0; i < 2000; ++i) {
        step.learn(std::exp(-3 * step.value()));
    }
    step.settle();
    EXPECT_NEAR(std::exp(-3 * step.value()), 0.8, 0.01);
}

TEST(StepSizeTest, WithoutUpdatesTheSizeStays) {
    StepSize step(0.25, 0.8);
    step.restart();
    step.settle();
    EXPECT_EQ(step.value(), 0.25);
}

}  // namespace
}  // namespace lockstep::xpcs::cmc
