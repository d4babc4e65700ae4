#include "lockstep/rl/environment.hpp"

#include <gtest/gtest.h>

#include "lockstep/rl/environments/registry.hpp"
#include "lockstep/rl/numpy_random.hpp"

namespace lockstep::rl {
namespace {

static_assert(Modelled<TicTacToe> && Modelled<TimeLimit<FrozenLake>>);
static_assert(Generated<Garnet> && Generated<OpenGrid> && !Generated<TicTacToe>);
static_assert(Draws<StepDraws> && Draws<NumpyRandom>);

TEST(EnvironmentTest, MasksHoldAllActionsUpToSixtyFour) {
    EXPECT_EQ(all_actions(1), 1U);
    EXPECT_EQ(all_actions(9), 0x1FFU);
    EXPECT_EQ(all_actions(64), ~ActionMask{0});
}

TEST(EnvironmentTest, FindsTheNthAction) {
    const ActionMask mask = 0x8000000000000052U;  // 1, 4, 6, 63
    EXPECT_EQ(nth_action(mask, 0), 1);
    EXPECT_EQ(nth_action(mask, 1), 4);
    EXPECT_EQ(nth_action(mask, 2), 6);
    EXPECT_EQ(nth_action(mask, 3), 63);
}

// What a user writes: rules with an Episode, five functions, nothing to derive from.
struct Coin {
    using Episode = PlainEpisode;
    [[nodiscard]] int states() const { return 1; }
    [[nodiscard]] int actions() const { return 2; }
    [[nodiscard]] ActionMask mask(int /*s*/) const { return all_actions(2); }
    [[nodiscard]] std::string describe() const { return "guess a coin"; }
    template <Draws D>
    [[nodiscard]] Episode reset(D& /*draws*/) const {
        return {};
    }
    template <Draws D>
    Step step(Episode& /*episode*/, int action, D& draws) const {
        return {0, draws.below(2) == static_cast<std::uint32_t>(action) ? 1.0 : 0.0, true, false};
    }
};
static_assert(Environment<Coin> && !Modelled<Coin>);

TEST(EnvironmentTest, TakesTheRulesOfAUser) {
    const TimeLimit<Coin> rules(Coin{}, 10);
    StepDraws draws = Streams(1, "test").at(0, 0);
    auto episode = rules.reset(draws);
    EXPECT_EQ(legal_actions(rules, episode), 3U);
    EXPECT_TRUE(rules.step(episode, 0, draws).terminated);
}

}  // namespace
}  // namespace lockstep::rl
