// Values that nobody here computed.
#include "support/rl/exact_values.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"
#include "lockstep/rl/solve.hpp"

namespace lockstep::rl {
namespace {

// The values of the file are rounded to doubles.
constexpr double file_rounding = 1e-13;

void expect_values(const test::ExactModel& exact,
                   const test::ExactValues& values,
                   const Solution& solution) {
    EXPECT_EQ(solution.ending, Ending::proven);
    EXPECT_LE(solution.half_width, 1e-10);
    for (int s = 0; s < exact.model.states(); ++s) {
        const double value = values.value[at(s)];
        const auto where = fmt::format("{}, gamma {}, state {}", exact.name, values.gamma, s);
        EXPECT_NEAR(solution.value[at(s)], value, 1e-9) << where;
        EXPECT_LE(solution.lower[at(s)], value + file_rounding * (1 + std::abs(value))) << where;
        EXPECT_GE(solution.upper[at(s)], value - file_rounding * (1 + std::abs(value))) << where;
        EXPECT_LE(solution.lower[at(s)], solution.value[at(s)]) << where;
        EXPECT_GE(solution.upper[at(s)], solution.value[at(s)]) << where;
        for (int a = 0; a < exact.model.actions(); ++a) {
            const bool is_optimal = solution.optimal[at(s * exact.model.actions() + a)] != 0;
            EXPECT_EQ(is_optimal, (values.optimal[at(s)] >> a & 1) != 0)
                << where << " action " << a;
        }
    }
}

class ExactValuesTest : public testing::TestWithParam<Method> {};

TEST_P(ExactValuesTest, AreEnclosedAndNear) {
    runtime::ThreadTeam team(1);
    SolveObserver observer;
    for (const test::ExactModel& exact : test::exact_models()) {
        for (const test::ExactValues& values : exact.values) {
            SolveOptions options;
            options.method = GetParam();
            options.gamma = values.gamma;
            options.tolerance = 1e-10;
            options.max_sweeps = 100'000;
            SCOPED_TRACE(fmt::format("{} gamma {}", exact.name, values.gamma));
            const Solution solution = solve(exact.model, options, team, observer);
            expect_values(exact, values, solution);
            RecordProperty("sweeps", static_cast<int>(solution.sweeps));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Methods,
                         ExactValuesTest,
                         testing::Values(Method::automatic,
                                         Method::value_iteration,
                                         Method::gauss_seidel,
                                         Method::modified_policy_iteration,
                                         Method::policy_iteration));

}  // namespace
}  // namespace lockstep::rl
