#include "lockstep/lp/solver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

namespace lockstep::lp {
namespace {

using ::testing::HasSubstr;

TEST(SolverNamesTest, AreWhatUsersType) {
    EXPECT_EQ(to_string(SolverKind::highs), "highs");
    EXPECT_EQ(to_string(SolverKind::clp), "clp");
}

TEST(SolverNamesTest, SayHowASolveEnded) {
    EXPECT_EQ(to_string(Status::optimal), "optimal");
    EXPECT_EQ(to_string(Status::infeasible), "infeasible");
    EXPECT_EQ(to_string(Status::unbounded), "unbounded");
    EXPECT_EQ(to_string(Status::iteration_limit), "iteration limit");
    EXPECT_EQ(to_string(Status::numerical_failure), "numerical failure");
}

TEST(MakeSolverTest, AlwaysMakesHighs) {
    EXPECT_TRUE(is_built(SolverKind::highs));
    EXPECT_EQ(make_solver(SolverKind::highs)->name(), "highs");
}

TEST(MakeSolverTest, NamesTheOptionOfASolverThatIsNotBuilt) {
    if (is_built(SolverKind::clp)) {
        EXPECT_EQ(make_solver(SolverKind::clp)->name(), "clp");
        return;
    }
    try {
        make_solver(SolverKind::clp);
        FAIL() << "made a solver that is not built";
    } catch (const NotBuiltError& error) {
        EXPECT_THAT(error.what(), HasSubstr("LOCKSTEP_WITH_CLP=ON"));
    }
}

}  // namespace
}  // namespace lockstep::lp
