#include "lockstep/sddp/numbers.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"
#include "lockstep/sddp/subject.hpp"

#include "support/random_system.hpp"
#include "support/tiny_problem.hpp"

namespace lockstep::sddp {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// A plant and a thermal, water at a thousandth of a cent, a deficit at `penalty` $/MWh.
Problem plant_beside(double penalty) {
    auto problem = test::tiny_problem(2, 730);
    test::add_tiny_hydro(problem, 70, 120);
    problem.system.hydros[0].name = "DAM";
    HydroCosts costs;
    costs.spillage = 1e-5;
    problem.system.hydros[0].costs = std::vector<HydroCosts>(2, costs);
    problem.system.thermals = {test::tiny_thermal(problem, 0.5, 10)};
    problem.system.thermals[0].name = "COAL";
    problem.system.buses[0].name = "NORTH";
    problem.system.buses[0].deficit[0].cost = penalty;
    problem.system.buses[0].mean_load_mw = {46, 52};
    return problem;
}

std::vector<lockstep::Problem> warnings(const Problem& problem) {
    Problems problems;
    check_numbers(problem, {}, {}, problems);
    return problems.all();
}

// Costs as far apart as 1e9 leave six digits, as far apart as 2.7e12 leave three.
TEST(NumbersTest, WarnsWhereAPenaltyLeavesTooFewDigits) {
    EXPECT_TRUE(warnings(plant_beside(1e4)).empty());
    const auto found = warnings(plant_beside(2.7e7));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].kind, ProblemKind::model_quality);
    EXPECT_EQ(found[0].file, subject::numbers);
    EXPECT_THAT(found[0].message,
                AllOf(HasSubstr("1e-05 (spillage DAM)"),
                      HasSubstr("2.7e+07 $ per unit and hour (deficit NORTH)"),
                      HasSubstr("penalties of at most 8e+04")));
}

TEST(NumbersTest, OrdinaryProblemsAreNotWarnedOf) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        EXPECT_TRUE(warnings(test::random_problem(seed)).empty()) << seed;
    }
}

TEST(NumbersTest, WarnsOfTermsThatTheToleranceSwallows) {
    auto problem = plant_beside(100);
    problem.system.thermals[0].max_mw = ByBlock(problem.calendar, 1e-10);
    const auto found = warnings(problem);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_THAT(found[0].message,
                AllOf(HasSubstr("2 terms"), HasSubstr("thermal COAL in load balance NORTH")));
}

TEST(NumbersTest, NamesTheSmallestAndTheLargest) {
    const auto ranges = number_ranges(plant_beside(100), {});
    const auto of = [&](const std::string& kind) {
        return *std::find_if(
            ranges.begin(), ranges.end(), [&](const auto& range) { return range.kind == kind; });
    };
    EXPECT_DOUBLE_EQ(of("water balance").most.size, hm3_per_m3s_hour * 730);
    EXPECT_EQ(of("water balance").least.place, "storage DAM in water balance DAM");
    EXPECT_EQ(of("right-hand sides").most.size, 52);
    EXPECT_EQ(of("right-hand sides").most.stage, 1);
    EXPECT_EQ(of("right-hand sides").most.place, "load balance NORTH");
    EXPECT_DOUBLE_EQ(of("costs").least.size, 1e-5);
    EXPECT_DOUBLE_EQ(of("costs").most.size, 100);
    EXPECT_EQ(of("costs").most.place, "deficit NORTH");
}

}  // namespace
}  // namespace lockstep::sddp
