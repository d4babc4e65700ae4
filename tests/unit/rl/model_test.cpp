#include "lockstep/rl/model.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

namespace lockstep::rl {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

// Two states: stay in 0, or try to leave it.
ModelBuilder a_walk() {
    ModelBuilder builder(2, 2);
    builder.add(0, 1, {0.75, 1, 2.0, true});
    builder.add(0, 0, {1.0, 0, -1.0, false});
    builder.add(0, 1, {0.25, 0, 0.0, false});
    builder.add_start({0, 1.0});
    return builder;
}

TEST(ModelTest, KeepsTheOrderOfAPairsOutcomes) {
    const Model model = a_walk().build();
    ASSERT_EQ(model.outcomes(0, 1).size(), 2U);
    EXPECT_EQ(model.outcomes(0, 1)[0].probability, 0.75);
    EXPECT_TRUE(model.outcomes(0, 1)[0].terminated);
    EXPECT_EQ(model.outcomes(0, 1)[1].next, 0);
    EXPECT_EQ(model.outcomes(0, 0)[0].reward, -1.0);
    EXPECT_EQ(model.size(), 3U);
}

TEST(ModelTest, TakesAPairWithoutOutcomesForIllegal) {
    const Model model = a_walk().build();
    EXPECT_TRUE(model.is_legal(0, 0));
    EXPECT_FALSE(model.is_legal(1, 0));
}

TEST(ModelTest, IsBuiltAsOftenAsOneLikes) {
    auto builder = a_walk();
    for (int i = 0; i < 2; ++i) {
        const Model model = builder.build();
        EXPECT_EQ(model.starts().size(), 1U);
        EXPECT_EQ(model.size(), 3U);
    }
}

TEST(ModelTest, NamesThePairWhoseProbabilitiesDoNotAddUp) {
    auto builder = a_walk();
    builder.add(1, 0, {0.5, 0, 0.0, false});
    EXPECT_THAT([&] { static_cast<void>(builder.build()); },
                ThrowsMessage<InputError>(
                    HasSubstr("state 1, action 0: the probabilities add up to 0.5, must be 1")));
}

TEST(ModelTest, RefusesToGoOnInAStateWithoutActions) {
    auto builder = a_walk();
    builder.add(1, 1, {1.0, 1, 0.0, true});
    EXPECT_NO_THROW(static_cast<void>(builder.build()));
    ModelBuilder stuck(2, 1);
    stuck.add(0, 0, {1.0, 1, 0.0, false});
    EXPECT_THAT([&] { static_cast<void>(stuck.build()); },
                ThrowsMessage<InputError>(HasSubstr("goes on to state 1, which has no legal")));
}

TEST(ModelTest, RefusesNumbersThatAreNone) {
    ModelBuilder builder(2, 1);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(builder.add(0, 0, {nan, 1, 0.0, false}), InputError);
    EXPECT_THROW(builder.add(0, 0, {1.5, 1, 0.0, false}), InputError);
    EXPECT_THROW(builder.add(0, 0, {0.0, 1, 0.0, false}), InputError);
    EXPECT_THROW(builder.add(0, 0, {1.0, 1, nan, false}), InputError);
    EXPECT_THROW(builder.add(0, 0, {1.0, 2, 0.0, false}), InputError);
    EXPECT_THROW(builder.add(0, 1, {1.0, 1, 0.0, false}), InputError);
    EXPECT_THROW(builder.add_start({-1, 1.0}), InputError);
    EXPECT_THROW(ModelBuilder(0, 1), InputError);
    EXPECT_THROW(ModelBuilder(1 << 30, 4), InputError);
}

}  // namespace
}  // namespace lockstep::rl
