#include "lockstep/rl/environments/bandit.hpp"

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

#include "support/optimal_values.hpp"

namespace lockstep::rl {
namespace {

TEST(BanditTest, PaysItsArmUntilTheEpisodeEnds) {
    const Bandit rules({.episode_length = 3});
    StepDraws draws = Streams(1, "test").at(0, 0);
    auto episode = rules.reset(draws);
    EXPECT_EQ(rules.step(episode, 1, draws), (Step{0, 1, false, false}));
    EXPECT_EQ(rules.step(episode, 0, draws), (Step{0, 0, false, false}));
    EXPECT_EQ(rules.step(episode, 1, draws), (Step{0, 1, true, false}));
}

TEST(BanditTest, IsWorthItsLengthWhereTheStepIsSeen) {
    const io::Json golden = test::rl_data("golden.json");
    const Model model = *Bandit({.episode_length = 10, .shows_step = true}).model();
    EXPECT_EQ(test::ValueIteration(model, 1).optimal()[0],
              test::number(test::member(golden, {"bandit", "optimal_return"})));
    EXPECT_FALSE(Bandit().model().has_value());
}

// What Q-learning comes to where the step is hidden: the end comes with probability 1 / length.
TEST(BanditTest, TheHiddenStepMakesThePublishedFixedPoint) {
    const io::Json golden = test::rl_data("golden.json");
    const Bandit rules;
    const Streams streams(1, "bandit");
    StepDraws draws = streams.at(0, 0);
    auto episode = rules.reset(draws);
    int ended = 0;
    for (int i = 0; i < 1'000; ++i) {
        if (rules.step(episode, 1, draws).ended()) {
            ++ended;
            episode = rules.reset(draws);
        }
    }
    const double share = ended / 1'000.0;
    EXPECT_NEAR(1 / (1 - 0.99 * (1 - share)),
                test::number(test::member(golden, {"bandit", "mean_field_Q1", "0.99"})),
                1e-9);
}

TEST(BanditTest, RefusesAnEpisodeWithoutSteps) {
    EXPECT_THROW(static_cast<void>(Bandit({.episode_length = 0})), InputError);
}

}  // namespace
}  // namespace lockstep::rl
