#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

#include "support/case_problem.hpp"
#include "support/random_system.hpp"
#include "support/train_run.hpp"

namespace lockstep::sddp {
namespace {

std::vector<double> bounds_of(const TrainResult& result) {
    auto bounds = result.earlier_bounds;
    for (const auto& report : result.iterations) {
        bounds.push_back(report.lower_bound);
    }
    return bounds;
}

/// Result of the first rank.
TrainResult train_on(int ranks,
                     const Problem& problem,
                     const TrainOptions& options,
                     const EarlierTraining& earlier) {
    TrainResult result;
    comm::run_in_process(ranks, [&](comm::Communicator& communicator) {
        runtime::ThreadTeam threads(1);
        runtime::Team team{communicator, threads, runtime::Survival([](const auto&) {})};
        Observer silent;
        auto mine = train(problem, options, team, silent, nullptr, earlier);
        if (communicator.rank() == 0) {
            result = std::move(mine);
        }
    });
    return result;
}

class WarmStartTest : public testing::TestWithParam<std::string> {
protected:
    WarmStartTest() : input_(test::case_problem(GetParam())) {}

    [[nodiscard]] TrainOptions options(int iterations) const {
        return test::with_iterations(input_.config.train, iterations);
    }

    test::CaseProblem input_;
};

TEST_P(WarmStartTest, BeginsWhereTheEarlierCutsAre) {
    const auto earlier = test::train_alone(input_.problem, options(4));
    const auto result = train_on(1, input_.problem, options(4), {earlier.policy, {}});

    ASSERT_EQ(result.iterations.size(), 4u);
    EXPECT_EQ(result.iterations.front().iteration, 1);
    EXPECT_TRUE(result.earlier_bounds.empty());
    for (const auto& report : result.iterations) {
        EXPECT_GE(report.lower_bound, earlier.lower_bound * (1 - 1e-9));
    }
    EXPECT_EQ(result.policy.stages.front().size(), 2 * earlier.policy.stages.front().size());
    EXPECT_EQ(result.policy.stages.front().iteration.front(), 0);  // of no iteration of this one
}

TEST_P(WarmStartTest, GoesOnCountingAndDrawing) {
    const auto whole = test::train_alone(input_.problem, options(7));
    const auto first = test::train_alone(input_.problem, options(4));
    const auto result = train_on(1, input_.problem, options(7), {first.policy, bounds_of(first)});

    EXPECT_EQ(result.earlier_bounds.size(), 4u);
    ASSERT_EQ(result.iterations.size(), 3u);
    EXPECT_EQ(result.completed(), 7);
    EXPECT_EQ(result.iterations.front().iteration, 5);
    EXPECT_GE(result.iterations.front().lower_bound, first.lower_bound * (1 - 1e-9));
    // The first pass has the same cuts and the same draws, though perhaps other optimal vertices.
    EXPECT_NEAR(result.iterations.front().upper_bound,
                whole.iterations.at(4).upper_bound,
                1e-6 * whole.iterations.at(4).upper_bound);
    EXPECT_EQ(result.policy.stages.front().iteration.front(), 1);
    EXPECT_EQ(result.policy.stages.front().iteration.back(), 7);
}

TEST_P(WarmStartTest, GivesTheSameBitsOnTwoRanks) {
    const auto first = test::train_alone(input_.problem, options(3));
    const EarlierTraining earlier{first.policy, bounds_of(first)};
    const auto alone = train_on(1, input_.problem, options(6), earlier);

    EXPECT_EQ(train_on(2, input_.problem, options(6), earlier).digest, alone.digest);
}

INSTANTIATE_TEST_SUITE_P(Cases,
                         WarmStartTest,
                         testing::Values("1dtoy", "d26-estimated-par2", "d02-single-hydro"),
                         [](const auto& test) { return test.param.substr(0, 3); });

TEST(EarlierTrainingTest, OfAConvergedCaseIsItsValue) {
    const auto d02 = test::case_problem("d02-single-hydro");
    const auto earlier = test::train_alone(d02.problem, d02.config.train);
    const auto result =
        train_on(1, d02.problem, test::with_iterations(d02.config.train, 1), {earlier.policy, {}});

    EXPECT_NEAR(result.lower_bound, 23'640'785.0 / 9, 1e-4);
}

TEST(EarlierTrainingTest, OfAsManyIterationsAsAllowedIsTheResult) {
    const auto toy = test::case_problem("1dtoy");
    const auto options = test::with_iterations(toy.config.train, 3);
    const auto earlier = test::train_alone(toy.problem, options);
    const auto result = train_on(2, toy.problem, options, {earlier.policy, bounds_of(earlier)});

    EXPECT_TRUE(result.iterations.empty());
    EXPECT_EQ(result.stop, StopReason::iteration_limit);
    EXPECT_EQ(result.lower_bound, earlier.lower_bound);
    EXPECT_EQ(result.policy.stages.front().intercept, earlier.policy.stages.front().intercept);
}

/// Trained on a problem whose bounds are made apart.
TrainResult truncated_training(Problem& problem, const TrainOptions& options) {
    for (std::uint64_t seed = 0;; ++seed) {
        problem = test::truncated_problem(seed);
        auto result = test::train_alone(problem, options);
        if (!result.policy.bounding.empty()) {
            return result;
        }
    }
}

TEST(EarlierTrainingTest, KeepsBoundsBeside) {
    Problem problem;
    auto options = test::with_iterations({}, 4);
    options.forward_passes = 3;
    const auto first = truncated_training(problem, options);
    options = test::with_iterations(options, 7);
    const EarlierTraining earlier{first.policy, bounds_of(first)};
    const auto result = train_on(1, problem, options, earlier);

    for (const auto& report : result.iterations) {
        EXPECT_GE(report.lower_bound, first.lower_bound - 1e-9 * std::abs(first.lower_bound));
    }
    EXPECT_EQ(train_on(2, problem, options, earlier).digest, result.digest);
}

// A policy of another program has no bounds beside its cuts: it may guide, not bound.
TEST(EarlierTrainingTest, WithoutBoundsBesideSaysNothingOfTheCost) {
    Problem problem;
    auto options = test::with_iterations({}, 12);
    options.forward_passes = 3;
    const auto first = truncated_training(problem, options);
    auto guide = first.policy;
    guide.bounding.clear();
    const auto result = train_on(1, problem, test::with_iterations(options, 1), {guide, {}});

    EXPECT_LE(result.lower_bound, first.lower_bound + 1e-9 * std::abs(first.lower_bound));
}

TEST(EarlierTrainingTest, OfAnotherProblemIsRefused) {
    const auto toy = test::case_problem("1dtoy");
    const auto other = test::case_problem("d03-two-hydro-cascade");
    const auto options = test::with_iterations(toy.config.train, 2);
    const auto earlier = test::train_alone(other.problem, options);

    EXPECT_THROW(train_on(1, toy.problem, options, {earlier.policy, {}}), InputError);
}

/// Keeps the last state.
class Keeper final : public Observer {
public:
    void on_checkpoint(const runtime::EngineState& state) override {
        parts.clear();
        iteration = state.iteration();
        for (int part = 0; part < state.parts(); ++part) {
            parts.push_back(state.part(part));
        }
    }
    std::vector<std::vector<std::byte>> parts;
    int iteration = 0;
};

class Kept final : public runtime::EngineState {
public:
    explicit Kept(const Keeper& keeper) : keeper_(keeper) {}
    [[nodiscard]] const char* engine() const override { return "sddp"; }
    [[nodiscard]] int iteration() const override { return keeper_.iteration; }
    [[nodiscard]] int parts() const override { return static_cast<int>(keeper_.parts.size()); }
    [[nodiscard]] std::vector<std::byte> part(int index) const override {
        return keeper_.parts.at(static_cast<std::size_t>(index));
    }

private:
    const Keeper& keeper_;
};

TEST(EarlierTrainingTest, IsPartOfACheckpoint) {
    const auto toy = test::case_problem("1dtoy");
    auto options = test::with_iterations(toy.config.train, 3);
    const auto first = test::train_alone(toy.problem, options);
    const auto communicator = comm::make_local();
    runtime::ThreadTeam threads(1);
    runtime::Team team{*communicator, threads};
    for (const auto& bounds : {bounds_of(first), std::vector<double>()}) {
        options = test::with_iterations(options, 5);
        options.checkpoint_iterations = 5;
        Keeper keeper;
        train(toy.problem, options, team, keeper, nullptr, {first.policy, bounds});
        options = test::with_iterations(options, 8);
        Observer silent;
        const auto whole =
            train(toy.problem, options, team, silent, nullptr, {first.policy, bounds});
        const Kept state(keeper);
        const auto resumed = train(toy.problem, options, team, silent, &state);

        EXPECT_EQ(resumed.digest, whole.digest);
        EXPECT_EQ(resumed.earlier_bounds, bounds);
    }
}

}  // namespace
}  // namespace lockstep::sddp
