#include "lockstep/xpcs/nlsq/determinacy.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"
#include "lockstep/xpcs/nlsq/trust_region.hpp"

#include "support/xpcs/formula.hpp"

namespace lockstep::xpcs::nlsq {
namespace {

using testing::HasSubstr;

// y = a + b t at t = 0, 1, 2 with y = 0, 1, 3: by hand a = -1/6, b = 3/2, Σr² = 1/6.
test::FormulaResiduals line() {
    return {3, 2, [](std::span<const test::Dual> x, std::span<test::Dual> r) {
                const double y[] = {0, 1, 3};
                for (int i = 0; i < 3; ++i) {
                    r[at(i)] = x[0] + x[1] * i - y[i];
                }
            }};
}

TEST(DeterminacyTest, ErrorsOfALineAreThoseByHand) {
    auto residuals = line();
    const Fit fit = minimise(residuals, std::vector{5.0, 5.0});
    ASSERT_EQ(fit.determinacy.rank, 2);
    EXPECT_NEAR(fit.x[0], -1.0 / 6, 1e-14);
    EXPECT_NEAR(fit.x[1], 1.5, 1e-14);

    const Covariance c = classical_covariance(fit.determinacy, {}, fit.cost, 3);

    // s² = 1/6; (JᵀJ)⁻¹ of {{3, 3}, {3, 5}} is {{5, -3}, {-3, 3}} / 6.
    ASSERT_EQ(c.matrix.size(), 4U);
    EXPECT_NEAR(c.matrix[0], 5.0 / 36, 1e-15);
    EXPECT_NEAR(c.matrix[1], -3.0 / 36, 1e-15);
    EXPECT_NEAR(c.matrix[3], 3.0 / 36, 1e-15);
    EXPECT_EQ(c.remark, "");
}

TEST(DeterminacyTest, ConditionDoesNotDependOnUnits) {
    for (const double unit : {1.0, 1e-9, 1e12}) {
        test::FormulaResiduals residuals(
            3, 2, [&](std::span<const test::Dual> x, std::span<test::Dual> r) {
                for (int i = 0; i < 3; ++i) {
                    r[at(i)] = x[0] + unit * x[1] * i - i * i;
                }
            });
        const Fit fit = minimise(residuals, std::vector{1.0, 1.0 / unit});
        // Unit columns at an angle of cosine 3/√15.
        const double cosine = 3 / std::sqrt(15.0);
        EXPECT_NEAR(fit.determinacy.condition, std::sqrt((1 + cosine) / (1 - cosine)), 1e-12);
    }
}

TEST(DeterminacyTest, NamesTheCombinationThatTheDataLeaveOpen) {
    test::FormulaResiduals residuals(
        3, 3, [](std::span<const test::Dual> x, std::span<test::Dual> r) {
            for (int i = 0; i < 3; ++i) {
                r[at(i)] = (x[0] + 100 * x[1]) * i + x[2] - i * i;
            }
        });
    const Box box{{"D0", "alpha", "offset"}, {}, {}};
    const Fit fit = minimise(residuals, std::vector{1.0, 1.0, 1.0}, box);

    EXPECT_TRUE(converged(fit.stop));
    EXPECT_EQ(fit.determinacy.rank, 2);
    EXPECT_EQ(fit.determinacy.condition, std::numeric_limits<double>::infinity());
    ASSERT_EQ(fit.determinacy.undetermined.size(), 1U);
    const auto& open = fit.determinacy.undetermined[0];
    EXPECT_NEAR(open[0] + 100 * open[1], 0, 1e-15);
    EXPECT_NEAR(open[2], 0, 1e-15);
    const Covariance c = classical_covariance(fit.determinacy, box, fit.cost, 3);
    EXPECT_TRUE(c.matrix.empty());
    EXPECT_THAT(c.remark, HasSubstr("do not determine the combination 0.71 D0 - 0.71 alpha"));
}

TEST(DeterminacyTest, NamesAParameterWithoutInfluence) {
    test::FormulaResiduals residuals(
        2, 2, [](std::span<const test::Dual> x, std::span<test::Dual> r) {
            r[0] = x[0] - 1;
            r[1] = 2 * x[0] - 3;
        });
    test::GramObjective objective(residuals);
    for (const Fit& fit :
         {minimise(residuals, std::vector{0.0, 7.0}), minimise(objective, std::vector{0.0, 7.0})}) {
        EXPECT_EQ(fit.x[1], 7);
        EXPECT_EQ(fit.determinacy.rank, 1);
        EXPECT_THAT(undetermined_text(fit.determinacy, {}), HasSubstr("1.00 parameter 2"));
    }
}

TEST(DeterminacyTest, NamesWhatIsDeterminedWorst) {
    // Columns of length 2 and 3 at a small angle: their difference hardly matters.
    const std::vector<double> gram{4, 6 * 0.999, 6 * 0.999, 9};
    const Determinacy d = determine(gram, {AtBound::no, AtBound::no});
    EXPECT_EQ(d.rank, 2);
    EXPECT_NEAR(d.condition, std::sqrt(1.999 / 0.001), 1e-10);
    EXPECT_THAT(weakest_text(d, {{"contrast", "offset"}, {}, {}}),
                testing::AnyOf("0.71 contrast - 0.71 offset", "-0.71 contrast + 0.71 offset"));
    // The inverse by hand: the determinant is 36 (1 - 0.999²).
    EXPECT_NEAR(d.inverse[0], 9 / (36 * (1 - 0.999 * 0.999)), 1e-10);
    const Determinacy held = determine(gram, {AtBound::lower, AtBound::upper});
    EXPECT_EQ(held.free, 0);
    EXPECT_EQ(weakest_text(held, {}), "");
}

TEST(DeterminacyTest, AParameterAtItsBoundHasNoError) {
    auto residuals = line();
    const Box box{{"a", "b"}, {0, -9}, {9, 9}};
    const Fit fit = minimise(residuals, std::vector{1.0, 1.0}, box);
    EXPECT_EQ(fit.x[0], 0);
    EXPECT_EQ(fit.bounds[0], AtBound::lower);
    EXPECT_NEAR(fit.x[1], 1.4, 1e-15);

    const Covariance c = classical_covariance(fit.determinacy, box, fit.cost, 3);

    EXPECT_TRUE(std::isnan(c.matrix[0]) && std::isnan(c.matrix[1]));
    EXPECT_NEAR(c.matrix[3], 0.2 / 2 / 5, 1e-15);  // Σr² = 0.2, two degrees of freedom, Σt² = 5
    EXPECT_EQ(c.remark, "at a bound, so without an error: a");
}

TEST(DeterminacyTest, AsManyParametersAsResidualsLeaveNoVariance) {
    auto residuals = line();
    const Fit fit = minimise(residuals, std::vector{1.0, 1.0});
    const Covariance c = classical_covariance(fit.determinacy, {}, fit.cost, 2);
    EXPECT_TRUE(c.matrix.empty());
    EXPECT_THAT(c.remark, HasSubstr("no degree of freedom"));
}

}  // namespace
}  // namespace lockstep::xpcs::nlsq
