#include "lockstep/rl/environments/model_environment.hpp"

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/rl/environments/frozen_lake.hpp"
#include "lockstep/rl/numpy_random.hpp"

namespace lockstep::rl {
namespace {

// The model of an environment, played, is the environment.
TEST(ModelEnvironmentTest, PlaysWhatItsModelPlays) {
    const FrozenLake lake;
    const ModelEnvironment copy(*lake.model(), "lake");
    NumpyRandom one(5);
    NumpyRandom other(5);
    auto episode = lake.reset(one);
    auto same = copy.reset(other);
    for (int i = 0; i < 500; ++i) {
        ASSERT_EQ(episode.state, same.state);
        const Step step = lake.step(episode, i % 4, one);
        ASSERT_EQ(copy.step(same, i % 4, other), step);
        if (step.ended()) {
            episode = lake.reset(one);
            same = copy.reset(other);
        }
    }
}

TEST(ModelEnvironmentTest, BeginsWhereItCanWithoutStarts) {
    ModelBuilder builder(3, 2);
    builder.add(1, 1, {1.0, 2, 4.0, true});
    const ModelEnvironment rules(builder.build(), "own");
    StepDraws draws = Streams(1, "test").at(0, 0);
    auto episode = rules.reset(draws);
    EXPECT_EQ(episode.state, 1);
    EXPECT_EQ(rules.mask(0), 0U);
    EXPECT_EQ(rules.mask(1), 0b10U);
    EXPECT_EQ(rules.step(episode, 1, draws), (Step{2, 4, true, false}));
    EXPECT_EQ(rules.describe(), "own, 3 states, 2 actions");
}

TEST(ModelEnvironmentTest, RefusesWhatCannotBePlayed) {
    EXPECT_THROW(static_cast<void>(ModelEnvironment(ModelBuilder(2, 2).build(), "empty")),
                 InputError);
    ModelBuilder wide(1, 65);
    wide.add(0, 0, {1.0, 0, 0.0, false});
    const Model model = wide.build();
    EXPECT_THROW(static_cast<void>(ModelEnvironment(model, "wide")), InputError);
}

}  // namespace
}  // namespace lockstep::rl
