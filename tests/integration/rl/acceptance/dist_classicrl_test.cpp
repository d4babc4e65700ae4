// Acceptance of reinforcement learning, row 2: what the tests of dist_classicrl 0.1.17 pin, and a
// test for each of its faults that can be made here (rl.md 1.9 and 1.10; docs/rl/acceptance.md has
// the rest). Its numbers, none of its code.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/rl/learn/world_of.hpp"

#include "rl/modes/batch_learner.hpp"
#include "support/rl/learning.hpp"

namespace lockstep {
namespace {

using rl::LearnOptions;
using rl::Mode;
using testing::HasSubstr;

/// Pays 1 a step, in episodes of one length; what is legal is given by state, and so are states:
/// step after step, or always 0.
struct Path {
    struct Episode {
        std::int32_t state = 0;
        std::int32_t steps = 0;
    };
    std::vector<rl::ActionMask> legal{3};
    std::int32_t length = 5;
    bool ends_by_limit = false;
    double reward = 1;
    std::vector<std::uint32_t>* starts = nullptr;  // what resets have drawn

    [[nodiscard]] int states() const { return static_cast<int>(legal.size()); }
    [[nodiscard]] int actions() const { return 2; }
    [[nodiscard]] rl::ActionMask mask(int s) const { return legal[at(s)]; }
    [[nodiscard]] std::string describe() const { return "a path"; }

    template <rl::Draws D>
    [[nodiscard]] Episode reset(D& draws) const {
        if (starts != nullptr) {
            starts->push_back(draws.below(1U << 30));
        }
        return {};
    }
    template <rl::Draws D>
    rl::Step step(Episode& episode, int /*action*/, D& /*draws*/) const {
        const bool is_over = ++episode.steps == length;
        episode.state = std::min<std::int32_t>(episode.steps, states() - 1);
        return {episode.state, reward, is_over && !ends_by_limit, is_over && ends_by_limit};
    }
};

LearnOptions whole_steps(std::int64_t steps, double gamma) {
    LearnOptions options;
    options.mode = Mode::serial;
    options.steps = steps;
    options.discount_factor = gamma;
    options.learning_rate = rl::parse_step_size("1");
    options.exploration.level = rl::parse_schedule("0");
    return options;
}

/// Learns from transitions that the test makes up, gamma 0.5.
class AcceptanceRow2Learning : public testing::Test {
protected:
    double learned(const std::vector<rl::ActionMask>& legal,
                   const std::vector<rl::Transition>& transitions,
                   rl::Duplicates duplicates) const {
        const auto world = rl::make_world_of(Path{legal});
        auto options = whole_steps(1, 0.5);
        options.mode = Mode::vector;
        options.batch_size = 2;
        options.duplicates = duplicates;
        rl::TableStore table(*world, options);
        for (std::size_t cell = 0; cell < values_.size(); ++cell) {
            table.store().set_value(cell, values_[cell]);
        }
        rl::BatchLearner learner(*world, options, table);
        rl::Counts counts;
        learner.learn(transitions, 0, counts);
        return table.store().value(2);
    }

