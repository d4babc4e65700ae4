#include "support/xpcs/nist.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"
#include "lockstep/xpcs/nlsq/trust_region.hpp"

namespace lockstep::xpcs::nlsq {
namespace {

// To the last digit: no tolerance ends the iterations.
TrustRegionOptions exact() {
    TrustRegionOptions options;
    options.gradient_tolerance = 0;
    options.cost_tolerance = 0;
    options.step_tolerance = 0;
    return options;
}

std::vector<double> standard_errors(const Fit& fit, const test::NistSet& set) {
    const Covariance covariance =
        classical_covariance(fit.determinacy, {}, fit.cost, static_cast<double>(set.y.size()));
    std::vector<double> errors;
    for (std::size_t i = 0; i < fit.x.size() && !covariance.matrix.empty(); ++i) {
        errors.push_back(std::sqrt(covariance.matrix[i * (fit.x.size() + 1)]));
    }
    return errors;
}

double deviation(const Fit& fit, const test::NistSet& set) {
    return std::sqrt(2 * fit.cost / static_cast<double>(set.y.size() - fit.x.size()));
}

// The residuals of Lanczos1 are the rounding of its data to 14 digits, 4e-14: three digits of their
// sum survive in double precision, and as many of what is in proportion to them.
double digits_of_errors(const std::string& name) {
    return name == "Lanczos1" ? 2 : 9;
}

class NistTest : public testing::TestWithParam<std::string> {
protected:
    void expect_certified(const Fit& fit) const {
        EXPECT_EQ(fit.stop, Stop::rounding) << text(fit.stop);
        EXPECT_GE(test::agreeing_digits(fit.x, set.certified), 10);
    }

    const test::NistSet set = test::nist_set(GetParam());
};

TEST_P(NistTest, TenDigitsByTheJacobianFromBothStarts) {
    for (const std::vector<double>& start : set.starts) {
        const auto residuals = test::nist_residuals(set);
        const Fit fit = minimise(*residuals, start, {}, exact());
        expect_certified(fit);
        const std::vector<double> errors = standard_errors(fit, set);
        ASSERT_EQ(errors.size(), set.errors.size());
        EXPECT_GE(test::agreeing_digits(errors, set.errors), digits_of_errors(GetParam()));
        EXPECT_GE(
            test::agreeing_digits(std::vector{deviation(fit, set)}, std::vector{set.deviation}),
            digits_of_errors(GetParam()));
    }
}

TEST_P(NistTest, TenDigitsByNormalEquationsFromBothStarts) {
    for (const std::vector<double>& start : set.starts) {
        const auto residuals = test::nist_residuals(set);
        test::GramObjective objective(*residuals);
        expect_certified(minimise(objective, start, {}, exact()));
    }
}

// What is left to the certified point is far less than its standard error.
TEST_P(NistTest, DefaultTolerancesLeaveLessThanAThousandthOfTheErrors) {
    for (const std::vector<double>& start : set.starts) {
        const auto residuals = test::nist_residuals(set);
        const Fit fit = minimise(*residuals, start);
        EXPECT_TRUE(converged(fit.stop)) << text(fit.stop);
        for (std::size_t i = 0; i < fit.x.size(); ++i) {
            EXPECT_LT(std::abs(fit.x[i] - set.certified[i]),
                      1e-3 * set.errors[i] + 1e-10 * std::abs(set.certified[i]));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All,
                         NistTest,
                         testing::ValuesIn(test::nist_names().begin(), test::nist_names().end()),
                         [](const auto& set) { return set.param; });

TEST(NistValleyTest, BentStepsFollowIt) {
    const test::NistSet set = test::nist_set("Bennett5");
    TrustRegionOptions options = exact();
    options.bent_steps = true;
    for (const std::vector<double>& start : set.starts) {
        const auto residuals = test::nist_residuals(set);
        const Fit fit = minimise(*residuals, start, {}, options);
        EXPECT_GE(test::agreeing_digits(fit.x, set.certified), 10);
        EXPECT_LT(fit.evaluations, 100);  // 802 and 277 by straight steps
    }
}

}  // namespace
}  // namespace lockstep::xpcs::nlsq
