// States divided among ranks.
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/comm/communicator.hpp"
#include "lockstep/rl/solve.hpp"

#include "support/rl/worlds.hpp"

namespace lockstep::rl {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

/// What others must not be asked for.
class OnlyOwn : public RowSource {
public:
    OnlyOwn(const RowSource& source, const StateRange& own) : source_(source), own_(own) {}
    [[nodiscard]] int states() const override { return source_.states(); }
    [[nodiscard]] int actions() const override { return source_.actions(); }
    void write(int s, RowWriter& writer) const override {
        if (s < own_.begin || s >= own_.end) {
            throw std::logic_error("asked for state " + std::to_string(s));
        }
        source_.write(s, writer);
    }

private:
    const RowSource& source_;
    StateRange own_;
};

SolveOptions with(double gamma, double tolerance) {
    SolveOptions options;
    options.gamma = gamma;
    options.tolerance = tolerance;
    return options;
}

// The solutions of all ranks.
std::vector<Solution> divided(const RowSource& rows,
                              const SolveOptions& options,
                              int ranks,
                              int threads) {
    std::vector<Solution> solutions(at(ranks));
    comm::run_in_process(ranks, [&](comm::Communicator& communicator) {
        runtime::ThreadTeam own_threads(threads);
        runtime::Team team{communicator, own_threads};
        SolveObserver observer;
        const OnlyOwn own(rows, own_states(rows.states(), communicator.rank(), ranks));
        solutions[at(communicator.rank())] = solve(own, options, team, observer);
    });
    return solutions;
}

void expect_equal(const Solution& a, const Solution& b) {
    EXPECT_EQ(a.ending, b.ending);
    EXPECT_EQ(a.sweeps, b.sweeps);
    EXPECT_EQ(a.half_width, b.half_width);
    EXPECT_EQ(a.value, b.value);
    EXPECT_EQ(a.lower, b.lower);
    EXPECT_EQ(a.upper, b.upper);
    EXPECT_EQ(a.policy, b.policy);
    EXPECT_EQ(a.decisions, b.decisions);
    EXPECT_EQ(a.optimal, b.optimal);
}

void expect_meet(const Solution& a, const Solution& b) {
    for (std::size_t s = 0; s < a.value.size(); ++s) {
        ASSERT_LE(a.lower[s], b.upper[s]) << s;
        ASSERT_GE(a.upper[s], b.lower[s]) << s;
    }
}

void expect_same_bits(const RowSource& rows, const SolveOptions& options) {
    const Solution one = divided(rows, options, 1, 1).front();
    EXPECT_EQ(one.ending, Ending::proven);
    for (const auto& [ranks, threads] : {std::pair{2, 1}, std::pair{3, 2}}) {
        for (const Solution& solution : divided(rows, options, ranks, threads)) {
            expect_equal(one, solution);
        }
    }
    runtime::ThreadTeam team(1);
    SolveObserver observer;
    const RowTable table(rows, team);
    const Solution alone = solve(table, {}, options, team, observer);
    if (is_divisible(options, table.facts(team))) {
        expect_equal(one, alone);
    } else {
        expect_meet(one, alone);
    }
}

TEST(DividedTest, GivesTheSameBitsForAnyNumberOfRanks) {
    const test::Garnet garnet(140'000, 2, 2, 7);
    for (const Method method : {Method::automatic, Method::value_iteration, Method::gauss_seidel}) {
        SolveOptions options = with(0.7, 1e-3);
        options.method = method;
        expect_same_bits(garnet, options);
    }
}

TEST(DividedTest, SweepsInPlaceWhereEpisodesEnd) {
    expect_same_bits(test::Grid(300, true, 0.1), with(0.9, 1e-3));
}

TEST(DividedTest, GoesBackFromAHorizon) {
    SolveOptions options = with(1, 1e-6);
    options.criterion = Criterion::horizon;
    options.horizon = 3;
    expect_same_bits(test::Garnet(140'000, 2, 2, 7), options);
    expect_same_bits(test::Grid(20, true, 0.1), options);
}

TEST(DividedTest, LeavesRanksIdleWhereThereAreFewStates) {
    expect_same_bits(test::Garnet(1000, 4, 5, 7), with(0.9, 1e-6));
    expect_same_bits(test::Grid(20, true, 0.1), with(0.9, 1e-6));
}

TEST(DividedTest, SweepsInPlaceWithTheBitsOfNoRanks) {
    SolveOptions options = with(0.9, 1e-3);
    options.method = Method::gauss_seidel;
    expect_same_bits(test::Grid(20, true, 0.1), options);
    expect_same_bits(test::Grid(300, true, 0.1), options);
}

TEST(DividedTest, KnowsWhatKeepsItsBits) {
    RowFacts for_ever;
    RowFacts ending;
    ending.least_going_on = 0;
    SolveOptions options = with(0.9, 1e-3);
    EXPECT_TRUE(is_divisible(options, for_ever));
    EXPECT_FALSE(is_divisible(options, ending));
    EXPECT_FALSE(is_divisible(with(1, 1e-3), for_ever));
    for (const Method method : {Method::gauss_seidel, Method::value_iteration}) {
        options.method = method;
        EXPECT_TRUE(is_divisible(options, ending));
    }
    options.method = Method::policy_iteration;
    EXPECT_FALSE(is_divisible(options, for_ever));
    options = with(0.9, 1e-3);
    options.criterion = Criterion::average;
    EXPECT_FALSE(is_divisible(options, for_ever));
    options.criterion = Criterion::horizon;
    EXPECT_TRUE(is_divisible(options, ending));
}

TEST(DividedTest, EndsOnAllRanksWhenOneIsAskedTo) {
    struct Impatient : SolveObserver {
        bool is_asked = false;
        bool stop_requested() override { return is_asked; }
    };
    const test::Garnet garnet(1000, 4, 5, 7);
    comm::run_in_process(3, [&](comm::Communicator& communicator) {
        runtime::ThreadTeam threads(1);
        runtime::Team team{communicator, threads};
        Impatient observer;
        observer.is_asked = communicator.rank() == 1;
        const Solution solution = solve(garnet, with(0.95, 1e-9), team, observer);
        EXPECT_EQ(solution.ending, Ending::stopped);
        EXPECT_LE(solution.lower[0], 16.487456659);
        EXPECT_GE(solution.upper[0], 16.487456659);
    });
}

TEST(DividedTest, FailsOnAllRanksWhereRowsFailOnOne) {
    const test::Garnet garnet(140'000, 1, 1, 7);
    const OnlyOwn first(garnet, {0, 70'000});
    comm::run_in_process(2, [&](comm::Communicator& communicator) {
        runtime::ThreadTeam threads(1);
        runtime::Team team{communicator, threads};
        SolveObserver observer;
        EXPECT_ANY_THROW(solve(first, with(0.95, 1e-9), team, observer));
        communicator.barrier();  // both are still there
    });
}

TEST(DividedTest, RefusesWhatNeedsAllRows) {
    const test::Garnet garnet(10, 1, 1, 7);
    const auto solved = [&](const SolveOptions& options) { divided(garnet, options, 1, 1); };
    EXPECT_THAT([&] { solved(with(1, 1e-9)); }, ThrowsMessage<InputError>(HasSubstr("below 1")));
    SolveOptions options = with(0.9, 1e-9);
    options.method = Method::policy_iteration;
    EXPECT_THROW(solved(options), InputError);
    options = with(0.9, 1e-9);
    options.criterion = Criterion::average;
    EXPECT_THROW(solved(options), InputError);
}

TEST(DividedTest, GivesRanksWholeBlocks) {
    int covered = 0;
    for (int rank = 0; rank < 3; ++rank) {
        const StateRange own = own_states(10'000'000, rank, 3);
        EXPECT_EQ(own.begin, covered);
        EXPECT_NEAR(own.end - own.begin, 3'333'333, 700'000);
        covered = own.end;
    }
    EXPECT_EQ(covered, 10'000'000);
}

}  // namespace
}  // namespace lockstep::rl
