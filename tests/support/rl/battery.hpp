#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/rl/environment.hpp"
#include "lockstep/rl/numpy_random.hpp"
#include "lockstep/rl/vector_environment.hpp"

#include "support/chi_square.hpp"

// What every environment has to stand, those of users too: random legal play, looked at against its
// exact model where it has one.

namespace lockstep::test {

// Plays random legal actions; calls visit(state, action, step) for each and begin(state) at starts.
template <rl::Environment E, typename Begin, typename Visit>
void play(const E& rules, std::uint64_t seed, int steps, const Begin& begin, const Visit& visit) {
    const rl::Streams streams(seed, "battery");
    rl::StepDraws draws = streams.at(0, 0);
    auto episode = rules.reset(draws);
    begin(episode.state);
    for (int i = 1; i <= steps; ++i) {
        draws = streams.at(0, static_cast<std::uint64_t>(i));
        const rl::ActionMask legal = rl::legal_actions(rules, episode);
        const auto count = static_cast<std::uint32_t>(std::popcount(legal));
        ASSERT_GT(count, 0U) << "state " << episode.state << " goes on without a legal action";
        const int action = rl::nth_action(legal, draws.below(count));
        const std::int32_t from = episode.state;
        const rl::Step step = rules.step(episode, action, draws);
        ASSERT_EQ(step.next, episode.state);
        visit(from, action, step);
        if (step.ended()) {
            episode = rules.reset(draws);
            begin(episode.state);
        }
    }
}

constexpr auto nothing = [](std::int32_t /*state*/) {};

/// States, actions, masks, rewards.
template <rl::Environment E>
void expect_ranges(const E& rules) {
    ASSERT_GE(rules.states(), 1);
    ASSERT_LE(rules.actions(), 64);
    EXPECT_FALSE(rules.describe().empty());
    for (int s = 0; s < rules.states(); ++s) {
        EXPECT_EQ(rules.mask(s) & ~rl::all_actions(rules.actions()), 0U) << "state " << s;
    }
    play(rules, 1, 5'000, nothing, [&](std::int32_t s, int a, const rl::Step& step) {
        ASSERT_TRUE(s >= 0 && s < rules.states());
        ASSERT_TRUE(step.next >= 0 && step.next < rules.states());
        ASSERT_EQ(rules.mask(s) >> unsigned(a) & 1U, 1U);
        ASSERT_TRUE(std::isfinite(step.reward));
    });
}

/// mask(episode) is mask(state).
template <rl::Environment E>
void expect_masks_of_episodes(const E& rules) {
    const rl::Streams streams(4, "masks");
    for (std::uint32_t i = 0; i < 200; ++i) {
        rl::StepDraws draws = streams.at(i, 0);
        auto episode = rules.reset(draws);
        for (std::uint64_t step = 1; step < 20; ++step) {
            ASSERT_EQ(rl::legal_actions(rules, episode), rules.mask(episode.state));
            draws = streams.at(i, step);
            const int action = std::countr_zero(rules.mask(episode.state));
            if (rules.step(episode, action, draws).ended()) {
                break;
            }
        }
    }
}

template <rl::Environment E>
std::vector<std::tuple<std::int32_t, int, std::int32_t, double, bool>> record(const E& rules,
                                                                              std::uint64_t seed) {
    std::vector<std::tuple<std::int32_t, int, std::int32_t, double, bool>> rows;
    play(rules, seed, 500, nothing, [&](std::int32_t s, int a, const rl::Step& step) {
        rows.emplace_back(s, a, step.next, step.reward, step.ended());
    });
    return rows;
}

/// A seed gives one game, another seed another.
template <rl::Environment E>
void expect_seeds(const E& rules) {
    EXPECT_EQ(record(rules, 5), record(rules, 5));
    EXPECT_NE(record(rules, 5), record(rules, 6));
}

/// After a pause an episode goes on from its bytes: what a checkpoint keeps.
template <rl::Environment E>
void expect_episodes_are_bytes(const E& rules) {
    using Episode = typename E::Episode;
    const rl::Streams streams(8, "bytes");
    rl::StepDraws draws = streams.at(0, 0);
    Episode episode = rules.reset(draws);
    for (std::uint64_t i = 1; i < 200; ++i) {
        Episode copy;
        std::memcpy(&copy, &episode, sizeof copy);
        const int action = std::countr_zero(rules.mask(episode.state));
        rl::StepDraws first = streams.at(0, i);
        rl::StepDraws again = streams.at(0, i);
        const rl::Step step = rules.step(episode, action, first);
        ASSERT_EQ(step, rules.step(copy, action, again));
        if (step.ended()) {
            episode = rules.reset(first);
        }
    }
}

