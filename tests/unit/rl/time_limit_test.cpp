#include "lockstep/rl/time_limit.hpp"

#include <gtest/gtest.h>

#include "lockstep/rl/environments/bandit.hpp"
#include "lockstep/rl/environments/open_grid.hpp"

namespace lockstep::rl {
namespace {

TEST(TimeLimitTest, CutsAnEpisodeAndKeepsItsSuccessor) {
    const TimeLimit<OpenGrid> rules(OpenGrid(4), 2);
    StepDraws draws = Streams(1, "test").at(0, 0);
    auto episode = rules.reset(draws);
    EXPECT_EQ(rules.step(episode, 1, draws), (Step{1, -1, false, false}));
    EXPECT_EQ(rules.step(episode, 1, draws), (Step{2, -1, false, true}));
}

// Both flags, as in Gymnasium; who learns reads that as terminated.
TEST(TimeLimitTest, TheLastStepMayTerminateToo) {
    const TimeLimit<Bandit> rules(Bandit({.episode_length = 2}), 2);
    StepDraws draws = Streams(1, "test").at(0, 0);
    auto episode = rules.reset(draws);
    rules.step(episode, 1, draws);
    EXPECT_EQ(rules.step(episode, 1, draws), (Step{0, 1, true, true}));
}

TEST(TimeLimitTest, ZeroIsNone) {
    const TimeLimit<OpenGrid> rules(OpenGrid(4), 0);
    StepDraws draws = Streams(1, "test").at(0, 0);
    auto episode = rules.reset(draws);
    for (int i = 0; i < 1'000; ++i) {
        ASSERT_FALSE(rules.step(episode, 0, draws).ended());
    }
    EXPECT_EQ(rules.describe(), OpenGrid(4).describe());
}

}  // namespace
}  // namespace lockstep::rl
