#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"
#include "lockstep/rl/environments/registry.hpp"
#include "lockstep/rl/numpy_random.hpp"
#include "lockstep/rl/vector_environment.hpp"

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

// Plays random legal actions; calls visit(state, action, step) for each and begin(state) at starts.
template <Environment E, typename Begin, typename Visit>
void play(const E& rules, std::uint64_t seed, int steps, const Begin& begin, const Visit& visit) {
    const Streams streams(seed, "battery");
    StepDraws draws = streams.at(0, 0);
    auto episode = rules.reset(draws);
    begin(episode.state);
    for (int i = 1; i <= steps; ++i) {
        draws = streams.at(0, static_cast<std::uint64_t>(i));
        const ActionMask legal = legal_actions(rules, episode);
        const auto count = static_cast<std::uint32_t>(std::popcount(legal));
        ASSERT_GT(count, 0U) << "state " << episode.state << " goes on without a legal action";
        const int action = nth_action(legal, draws.below(count));
        const std::int32_t from = episode.state;
        const Step step = rules.step(episode, action, draws);
        ASSERT_EQ(step.next, episode.state);
        visit(from, action, step);
        if (step.ended()) {
            episode = rules.reset(draws);
            begin(episode.state);
        }
    }
}

constexpr auto nothing = [](std::int32_t /*state*/) {};

class BatteryTest : public testing::TestWithParam<Candidate> {
protected:
    [[nodiscard]] static AnyEnvironment make() {
        return make_environment(GetParam().name, GetParam().options);
    }
    // Is part of what decides not in the state?
    [[nodiscard]] static bool is_hidden() {
        const EnvironmentOptions& options = GetParam().options;
        return options.contains("fickle_passenger") ||
               (GetParam().name == std::string("bandit") && !options.contains("shows_step"));
    }
};

TEST_P(BatteryTest, StatesActionsAndMasksStayInTheirRanges) {
    with_environment(make(), [](const auto& rules) {
        ASSERT_GE(rules.states(), 1);
        ASSERT_LE(rules.actions(), 64);
        EXPECT_FALSE(rules.describe().empty());
        for (int s = 0; s < rules.states(); ++s) {
            EXPECT_EQ(rules.mask(s) & ~all_actions(rules.actions()), 0U) << "state " << s;
        }
        play(rules, 1, 5'000, nothing, [&](std::int32_t s, int a, const Step& step) {
            ASSERT_TRUE(s >= 0 && s < rules.states());
            ASSERT_TRUE(step.next >= 0 && step.next < rules.states());
            ASSERT_EQ(rules.mask(s) >> unsigned(a) & 1U, 1U);
            ASSERT_TRUE(std::isfinite(step.reward));
        });
    });
}

TEST_P(BatteryTest, AnEpisodeKnowsTheMaskOfItsState) {
    with_environment(make(), [](const auto& rules) {
        const Streams streams(4, "masks");
        for (std::uint32_t i = 0; i < 200; ++i) {
            StepDraws draws = streams.at(i, 0);
            auto episode = rules.reset(draws);
            for (std::uint64_t step = 1; step < 20; ++step) {
                ASSERT_EQ(legal_actions(rules, episode), rules.mask(episode.state));
                draws = streams.at(i, step);
                const int action = std::countr_zero(rules.mask(episode.state));
                if (rules.step(episode, action, draws).ended()) {
                    break;
                }
            }
        }
    });
}

template <Environment E>
std::vector<std::tuple<std::int32_t, int, std::int32_t, double, bool>> record(const E& rules,
                                                                              std::uint64_t seed) {
    std::vector<std::tuple<std::int32_t, int, std::int32_t, double, bool>> rows;
    play(rules, seed, 500, nothing, [&](std::int32_t s, int a, const Step& step) {
        rows.emplace_back(s, a, step.next, step.reward, step.ended());
    });
    return rows;
}

TEST_P(BatteryTest, ASeedGivesOneGameAndAnotherSeedAnother) {
    with_environment(make(), [](const auto& rules) {
        EXPECT_EQ(record(rules, 5), record(rules, 5));
        EXPECT_NE(record(rules, 5), record(rules, 6));
    });
}

// After a pause an episode goes on from its bytes: what a checkpoint keeps.
TEST_P(BatteryTest, AnEpisodeGoesOnFromItsBytes) {
    with_environment(make(), [](const auto& rules) {
        using Episode = typename std::decay_t<decltype(rules)>::Episode;
        const Streams streams(8, "bytes");
        StepDraws draws = streams.at(0, 0);
        Episode episode = rules.reset(draws);
        for (std::uint64_t i = 1; i < 200; ++i) {
            Episode copy;
            std::memcpy(&copy, &episode, sizeof copy);
            const int action = std::countr_zero(rules.mask(episode.state));
            StepDraws first = streams.at(0, i);
            StepDraws again = streams.at(0, i);
            const Step step = rules.step(episode, action, first);
            ASSERT_EQ(step, rules.step(copy, action, again));
            if (step.ended()) {
                episode = rules.reset(first);
            }
        }
    });
}

