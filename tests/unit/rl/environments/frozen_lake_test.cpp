#include "lockstep/rl/environments/frozen_lake.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/rl/numpy_random.hpp"

#include "support/optimal_values.hpp"

namespace lockstep::rl {
namespace {

using test::array;
using test::member;
using test::number;
using testing::HasSubstr;
using testing::ThrowsMessage;

FrozenLake lake(const char* map, bool slippery) {
    return FrozenLake({.map = named_lake(map), .slippery = slippery});
}

TEST(FrozenLakeTest, ItsTableIsGymnasiums) {
    const io::Json optimal = test::rl_data("optimal.json");
    for (const bool slippery : {false, true}) {
        const char* const key = slippery ? "4x4_slippery" : "4x4_dry";
        test::expect_table(*lake("4x4", slippery).model(),
                           member(optimal, {"frozen_lake", key, "model"}));
    }
}

TEST(FrozenLakeTest, OptimalValuesAreThePublishedOnes) {
    const io::Json optimal = test::rl_data("optimal.json");
    for (const char* const map : {"4x4", "8x8"}) {
        for (const bool slippery : {false, true}) {
            const std::string key = std::string(map) + (slippery ? "_slippery" : "_dry");
            SCOPED_TRACE(key);
            test::expect_optimal_values(*lake(map, slippery).model(),
                                        member(optimal, {"frozen_lake", key}));
        }
    }
}

TEST(FrozenLakeTest, RandomPlaySucceedsAsSeldomAsPublished) {
    const io::Json golden = test::rl_data("golden.json");
    const std::pair<const char*, int> cases[] = {{"4x4", 100}, {"8x8", 200}};
    for (const auto& [map, limit] : cases) {
        const Model model = *lake(map, true).model();
        const test::ValueIteration oracle(model, 1);
        const auto values = oracle.within(limit, test::random_policy(model));
        EXPECT_NEAR(
            values[0],
            number(member(
                golden,
                {"frozen_lake", std::string(map) + "_slippery", "random_policy_within_horizon"})),
            1e-9);
    }
}

TEST(FrozenLakeTest, PaysByItsScheduleAndSlipsByItsRate) {
    const FrozenLake rules({.map = {"SH", "FG"},
                            .success_rate = 0.5,
                            .goal_reward = 3,
                            .hole_reward = -2,
                            .frozen_reward = -0.5});
    const Model model = *rules.model();
    const auto down = model.outcomes(0, 1);  // aside to the left, down, aside to the right
    ASSERT_EQ(down.size(), 3U);
    EXPECT_EQ(down[0].probability, 0.25);
    EXPECT_EQ(down[0].next, 0);
    EXPECT_EQ(down[0].reward, -0.5);
    EXPECT_EQ(down[1].probability, 0.5);
    EXPECT_EQ(down[1].next, 2);
    EXPECT_FALSE(down[1].terminated);
    EXPECT_EQ(down[2].next, 1);
    EXPECT_EQ(down[2].reward, -2);
    EXPECT_TRUE(down[2].terminated);
    EXPECT_EQ(model.outcomes(2, 2)[1].reward, 3);
}

TEST(FrozenLakeTest, BeginsOnEachStartAlike) {
    const Model model = *FrozenLake({.map = {"SFS", "GFF"}}).model();
    ASSERT_EQ(model.starts().size(), 2U);
    EXPECT_EQ(model.starts()[1].state, 2);
    EXPECT_EQ(model.starts()[1].probability, 0.5);
}

TEST(FrozenLakeTest, RandomLakesHaveAPathAndDifferBySeed) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const LakeMap map = random_lake(6, 0.6, seed);
        EXPECT_EQ(map, random_lake(6, 0.6, seed));
        EXPECT_NE(map, random_lake(6, 0.6, seed + 1));
        const Model model = *FrozenLake({.map = map, .slippery = false}).model();
        EXPECT_GT(test::ValueIteration(model, 0.9).optimal()[0], 0) << "seed " << seed;
    }
}

TEST(FrozenLakeTest, NamesTheOptionThatIsWrong) {
    const auto refuses = [](FrozenLakeOptions options, const char* message) {
        EXPECT_THAT([&] { static_cast<void>(FrozenLake(options)); },
                    ThrowsMessage<InputError>(HasSubstr(message)));
    };
    refuses({.map = {}}, "desc: has no cells");
    refuses({.map = {"SF", "F"}}, "desc: row 1 has 1 cells, row 0 has 2");
    refuses({.map = {"SX"}}, "desc: row 0 has \"X\", must be of S, F, H and G");
    refuses({.map = {"FG"}}, "desc: has no start S");
    refuses({.success_rate = 1.5}, "success_rate 1.5: must be from 0 to 1");
    refuses({.goal_reward = std::nan("")}, "reward nan: must be finite");
}

TEST(FrozenLakeTest, GivesUpMapsWithoutHope) {
    EXPECT_THAT([] { static_cast<void>(random_lake(300, 0.1, 1)); },
                ThrowsMessage<InputError>(HasSubstr("raise frozen_probability, now 0.1")));
    EXPECT_THROW(static_cast<void>(random_lake(1, 0.8, 1)), InputError);
    EXPECT_THROW(static_cast<void>(random_lake(4, 0, 1)), InputError);
    EXPECT_THROW(static_cast<void>(random_lake(4, std::nan(""), 1)), InputError);
}

}  // namespace
}  // namespace lockstep::rl