/// The model's legal actions are those of the masks.
template <rl::Environment E>
void expect_masks_of_model(const E& rules, const rl::Model& model) {
    ASSERT_EQ(model.states(), rules.states());
    ASSERT_EQ(model.actions(), rules.actions());
    for (int s = 0; s < rules.states(); ++s) {
        for (int a = 0; a < rules.actions(); ++a) {
            ASSERT_EQ(model.is_legal(s, a), (rules.mask(s) >> unsigned(a) & 1U) != 0)
                << "state " << s << ", action " << a;
        }
    }
}

using Seen = std::tuple<std::int32_t, double, bool>;

// Probabilities of what differs: outcomes that repeat a state are one.
inline std::map<Seen, double> expected_of(const rl::Model& model, std::int32_t s, int a) {
    std::map<Seen, double> shares;
    for (const rl::Outcome& outcome : model.outcomes(s, a)) {
        shares[{outcome.next, outcome.reward, outcome.terminated}] += outcome.probability;
    }
    return shares;
}

template <typename Key>
void compare(ChiSquare& chi_square,
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

// Each test of an environment alarms falsely with a probability of 1e-6: 30 environments with two
// draws of random numbers less than once in 16,000 choices of the seed.
constexpr double false_alarm = 1e-6;

inline void expect_fit(const ChiSquare& chi_square) {
    if (chi_square.freedom() > 0) {
        EXPECT_LT(chi_square.statistic(), chi_square.bound(false_alarm))
            << chi_square.freedom() << " degrees of freedom";
    }
}

/// Frequencies of outcomes and starts are the model's, by a chi-square test.
template <rl::Environment E>
void expect_frequencies(const E& rules, const rl::Model& model) {
    std::map<std::pair<std::int32_t, int>, std::map<Seen, double>> counts;
    std::map<std::int32_t, double> begun;
    play(
        rules,
        11,
        200'000,
        [&](std::int32_t s) { ++begun[s]; },
        [&](std::int32_t s, int a, const rl::Step& step) {
            ++counts[{s, a}][{step.next, step.reward, step.terminated}];
        });
    ChiSquare outcomes;
    for (const auto& [pair, seen] : counts) {
        compare(outcomes, expected_of(model, pair.first, pair.second), seen);
    }
    expect_fit(outcomes);
    std::map<std::int32_t, double> starts;
    for (const rl::Start& start : model.starts()) {
        starts[start.state] += start.probability;
    }
    ChiSquare first_states;
    compare(first_states, starts, begun);
    expect_fit(first_states);
}

/// NumPy's generator drives the same code.
template <rl::Environment E>
void expect_other_generator(const E& rules) {
    rl::NumpyRandom random(3);
    auto episode = rules.reset(random);
    for (int i = 0; i < 2'000; ++i) {
        const rl::Step step =
            rules.step(episode, std::countr_zero(rules.mask(episode.state)), random);
        ASSERT_TRUE(step.next >= 0 && step.next < rules.states());
        if (step.ended()) {
            episode = rules.reset(random);
        }
    }
}

/// Copies of a vector environment do not know how many they are.
template <rl::Environment E>
void expect_independent_copies(const E& rules) {
    const rl::StreamSource source(rl::Streams(6, "vector"));
    rl::VectorEnvironment<E> three(rules, 3, source, rl::Autoreset::same_step);
    rl::VectorEnvironment<E> five(rules, 5, source, rl::Autoreset::same_step);
    three.reset();
    five.reset();
    for (int i = 0; i < 100; ++i) {
        std::vector<std::int32_t> actions;
        for (std::size_t copy = 0; copy < 5; ++copy) {
            actions.push_back(std::countr_zero(five.mask(copy)));
        }
        const rl::StepArrays& many = five.step(actions);
        const rl::StepArrays& few = three.step(std::span(actions).first(3));
        for (std::size_t copy = 0; copy < 3; ++copy) {
            ASSERT_EQ(few.states[copy], many.states[copy]);
            ASSERT_EQ(few.successors[copy], many.successors[copy]);
            ASSERT_EQ(few.rewards[copy], many.rewards[copy]);
        }
    }
}

/// All of it.
template <rl::Environment E>
void run_battery(const E& rules) {
    expect_ranges(rules);
    expect_masks_of_episodes(rules);
    expect_seeds(rules);
    expect_episodes_are_bytes(rules);
    expect_other_generator(rules);
    expect_independent_copies(rules);
    if constexpr (rl::Modelled<E>) {
        if (const std::optional<rl::Model> model = rules.model()) {
            expect_masks_of_model(rules, *model);
            expect_frequencies(rules, *model);
        }
    }
}

}  // namespace lockstep::test
