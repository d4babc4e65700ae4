#include "support/rl/battery.hpp"

#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lockstep/rl/environments/registry.hpp"

#include "support/chi_square.hpp"

// What every environment has to stand: random legal play, looked at against its exact model.

namespace lockstep::rl {
namespace {

struct Candidate {
    const char* name;
    EnvironmentOptions options;
};

void PrintTo(const Candidate& candidate, std::ostream* out) {
    *out << candidate.name;
    for (const auto& [name, value] : candidate.options) {
        *out << " " << name << "=" << value;
    }
}

std::vector<Candidate> candidates() {
    return {{"tictactoe", {}},
            {"TicTacToe-selfplay", {}},
            {"FrozenLake-v1", {}},
            {"FrozenLake-v1", {{"is_slippery", "false"}}},
            {"FrozenLake-v1", {{"success_rate", "0.8"}, {"reward_schedule", "3,-1,-0.125"}}},
            {"FrozenLake-v1", {{"map_name", "random"}, {"size", "5"}, {"map_seed", "4"}}},
            {"FrozenLake-v1", {{"desc", "SFSF/FFGH"}}},
            {"FrozenLake8x8-v1", {}},
            {"CliffWalking-v1", {}},
            {"CliffWalkingSlippery-v1", {}},
            {"Taxi-v4", {}},
            {"Taxi-v4", {{"is_rainy", "true"}}},
            {"Taxi-v4", {{"is_rainy", "true"}, {"action_mask", "true"}}},
            {"Taxi-v4", {{"fickle_passenger", "true"}}},
            {"Blackjack-v1", {}},
            {"Blackjack-v1", {{"sab", "false"}}},
            {"Blackjack-v1", {{"sab", "false"}, {"natural", "true"}}},
            {"bandit", {}},
            {"bandit", {{"shows_step", "true"}, {"episode_length", "4"}}},
            {"deepsea", {{"size", "4"}}},
            {"deepsea", {{"size", "5"}, {"stochastic", "true"}}},
            {"garnet", {}},
            {"garnet", {{"states", "7"}, {"actions", "64"}, {"branches", "3"}, {"seed", "9"}}},
            {"opengrid", {{"size", "5"}}},
            {"inventory", {}},
            {"reservoir", {{"stages", "3"}, {"most_volume", "6"}, {"first_volume", "2"}}},
            {"reservoir", {{"stages", "0"}, {"inflows", "0,3,7"}}}};
}

class BatteryTest : public testing::TestWithParam<Candidate> {
protected:
    [[nodiscard]] static AnyEnvironment make() {
        return make_environment(GetParam().name, GetParam().options);
    }
    // Is part of what decides not in the state, or are there two players?
    [[nodiscard]] static bool has_no_model() {
        const EnvironmentOptions& options = GetParam().options;
        return GetParam().name == std::string("TicTacToe-selfplay") ||
               options.contains("fickle_passenger") ||
               (GetParam().name == std::string("bandit") && !options.contains("shows_step"));
    }
};

TEST_P(BatteryTest, StatesActionsAndMasksStayInTheirRanges) {
    with_environment(make(), [](const auto& rules) { test::expect_ranges(rules); });
}

TEST_P(BatteryTest, AnEpisodeKnowsTheMaskOfItsState) {
    with_environment(make(), [](const auto& rules) { test::expect_masks_of_episodes(rules); });
}

TEST_P(BatteryTest, ASeedGivesOneGameAndAnotherSeedAnother) {
    with_environment(make(), [](const auto& rules) { test::expect_seeds(rules); });
}

TEST_P(BatteryTest, AnEpisodeGoesOnFromItsBytes) {
    with_environment(make(), [](const auto& rules) { test::expect_episodes_are_bytes(rules); });
}

TEST_P(BatteryTest, ItsTimeLimitCutsEpisodesAndLosesNoSuccessor) {
    EnvironmentOptions options = GetParam().options;
    options["max_episode_steps"] = "3";
    with_environment(make_environment(GetParam().name, options), [](const auto& rules) {
        int steps = 0;
        bool was_cut = false;
        test::play(
            rules, 2, 2'000, test::nothing, [&](std::int32_t /*s*/, int /*a*/, const Step& step) {
                ++steps;
                ASSERT_EQ(step.truncated, steps == 3);
                was_cut |= step.truncated;
                steps = step.ended() ? 0 : steps;
            });
        EXPECT_TRUE(was_cut || rules.states() == 704);  // hands of three hits are rare, but are
    });
}

TEST_P(BatteryTest, EpisodesEndWhereTheyAreMeantTo) {
    with_environment(make(), [](const auto& rules) {
        const std::string name = GetParam().name;
        int ended = 0;
        test::play(
            rules, 3, 60'000, test::nothing, [&](std::int32_t /*s*/, int /*a*/, const Step& step) {
                ended += static_cast<int>(step.ended());
            });
        const auto stages = GetParam().options.find("stages");
        const bool is_endless = name == "garnet" || name == "inventory" ||
                                (stages != GetParam().options.end() && stages->second == "0");
        EXPECT_EQ(ended == 0, is_endless);
    });
}

TEST_P(BatteryTest, ItsModelHasItsMasks) {
    with_environment(make(), [](const auto& rules) {
        const std::optional<Model> model = rules.model();
        EXPECT_EQ(!model.has_value(), has_no_model());
        if (model) {
            test::expect_masks_of_model(rules, *model);
        }
    });
}

TEST_P(BatteryTest, FrequenciesAreThoseOfTheModel) {
    with_environment(make(), [](const auto& rules) {
        const std::optional<Model> model = rules.model();
        EXPECT_EQ(!model.has_value(), has_no_model());
        if (model) {
            test::expect_frequencies(rules, *model);
        }
    });
}

// A wrong model is found: the test above can fail.
TEST(BatteryItselfTest, FindsAProbabilityThatIsOffByATwentieth) {
    test::ChiSquare chi_square;
    for (int i = 0; i < 20; ++i) {
        chi_square.add({3'500, 3'250, 3'250}, {1.0 / 3, 1.0 / 3, 1.0 / 3});
    }
    EXPECT_EQ(chi_square.freedom(), 40);
    EXPECT_GT(chi_square.statistic(), chi_square.bound(test::false_alarm));
}

TEST_P(BatteryTest, NumpysGeneratorPlaysItToo) {
    with_environment(make(), [](const auto& rules) { test::expect_other_generator(rules); });
}

TEST_P(BatteryTest, AVectorsCopiesAreIndependentOfTheirNumber) {
    with_environment(make(), [](const auto& rules) { test::expect_independent_copies(rules); });
}

INSTANTIATE_TEST_SUITE_P(Environments,
                         BatteryTest,
                         testing::ValuesIn(candidates()),
                         [](const auto& tested) {
                             std::string name = tested.param.name;
                             std::erase(name, '-');
                             return fmt::format("{}_{}", name, tested.index);
                         });

}  // namespace
}  // namespace lockstep::rl
