#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/rl/environments/garnet.hpp"
#include "lockstep/rl/learn/world_of.hpp"
#include "lockstep/rl/solve.hpp"

#include "support/rl/learning.hpp"

namespace lockstep {
namespace {

constexpr double discount = 0.95;

std::vector<double> exact_values(const rl::Garnet& garnet) {
    rl::SolveOptions options;
    options.gamma = discount;
    rl::SolveObserver observer;
    runtime::ThreadTeam threads(1);
    return rl::solve(*garnet.model(), options, threads, observer).value;
}

double largest_error(const rl::QTable& table, const std::vector<double>& exact) {
    double error = 0;
    for (std::size_t s = 0; s < exact.size(); ++s) {
        const auto* row = table.values.data() + s * at(table.actions);
        error = std::max(error, std::abs(*std::max_element(row, row + table.actions) - exact[s]));
    }
    return error;
}

// After 250 rounds, where a round that comes late has been made up for. Little is left of the values
// before a round: changes of two rounds from the same table, added up, would swing for ever.
TEST(Overlapped, LearnsAboutAsWellAsWithWaiting) {
    rl::LearnOptions options;
    options.mode = rl::Mode::allreduce;
    options.discount_factor = discount;
    options.exploration.level = rl::parse_schedule("0.5");
    options.steps = 4'000'000;
    options.sync_frequency = 1000;
    for (const char* step_size : {"n^-0.65", "0.02"}) {
        options.learning_rate = rl::parse_step_size(step_size);
        double waiting = 0;
        double overlapped = 0;
        for (const std::uint64_t seed : {1U, 2U}) {
            const rl::Garnet garnet({100, 4, 5, seed});
            const auto world = rl::make_world_of(garnet);
            const auto exact = exact_values(garnet);
            options.seed = seed;
            options.overlap = false;
            waiting += largest_error(test::learn_alone(*world, options).table, exact);
            options.overlap = true;
            overlapped += largest_error(test::learn_alone(*world, options).table, exact);
        }
        EXPECT_LT(overlapped, 2 * waiting) << step_size;
        RecordProperty(std::string("error_over_synchronous_") + step_size,
                       std::to_string(overlapped / waiting));
    }
}

TEST(Overlapped, TellsThatTablesAreARoundOld) {
    const auto world = test::lake();
    rl::LearnOptions options;
    options.mode = rl::Mode::allreduce;
    options.steps = 100'000;
    options.sync_frequency = 100;
    options.overlap = true;
    const auto result = test::learn_alone(*world, options);
    EXPECT_EQ(result.rounds, 63);  // of 1,600 transitions, the last one shorter
    EXPECT_EQ(result.last.staleness.max, 1);
    EXPECT_EQ(result.last.ranks.at(0).table_version, 62);
    std::int64_t visits = 0;
    for (const auto count : result.table.visits) {
        visits += count;
    }
    EXPECT_EQ(visits, options.steps);
}

/// States in a ring; with a leak, the last one pays what is no number.
class Ring {
public:
    using Episode = rl::PlainEpisode;

    explicit Ring(bool leaks) : leaks_(leaks) {}
    [[nodiscard]] int states() const { return size; }
    [[nodiscard]] int actions() const { return 1; }
    [[nodiscard]] rl::ActionMask mask(int) const { return rl::all_actions(1); }
    [[nodiscard]] std::string describe() const { return "a ring"; }
    template <rl::Draws D>
    [[nodiscard]] Episode reset(D&) const {
        return {0};
    }
    template <rl::Draws D>
    rl::Step step(Episode& episode, int, D&) const {
        const bool leak = leaks_ && episode.state == size - 1;
        episode.state = (episode.state + 1) % size;
        return {episode.state, leak ? std::numeric_limits<double>::quiet_NaN() : 1, false, false};
    }

private:
    static constexpr int size = 64;
    bool leaks_;
};

// The others are a round further, or behind, when they hear of it.
TEST(Overlapped, EndsOnAllRanksWhenOneCannotGoOn) {
    rl::LearnOptions options;
    options.mode = rl::Mode::allreduce;
    options.steps = 1'000'000;
    options.sync_frequency = 20;
    options.overlap = true;
    for (const int leaking : {0, 1, 2}) {
        try {
            comm::run_in_process(3, [&](comm::Communicator& ranks) {
                const auto world = rl::make_world_of(Ring(ranks.rank() == leaking));
                runtime::ThreadTeam threads(1);
                runtime::Team team{ranks, threads};
                rl::LearnObserver quiet;
                rl::learn(*world, options, team, quiet);
            });
            FAIL() << "a reward was no number";
        } catch (const Error& error) {
            EXPECT_THAT(error.what(), testing::HasSubstr("state 63"));
        }
    }
}

}  // namespace
}  // namespace lockstep
