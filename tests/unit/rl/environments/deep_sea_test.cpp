#include "lockstep/rl/environments/deep_sea.hpp"

#include <string>

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

#include "support/optimal_values.hpp"

namespace lockstep::rl {
namespace {

using test::member;
using test::number;

TEST(DeepSeaTest, IsWorthWhatIsPublishedWithoutChance) {
    const io::Json golden = test::rl_data("golden.json");
    for (const std::int32_t size : {2, 10, 50}) {
        const Model model = *DeepSea({.size = size}).model();
        EXPECT_NEAR(test::ValueIteration(model, 1).optimal()[0],
                    number(member(golden, {"deep_sea", "deterministic"})),
                    1e-9);
    }
}

// The published value is that of always steering right. It is not the optimum: after a failure the
// treasure is out of reach, and who stops steering right saves what is left of the cost.
TEST(DeepSeaTest, AlwaysRightIsWorthWhatIsPublishedWithChance) {
    const io::Json golden = test::rl_data("golden.json");
    for (const std::int32_t size : {10, 20, 50, 100}) {
        const DeepSea rules({.size = size, .stochastic = true});
        const Model model = *rules.model();
        const test::ValueIteration oracle(model, 1);
        const auto always = [&](int s, int a) { return rules.is_right(s, a) ? 1.0 : 0.0; };
        const double published =
            number(member(golden, {"deep_sea", "stochastic", std::to_string(size)}));
        EXPECT_NEAR(oracle.of(always)[0], published, 1e-9);
        const double success = 1 - 1.0 / size;
        const double first_failure = size * (1 - std::pow(success, size));  // rights until then
        EXPECT_NEAR(oracle.optimal()[0], published + 0.01 - 0.01 / size * first_failure, 1e-9);
    }
}

TEST(DeepSeaTest, RandomPlayFindsTheTreasureOnceInTwoToTheSize) {
    const Model model = *DeepSea({.size = 8}).model();
    const test::ValueIteration oracle(model, 1);
    const double cost = 0.01 / 8 * 4;  // every other step goes right
    EXPECT_NEAR(oracle.of(test::random_policy(model))[0], 1.0 / 256 - cost, 1e-12);
}

TEST(DeepSeaTest, TheSeedDecidesWhichActionIsRight) {
    int differ = 0;
    for (std::int32_t s = 0; s < 100; ++s) {
        const DeepSea rules;
        EXPECT_NE(rules.is_right(s, 0), rules.is_right(s, 1));
        differ +=
            static_cast<int>(rules.is_right(s, 0) != DeepSea({.mapping_seed = 43}).is_right(s, 0));
    }
    EXPECT_GT(differ, 20);
    EXPECT_THROW(static_cast<void>(DeepSea({.size = 1})), InputError);
}

}  // namespace
}  // namespace lockstep::rl
