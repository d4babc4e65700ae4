#include "support/xpcs/more_garbow_hillstrom.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/xpcs/nlsq/trust_region.hpp"

#include "support/xpcs/derivative_error.hpp"

namespace lockstep::xpcs::nlsq {
namespace {

class MoreGarbowHillstromTest : public testing::TestWithParam<test::CollectedProblem> {};

// Six digits are printed; a minimum of 0 is one where the residuals are rounding.
void expect_known_minimum(const Fit& fit, const test::CollectedProblem& problem) {
    EXPECT_TRUE(converged(fit.stop)) << text(fit.stop);
    const double sum = 2 * fit.cost;
    EXPECT_TRUE(std::any_of(problem.minima.begin(), problem.minima.end(), [sum](double minimum) {
        return minimum == 0 ? sum < 1e-18 : std::abs(sum - minimum) < 5e-6 * minimum;
    })) << sum;
}

TEST_P(MoreGarbowHillstromTest, DerivativesAreThoseOfTheFormula) {
    const auto residuals = test::collected_residuals(GetParam());
    EXPECT_LT(test::derivative_error(*residuals, GetParam().start), 1e-6);
    test::GramObjective objective(*residuals);
    EXPECT_LT(test::derivative_error(objective, GetParam().start), 1e-5);
}

TEST_P(MoreGarbowHillstromTest, ReachesAKnownMinimumByTheJacobian) {
    const auto residuals = test::collected_residuals(GetParam());
    expect_known_minimum(minimise(*residuals, GetParam().start), GetParam());
}

TEST_P(MoreGarbowHillstromTest, ReachesAKnownMinimumByNormalEquations) {
    const auto residuals = test::collected_residuals(GetParam());
    test::GramObjective objective(*residuals);
    expect_known_minimum(minimise(objective, GetParam().start), GetParam());
}

// Where no tolerance ends the iterations, rounding does, also at singular minima such as
// Chebyquad's.
TEST_P(MoreGarbowHillstromTest, EndsByRoundingWithoutTolerances) {
    const auto residuals = test::collected_residuals(GetParam());
    test::GramObjective objective(*residuals);
    TrustRegionOptions options;
    options.gradient_tolerance = 0;
    options.cost_tolerance = 0;
    options.step_tolerance = 0;
    expect_known_minimum(minimise(*residuals, GetParam().start, {}, options), GetParam());
    expect_known_minimum(minimise(objective, GetParam().start, {}, options), GetParam());
}

std::string name_of(const testing::TestParamInfo<test::CollectedProblem>& info) {
    std::string name = info.param.name + std::to_string(info.param.start.size());
    std::erase_if(name, [](unsigned char c) { return std::isalnum(c) == 0; });
    return name;
}

INSTANTIATE_TEST_SUITE_P(All,
                         MoreGarbowHillstromTest,
                         testing::ValuesIn(test::collected_problems()),
                         name_of);

}  // namespace
}  // namespace lockstep::xpcs::nlsq
