#include "lockstep/rl/vector_environment.hpp"

#include <gtest/gtest.h>

#include "lockstep/rl/environments/bandit.hpp"
#include "lockstep/rl/environments/open_grid.hpp"
#include "lockstep/rl/time_limit.hpp"

namespace lockstep::rl {
namespace {

using Grid = TimeLimit<OpenGrid>;
using Flags = std::vector<std::uint8_t>;
using States = std::vector<std::int32_t>;

VectorEnvironment<Grid> two_grids(Autoreset autoreset) {
    return {Grid(OpenGrid(4), 2), 2, StreamSource(Streams(1, "test")), autoreset};
}

const States right_and_down{1, 2};

TEST(VectorEnvironmentTest, SameStepKeepsTheTrueSuccessorsAside) {
    auto grids = two_grids(Autoreset::same_step);
    grids.reset();
    grids.step(right_and_down);
    const StepArrays& now = grids.step(right_and_down);
    EXPECT_EQ(now.truncated, (Flags{1, 1}));
    EXPECT_EQ(now.states, (States{0, 0}));
    EXPECT_EQ(now.successors, (States{2, 8}));
    EXPECT_EQ(now.stepped, (Flags{1, 1}));
    EXPECT_EQ(grids.step(right_and_down).states, (States{1, 4}));
}

TEST(VectorEnvironmentTest, NextStepSpendsACallOnTheReset) {
    auto grids = two_grids(Autoreset::next_step);
    grids.reset();
    grids.step(right_and_down);
    EXPECT_EQ(grids.step(right_and_down).states, (States{2, 8}));
    const StepArrays& now = grids.step(right_and_down);
    EXPECT_EQ(now.states, (States{0, 0}));
    EXPECT_EQ(now.rewards, (std::vector<double>{0, 0}));
    EXPECT_EQ(now.truncated, (Flags{0, 0}));
    EXPECT_EQ(now.stepped, (Flags{0, 0}));
}

TEST(VectorEnvironmentTest, DisabledStandsUntilItIsReset) {
    auto grids = two_grids(Autoreset::disabled);
    grids.reset();
    grids.step(right_and_down);
    grids.step(right_and_down);
    EXPECT_EQ(grids.step(right_and_down).states, (States{2, 8}));
    EXPECT_EQ(grids.step(right_and_down).stepped, (Flags{0, 0}));
    const std::size_t second = 1;
    EXPECT_EQ(grids.reset({&second, 1}).states, (States{2, 0}));
    const StepArrays& now = grids.step(right_and_down);
    EXPECT_EQ(now.states, (States{2, 4}));
    EXPECT_EQ(now.stepped, (Flags{0, 1}));
}

}  // namespace
}  // namespace lockstep::rl
