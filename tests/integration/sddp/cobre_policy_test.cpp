#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/formats/cobre/policy_files.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/sddp/train.hpp"

#include "support/case_problem.hpp"
#include "support/train_run.hpp"

namespace lockstep::formats::cobre {
namespace {

// tests/data/sddp/cobre-policies/README.md says where these are from. The costs are those of
// Cobre's own test-suite and of independent extensive forms.

std::filesystem::path policy_of(const std::string& name) {
    return lockstep::test::source_dir() / "tests/data/sddp/cobre-policies" / name;
}

struct Expected {
    std::string name;
    double cost;
    double tolerance;
};

class CobrePolicyTest : public testing::TestWithParam<Expected> {
protected:
    CobrePolicyTest() : input_(lockstep::test::case_problem(GetParam().name)) {}

    lockstep::test::CaseProblem input_;
};

TEST_P(CobrePolicyTest, BoundsTheCostAfterOneMoreIteration) {
    const auto directory = policy_of(GetParam().name);
    auto options = input_.config.train;
    options.forward_passes = 1;
    options = lockstep::test::with_iterations(options, 1);
    const auto communicator = comm::make_local();
    runtime::ThreadTeam threads(1);
    runtime::Team team{*communicator, threads};
    sddp::Observer silent;

    const auto result = sddp::train(input_.problem,
                                    options,
                                    team,
                                    silent,
                                    nullptr,
                                    {read_policy(directory, input_.problem), {}});

    EXPECT_NEAR(result.lower_bound, GetParam().cost, GetParam().tolerance);
}

TEST_P(CobrePolicyTest, TellsTheBoundsOfItsTraining) {
    const auto info = read_policy_info(policy_of(GetParam().name));

    EXPECT_EQ(info.completed_iterations, static_cast<int>(info.lower_bound_history.size()));
    EXPECT_EQ(info.lower_bound, info.lower_bound_history.back());
    EXPECT_NEAR(info.lower_bound, GetParam().cost, GetParam().tolerance);
    EXPECT_EQ(info.tree_seed, 42);
}

TEST_P(CobrePolicyTest, GivesTheSameCutsWrittenAgain) {
    const auto policy = read_policy(policy_of(GetParam().name), input_.problem);
    const auto folder = std::filesystem::path(testing::TempDir()) / GetParam().name;
    write_policy(folder, input_.problem, policy, read_policy_info(policy_of(GetParam().name)));

    const auto again = read_policy(folder, input_.problem);

    ASSERT_EQ(again.stages.size(), policy.stages.size());
    for (std::size_t t = 0; t < policy.stages.size(); ++t) {
        EXPECT_EQ(again.stages[t].intercept, policy.stages[t].intercept);
        EXPECT_EQ(again.stages[t].slopes.rows(), policy.stages[t].slopes.rows());
    }
    std::filesystem::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(Cases,
                         CobrePolicyTest,
                         testing::Values(Expected{"d02-single-hydro", 23'640'785.0 / 9, 1e-4},
                                         Expected{"d16-par1-lag-shift", 7'759'078.74999378, 1},
                                         Expected{"d25-discount-rate", 2'612'094.7035435946, 1e-4},
                                         Expected{"d26-estimated-par2", 50'625'314.97019681, 1},
                                         Expected{"travel-time-arc", 1'590'269.1555556, 1e-3},
                                         Expected{"anticipated", 13'946'004.2867690, 1e-3},
                                         Expected{"node-tree", 9'558'200, 1e-3}),
                         [](const auto& test) {
                             std::string name = test.param.name;
                             std::erase(name, '-');
                             return name;
                         });

/// What simulating under a policy of Cobre costs.
double simulated(const std::string& name, bool enumerated) {
    const auto input = lockstep::test::case_problem(name);
    const auto communicator = comm::make_local();
    runtime::ThreadTeam threads(1);
    runtime::Team team{*communicator, threads};
    sddp::Observer silent;
    sddp::SimulateOptions options;
    options.scenarios = 1;
    options.enumerated = enumerated;
    return sddp::simulate(
               input.problem, read_policy(policy_of(name), input.problem), options, team, silent)
        .mean;
}

TEST(CobrePolicySimulationTest, CostsWhatItPromises) {
    EXPECT_NEAR(simulated("d02-single-hydro", false), 23'640'785.0 / 9, 1e-4);
    EXPECT_NEAR(simulated("d25-discount-rate", false), 2'612'094.7035435946, 1e-4);
    EXPECT_NEAR(simulated("d26-estimated-par2", false), 50'625'314.97019681, 1);
    EXPECT_NEAR(simulated("travel-time-arc", false), 1'590'269.1555556, 1e-3);
    EXPECT_NEAR(simulated("node-tree", true), 9'558'200, 1e-3);
}

/// The first stages of a case.
sddp::Problem beginning_of(const std::string& name, std::size_t stages) {
    auto problem = lockstep::test::case_problem(name).problem;
    problem.calendar.stages.resize(stages);
    return problem;
}

// What is known of a whole year prices the end of its first half.
TEST(CobreBoundaryTest, PricesTheEndOfAShorterStudy) {
    for (const auto& [name, stages, cost] :
         {std::tuple("d26-estimated-par2", 6, 50'625'314.97019681),
          std::tuple("d26-estimated-par2", 11, 50'625'314.97019681),
          std::tuple("d02-single-hydro", 1, 23'640'785.0 / 9)}) {
        auto problem = beginning_of(name, static_cast<std::size_t>(stages));
        Problems problems;
        problem.boundary = read_boundary(policy_of(name), true, {}, problem, problems);

        EXPECT_TRUE(problems.all().empty());
        const auto options = lockstep::test::with_iterations({}, 12);
        EXPECT_NEAR(lockstep::test::train_alone(problem, options).lower_bound, cost, 1e-6 * cost)
            << name << " after " << stages;
    }
}

std::string refusal_of_boundary(const std::string& policy, const sddp::Problem& problem) {
    Problems problems;
    try {
        read_boundary(policy_of(policy), false, {}, problem, problems);
    } catch (const InputError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(CobreBoundaryTest, OfAnotherCalendarIsRefused) {
    auto problem = beginning_of("d26-estimated-par2", 6);
    problem.calendar.stages.back().end += std::chrono::days(3);
    EXPECT_THAT(refusal_of_boundary("d26-estimated-par2", problem),
                testing::HasSubstr("no stage with cuts ends on 2024-07-04, where the study ends"));

    problem = beginning_of("d26-estimated-par2", 6);
    problem.calendar.stages.back().start += std::chrono::days(3);
    EXPECT_THAT(refusal_of_boundary("d26-estimated-par2", problem),
                testing::HasSubstr("inflow_lag of hydro 0 (lag 1) is of 2024-06-04 in the study, "
                                   "of 2024-06-01 in the policy"));

    problem = beginning_of("d26-estimated-par2", 6);
    problem.calendar.cycle = sddp::SeasonCycle::weekly;
    EXPECT_THAT(refusal_of_boundary("d26-estimated-par2", problem),
                testing::HasSubstr("seasons of another calendar"));
    problem = beginning_of("d26-estimated-par2", 6);
    problem.process.inflow.stages[2].order = {3};
    EXPECT_THAT(refusal_of_boundary("d26-estimated-par2", problem),
                testing::HasSubstr("the inflow model of hydro 0 has order 2 in season 2 of the "
                                   "policy, 3 in the case"));
    EXPECT_THAT(refusal_of_boundary("d26-estimated-par2", beginning_of("d26-estimated-par2", 12)),
                testing::HasSubstr("no stage with cuts ends on 2025-01-01"));
}

TEST(CobrePolicyRefusalTest, OfAnotherCaseNamesTheDifference) {
    const auto d02 = lockstep::test::case_problem("d02-single-hydro").problem;
    const auto d26 = lockstep::test::case_problem("d26-estimated-par2").problem;
    const auto refusal = [](const std::string& policy, const sddp::Problem& problem) {
        try {
            read_policy(policy_of(policy), problem);
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };

    EXPECT_THAT(refusal("d26-estimated-par2", d02),
                testing::HasSubstr("the policy has 12 stages, the case has 2"));
    auto other = d26;
    other.system.hydros[0].id = 7;
    EXPECT_THAT(refusal("d26-estimated-par2", other),
                testing::HasSubstr("storage of hydro 7 is a state of the case"));
}

}  // namespace
}  // namespace lockstep::formats::cobre
