#include "app/sddp/failure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/tiny_problem.hpp"

namespace lockstep::app {
namespace {

sddp::Failure failure() {
    return {sddp::Phase::backward,
            3,
            1,
            7,
            4,
            lp::Status::infeasible,
            {"water balance of FURNAS", "bound of storage"},
            "NAME"};
}

TEST(FailureTest, NamesStageIterationTrajectoryAndConflict) {
    auto calendar = test::tiny_problem(2, 720).calendar;
    calendar.stages[1].id = 11;
    calendar.stages[1].start = Date{std::chrono::year{2018} / 2 / 1};

    EXPECT_EQ(
        failure_text(failure(), calendar, "out/training/infeasible-1.mps"),
        "stage 11 (2018-02-01) has no solution: infeasible in the backward pass of iteration 3, "
        "trajectory 7, opening 4\n"
        "These cannot hold together: water balance of FURNAS, bound of storage\n"
        "Its LP is in out/training/infeasible-1.mps; what was done before is written.");
}

TEST(FailureTest, TellsThatNoneWasFoundFromThatNoneExists) {
    auto unsolved = failure();
    unsolved.status = lp::Status::numerical_failure;
    unsolved.conflicting_rows.clear();

    EXPECT_EQ(infeasible_file("out/training", unsolved), "out/training/unsolved-1.mps");
    EXPECT_THAT(failure_text(unsolved, test::tiny_problem(2, 720).calendar, "x.mps"),
                testing::HasSubstr(" may have a solution, but none was found: numerical failure "
                                   "in the backward pass"));
}

TEST(FailureTest, ShortensALongConflict) {
    auto long_one = failure();
    long_one.conflicting_rows.assign(40, "row");
    const auto text = failure_text(long_one, test::tiny_problem(2, 720).calendar, "x.mps");

    EXPECT_NE(text.find(" and 28 more"), text.npos);
}

TEST(FailureTest, SpeaksOfScenariosInASimulation) {
    auto simulated = failure();
    simulated.phase = sddp::Phase::simulation;
    simulated.opening = -1;
    const auto text = failure_text(simulated, test::tiny_problem(2, 720).calendar, "x.mps");

    EXPECT_NE(text.find("in the simulation, scenario 7\n"), text.npos);
}

TEST(FailureTest, NamesTheFileByStage) {
    EXPECT_EQ(infeasible_file("out/training", failure()), "out/training/infeasible-1.mps");
}

// Others may keep files beside it, and they stay.
TEST(FailureTest, KnowsItsOwnFiles) {
    for (const auto status : {lp::Status::infeasible, lp::Status::numerical_failure}) {
        sddp::Failure failure;
        failure.stage = 12;
        failure.status = status;
        EXPECT_TRUE(is_infeasible_file(infeasible_file("training", failure).filename().string()));
    }
    for (const auto* name :
         {"infeasible-.mps", "unsolved-notes.mps", "infeasible-3.mps.txt", "x"}) {
        EXPECT_FALSE(is_infeasible_file(name)) << name;
    }
}

}  // namespace
}  // namespace lockstep::app
