#include "lockstep/rl/environments/open_grid.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

#include "support/value_iteration.hpp"

namespace lockstep::rl {
namespace {

TEST(OpenGridTest, AStateIsWorthItsDistance) {
    constexpr int size = 7;
    const Model model = *OpenGrid(size).model();
    const auto plain = test::ValueIteration(model, 1).optimal();
    const auto discounted = test::ValueIteration(model, 0.9).optimal();
    for (int s = 0; s < size * size; ++s) {
        const int distance = 2 * (size - 1) - s / size - s % size;
        EXPECT_EQ(plain[at(s)], -distance);
        EXPECT_NEAR(discounted[at(s)], -(1 - std::pow(0.9, distance)) / 0.1, 1e-12);
    }
}

// 16.8 million states, of which none is stored.
TEST(OpenGridTest, ALargeOneCostsNothing) {
    const OpenGrid rules(4096);
    StepDraws draws = Streams(1, "test").at(0, 0);
    auto episode = rules.reset(draws);
    int steps = 0;
    for (bool ended = false; !ended; ++steps) {
        ended = rules.step(episode, steps % 2 + 1, draws).ended();
    }
    EXPECT_EQ(steps, 2 * 4095);
    EXPECT_EQ(rules.states(), 16'777'216);
}

TEST(OpenGridTest, RefusesASizeWithoutAWay) {
    EXPECT_THROW(static_cast<void>(OpenGrid(1)), InputError);
    EXPECT_THROW(static_cast<void>(OpenGrid(50'000)), InputError);
}

}  // namespace
}  // namespace lockstep::rl