    const std::vector<rl::ActionMask> all_{3, 3, 3, 3};
    const std::vector<rl::ActionMask> masked_{3, 3, 1, 1};
    // Values of states 2 and 3: 1 and 2.5, and 2 and 3 where everything is legal.
    const std::array<double, 8> values_{0, 0, 0, 0, 2.5, 1, 2.5, 3};
};

TEST_F(AcceptanceRow2Learning, SingleTransitions) {
    const auto sequential = rl::Duplicates::sequential;
    EXPECT_EQ(learned(all_, {{1, 1, 2, 0, 0}}, sequential), 1 + 0.5 * 2.5);
    EXPECT_EQ(learned(masked_, {{0, 1, 3, 0, 0}}, sequential), 1.25);
    EXPECT_EQ(learned(all_, {{2, 1, 3, 0, 1}}, sequential), 2);  // terminated
}

// Both of (1, 0), with targets 1.25 or 1.5, then 3.5 or 3.25.
TEST_F(AcceptanceRow2Learning, DuplicatesFollowOneAnotherOrAddUp) {
    const std::vector<rl::Transition> open{{0.25, 1, 2, 0, 0}, {2, 1, 3, 0, 0}};
    const std::vector<rl::Transition> masked{{0, 1, 2, 0, 0}, {2, 1, 3, 0, 0}};
    EXPECT_EQ(learned(all_, open, rl::Duplicates::sequential), 3.5);
    EXPECT_EQ(learned(all_, open, rl::Duplicates::accumulating), 5);
    EXPECT_EQ(learned(masked_, masked, rl::Duplicates::sequential), 3.25);
    EXPECT_EQ(learned(masked_, masked, rl::Duplicates::accumulating), 4.5);
}

// One arm that pays 1; the last step of an episode of five ends it, of six does not.
TEST(AcceptanceRow2, LearnsABanditAsItDoes) {
    const auto five = rl::make_world_of(Path{{2}, 5});
    const auto result = test::learn_alone(*five, whole_steps(5, 1));
    EXPECT_EQ(result.table.values[1], 1);
    EXPECT_EQ(result.episodes, 1);
    EXPECT_EQ(result.last.episode_return->mean, 5);
    const auto six = rl::make_world_of(Path{{2}, 6});
    auto options = whole_steps(5, 1);
    options.mode = Mode::allreduce;
    options.workers = 1;
    EXPECT_EQ(test::learn_alone(*six, options).table.values[1], 5);
}

TEST(AcceptanceRow2, B1EpisodesDrawAnew) {
    std::vector<std::uint32_t> starts;
    const auto world = rl::make_world_of(Path{{3}, 5, false, 1, &starts});
    test::learn_alone(*world, whole_steps(5'000, 1));
    EXPECT_GE(starts.size(), 1'000U);
    EXPECT_GE(std::set(starts.begin(), starts.end()).size(), starts.size() - 1);
}

TEST(AcceptanceRow2, B2WorkersAndRoundsDrawAnew) {
    std::vector<std::uint32_t> starts;
    const auto world = rl::make_world_of(Path{{3}, 5, false, 1, &starts});
    auto options = whole_steps(3 * 500 * 4, 1);
    options.mode = Mode::threads;
    options.workers = 3;
    options.sync_frequency = 500;
    test::learn_alone(*world, options);
    EXPECT_GE(starts.size(), 3U * 4 * 100);
    EXPECT_GE(std::set(starts.begin(), starts.end()).size(), starts.size() - 1);
}

TEST(AcceptanceRow2, B3MoreWorkersDoNotExploreForAShorterTime) {
    const auto world = rl::make_world_of(Path{{3}, 5});
    auto options = whole_steps(320'000, 1);
    options.exploration.level = rl::parse_schedule("linear(1, 0, 640000)");
    options.mode = Mode::threads;
    for (const int workers : {1, 4, 16}) {
        options.workers = workers;
        options.sync_frequency = 20'000 / workers;
        EXPECT_NEAR(test::learn_alone(*world, options).last.exploration, 0.5, 0.07) << workers;
    }
}

// Half of the five of state 1, where the episode is cut; not of state 0, where the next one begins.
TEST(AcceptanceRow2, B4CutEpisodesGoOnInTheirTrueSuccessor) {
    const auto world = rl::make_world_of(Path{{1, 2}, 1, true, 0});
    for (const auto mode : {Mode::serial, Mode::vector, Mode::threads, Mode::actor_learner}) {
        auto options = whole_steps(1'000, 0.5);
        options.mode = mode;
        options.initial_value = 5;
        EXPECT_EQ(test::learn_alone(*world, options).table.values[0], 2.5) << to_string(mode);
    }
}

TEST(AcceptanceRow2, B5NothingIsDividedByNoEpisodes) {
    const auto world = rl::make_world_of(Path{{3}, 1'000'000'000});
    const auto result = test::learn_alone(*world, whole_steps(1'000, 0.5));
    EXPECT_EQ(result.episodes, 0);
    EXPECT_FALSE(result.last.episode_return);
    EXPECT_EQ(result.last.episode_length, 0);
}

TEST(AcceptanceRow2, B6WhoLooksDoesNotDisturb) {
    const auto world = test::lake();
    auto options = whole_steps(400'000, 0.99);
    options.exploration.level = rl::parse_schedule("0.5");
    options.mode = Mode::threads;
    test::LearnWatch watch;
    watch.report_every = 1;
    watch.checkpoint_every = 1;
    EXPECT_EQ(test::learn_alone(*world, options, 1, &watch).digest,
              test::learn_alone(*world, options).digest);
    EXPECT_GE(watch.reports.size(), 3U);
}

// More than the 32 kB of a message at which it hangs.
TEST(AcceptanceRow2, B7ManyEnvironmentsOfARankSendTheirTransitions) {
    const auto world = test::lake();
    auto options = whole_steps(200'000, 0.99);
    options.mode = Mode::actor_learner;
    options.batch_size = 2'048;
    options.sync_frequency = 10;
    for (const auto& result : test::learn_on_ranks(*world, options, 3)) {
        EXPECT_GE(result.transitions, options.steps);
    }
}

TEST(AcceptanceRow2, B10WhatWaitsForTheLearnerHasABound) {
    const auto world = test::lake();
    auto options = whole_steps(400'000, 0.99);
    options.mode = Mode::actor_learner;
    options.sync_frequency = 100;
    options.staleness = 2;
    const auto depth = test::learn_alone(*world, options, 2).last.queue_depth;
    EXPECT_LE(depth, (options.staleness + 1) * options.sync_frequency * options.batch_size);
}

TEST(AcceptanceRow2, B13WithoutRandomTiesTheLowestActionIsTaken) {
    const auto world = rl::make_world_of(Path{{3}, 5, false, 0});
    auto options = whole_steps(1'000, 1);
    options.exploration.random_ties = false;
    const auto table = test::learn_alone(*world, options).table;
    EXPECT_THAT(table.visits, testing::ElementsAre(1'000, 0));
    options.exploration.random_ties = true;
    EXPECT_GT(test::learn_alone(*world, options).table.visits[1], 400U);
}

TEST(AcceptanceRow2, B14AnEmptyMaskIsToldAndNotPlayed) {
    const auto world = rl::make_world_of(Path{{3, 0}, 5});
    for (const auto mode : {Mode::serial, Mode::vector, Mode::threads, Mode::actor_learner}) {
        auto options = whole_steps(1'000, 1);
        options.mode = mode;
        try {
            test::learn_alone(*world, options);
            ADD_FAILURE() << to_string(mode);
        } catch (const ModelError& error) {
            EXPECT_THAT(error.what(), HasSubstr("state 1")) << to_string(mode);
        }
    }
}

}  // namespace
}  // namespace lockstep