TEST_P(BatteryTest, ItsTimeLimitCutsEpisodesAndLosesNoSuccessor) {
    EnvironmentOptions options = GetParam().options;
    options["max_episode_steps"] = "3";
    with_environment(make_environment(GetParam().name, options), [](const auto& rules) {
        int steps = 0;
        bool was_cut = false;
        play(rules, 2, 2'000, nothing, [&](std::int32_t /*s*/, int /*a*/, const Step& step) {
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
        play(rules, 3, 60'000, nothing, [&](std::int32_t /*s*/, int /*a*/, const Step& step) {
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
        if (!model) {
            EXPECT_TRUE(is_hidden()) << "there must be a model";
            return;
        }
        ASSERT_EQ(model->states(), rules.states());
        ASSERT_EQ(model->actions(), rules.actions());
        for (int s = 0; s < rules.states(); ++s) {
            for (int a = 0; a < rules.actions(); ++a) {
                ASSERT_EQ(model->is_legal(s, a), (rules.mask(s) >> unsigned(a) & 1U) != 0)
                    << "state " << s << ", action " << a;
            }
        }
    });
}

using Seen = std::tuple<std::int32_t, double, bool>;

// Probabilities of what differs: outcomes that repeat a state are one.
std::map<Seen, double> expected_of(const Model& model, std::int32_t s, int a) {
    std::map<Seen, double> shares;
    for (const Outcome& outcome : model.outcomes(s, a)) {
        shares[{outcome.next, outcome.reward, outcome.terminated}] += outcome.probability;
    }
    return shares;
}

template <typename Key>
void compare(test::ChiSquare& chi_square,
             const std::map<Key, double>& shares,
             const std::map<Key, double>& counts) {
    std::vector<double> probabilities;
    std::vector<double> seen;
    for (const auto& [key, share] : shares) {
        probabilities.push_back(share);
        const auto place = counts.find(key);
        seen.push_back(place == counts.end() ? 0 : place->second);
    }
    for (const auto& [key, count] : counts) {
        ASSERT_TRUE(shares.contains(key)) << "an outcome that the model does not have";
    }
    chi_square.add(seen, probabilities);
}

// Each test of an environment alarms falsely with a probability of 1e-6: 26 environments with two
// draws of random numbers less than once in 19,000 choices of the seed.
constexpr double false_alarm = 1e-6;

void expect_fit(const test::ChiSquare& chi_square) {
    if (chi_square.freedom() > 0) {
        EXPECT_LT(chi_square.statistic(), chi_square.bound(false_alarm))
            << chi_square.freedom() << " degrees of freedom";
    }
}

TEST_P(BatteryTest, FrequenciesAreThoseOfTheModel) {
    with_environment(make(), [](const auto& rules) {
        const std::optional<Model> model = rules.model();
        if (!model) {
            EXPECT_TRUE(is_hidden()) << "there must be a model";
            return;
        }
        std::map<std::pair<std::int32_t, int>, std::map<Seen, double>> counts;
        std::map<std::int32_t, double> begun;
        play(
            rules,
            11,
            200'000,
            [&](std::int32_t s) { ++begun[s]; },
            [&](std::int32_t s, int a, const Step& step) {
                ++counts[{s, a}][{step.next, step.reward, step.terminated}];
            });
        test::ChiSquare outcomes;
        for (const auto& [pair, seen] : counts) {
            compare(outcomes, expected_of(*model, pair.first, pair.second), seen);
        }
        expect_fit(outcomes);
        std::map<std::int32_t, double> starts;
        for (const Start& start : model->starts()) {
            starts[start.state] += start.probability;
        }
        test::ChiSquare first_states;
        compare(first_states, starts, begun);
        expect_fit(first_states);
    });
}

// A wrong model is found: the test above can fail.
TEST(BatteryItselfTest, FindsAProbabilityThatIsOffByATwentieth) {
    test::ChiSquare chi_square;
    for (int i = 0; i < 20; ++i) {
        chi_square.add({3'500, 3'250, 3'250}, {1.0 / 3, 1.0 / 3, 1.0 / 3});
    }
    EXPECT_EQ(chi_square.freedom(), 40);
    EXPECT_GT(chi_square.statistic(), chi_square.bound(false_alarm));
}

// NumPy's generator drives the same code: the frequencies of another source.
TEST_P(BatteryTest, NumpysGeneratorPlaysItToo) {
    with_environment(make(), [](const auto& rules) {
        NumpyRandom random(3);
        auto episode = rules.reset(random);
        for (int i = 0; i < 2'000; ++i) {
            const Step step =
                rules.step(episode, std::countr_zero(rules.mask(episode.state)), random);
            ASSERT_TRUE(step.next >= 0 && step.next < rules.states());
            if (step.ended()) {
                episode = rules.reset(random);
            }
        }
    });
}

TEST_P(BatteryTest, AVectorsCopiesAreIndependentOfTheirNumber) {
    with_environment(make(), [](const auto& rules) {
        using Rules = std::decay_t<decltype(rules)>;
        const StreamSource source(Streams(6, "vector"));
        VectorEnvironment<Rules> three(rules, 3, source, Autoreset::same_step);
        VectorEnvironment<Rules> five(rules, 5, source, Autoreset::same_step);
        three.reset();
        five.reset();
        for (int i = 0; i < 100; ++i) {
            std::vector<std::int32_t> actions;
            for (std::size_t copy = 0; copy < 5; ++copy) {
                actions.push_back(std::countr_zero(five.mask(copy)));
            }
            const StepArrays& many = five.step(actions);
            const StepArrays& few = three.step(std::span(actions).first(3));
            for (std::size_t copy = 0; copy < 3; ++copy) {
                ASSERT_EQ(few.states[copy], many.states[copy]);
                ASSERT_EQ(few.successors[copy], many.successors[copy]);
                ASSERT_EQ(few.rewards[copy], many.rewards[copy]);
            }
        }
    });
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
