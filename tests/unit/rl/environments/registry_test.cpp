#include "lockstep/rl/environments/registry.hpp"

#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

namespace lockstep::rl {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::string description(std::string_view name, const EnvironmentOptions& options = {}) {
    return with_environment(make_environment(name, options),
                            [](const auto& rules) { return rules.describe(); });
}

TEST(RegistryTest, MakesAllThatItLists) {
    std::set<std::string_view> names;
    for (const EnvironmentEntry& entry : environments()) {
        EXPECT_TRUE(names.insert(entry.name).second) << entry.name << " is listed twice";
        EXPECT_FALSE(entry.about.empty());
        EXPECT_FALSE(description(entry.name).empty());
        for (const std::string_view alias : entry.aliases) {
            EXPECT_TRUE(names.insert(alias).second) << alias << " is listed twice";
            EXPECT_EQ(description(alias), description(entry.name));
        }
    }
    EXPECT_EQ(environments().size(), 14U);
}

// A parameter given as its own fallback changes nothing, so what is printed is what is done.
TEST(RegistryTest, TakesEveryFallbackThatItPrints) {
    for (const EnvironmentEntry& entry : environments()) {
        EnvironmentOptions options;
        for (const EnvironmentParameter& parameter : entry.parameters) {
            EXPECT_FALSE(parameter.about.empty());
            EXPECT_FALSE(parameter.range.empty());
            if (!parameter.fallback.empty()) {
                options.emplace(parameter.name, parameter.fallback);
            }
        }
        EXPECT_EQ(description(entry.name, options), description(entry.name));
    }
}

TEST(RegistryTest, TimeLimitsAreGymnasiums) {
    const auto limit = [](std::string_view name) {
        return with_environment(make_environment(name),
                                [](const auto& rules) { return rules.max_steps(); });
    };
    EXPECT_EQ(limit("FrozenLake-v1"), 100);
    EXPECT_EQ(limit("FrozenLake8x8-v1"), 200);
    EXPECT_EQ(limit("Taxi-v3"), 200);
    EXPECT_EQ(limit("CliffWalking-v0"), 0);
    EXPECT_EQ(limit("Blackjack-v1"), 0);
}

TEST(RegistryTest, ReadsEachKindOfParameter) {
    EXPECT_EQ(description("frozenlake-V1", {{"desc", "SFF/FFG"}, {"success_rate", "4/5"}}),
              "FrozenLake, 2 x 3 cells, slippery, 0.8 as meant, at most 100 steps an episode");
    EXPECT_EQ(description("FrozenLake-v1",
                          {{"map_name", "random"}, {"size", "6"}, {"is_slippery", "false"}}),
              "FrozenLake, 6 x 6 cells, dry, at most 100 steps an episode");
    EXPECT_EQ(description("reservoir", {{"inflows", "0,3,7"}, {"stages", "0"}}),
              "reservoir of 20 units, 3 inflows, without end");
}

void expect_refusal(std::string_view name,
                    const EnvironmentOptions& options,
                    const char* first,
                    const char* second = "") {
    EXPECT_THAT([&] { static_cast<void>(make_environment(name, options)); },
                ThrowsMessage<InputError>(AllOf(HasSubstr(first), HasSubstr(second))));
}

TEST(RegistryTest, GuessesTheNameThatWasMeant) {
    expect_refusal(
        "FrozenLak-v1", {}, "no environment \"FrozenLak-v1\"; did you mean \"FrozenLake-v1\"?");
    expect_refusal("tictacto", {}, "did you mean \"tictactoe\"?");
    expect_refusal("chess",
                   {},
                   "no environment \"chess\". Known: tictactoe, TicTacToe-selfplay, Blackjack-v1");
}

TEST(RegistryTest, NamesTheParameterThatIsWrong) {
    expect_refusal("Taxi-v4",
                   {{"is_rany", "true"}},
                   "Taxi-v4: no parameter \"is_rany\"; did you mean \"is_rainy\"?",
                   "Known: is_rainy");
    expect_refusal(
        "Taxi-v4", {{"is_rainy", "yes"}}, "Taxi-v4: is_rainy \"yes\": must be true or false");
    expect_refusal("garnet", {{"states", "many"}}, "garnet: states \"many\": must be an integer");
    expect_refusal("garnet", {{"states", "99999999999"}}, "garnet: states");
    expect_refusal("garnet", {{"seed", "-1"}}, "seed \"-1\": must be an integer from 0");
    expect_refusal("garnet",
                   {{"max_episode_steps", "-1"}},
                   "max_episode_steps \"-1\": must be an integer from 0");
    expect_refusal("FrozenLake-v1",
                   {{"success_rate", "1/0"}},
                   "success_rate \"1/0\": must be a number, or a quotient of two");
    expect_refusal("FrozenLake-v1",
                   {{"success_rate", "2"}},
                   "FrozenLake-v1: success_rate 2: must be from 0 to 1");
    expect_refusal("FrozenLake-v1",
                   {{"reward_schedule", "1,0"}},
                   "reward_schedule \"1,0\": must be 3 numbers");
    expect_refusal("FrozenLake-v1", {{"map_name", "9x9"}}, "map_name \"9x9\": must be 4x4 or 8x8");
    expect_refusal("FrozenLake-v1", {{"desc", ""}}, "desc: has no cells");
    expect_refusal("reservoir", {{"inflows", "1,x"}}, "inflows \"x\": must be integers");
}

}  // namespace
}  // namespace lockstep::rl
