#include "lockstep/xpcs/cmc/transforms.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

namespace lockstep::xpcs::cmc {
namespace {

struct Case {
    Transform transform;
    std::vector<double> inside;
};

const std::vector<Case> cases{
    {Transform::real(), {-7, 0, 3}},
    {Transform::interval(100, 1e5), {100.001, 101, 8000, 99999}},
    {Transform::interval(-10, 10), {-9.999, 0, 9}},
    {Transform::above(0), {1e-9, 1, 1e9}},
    {Transform::above(-1 + 1e-4), {-0.9, 5}},
    {Transform::below(2), {1.5, -40}},
};

TEST(TransformsTest, TheInverseLeadsBack) {
    for (const Case& one : cases) {
        for (const double value : one.inside) {
            const double back = one.transform.at(one.transform.inverse(value)).value;
            EXPECT_NEAR(back, value, 1e-11 * (1 + std::abs(value)));
        }
    }
}

TEST(TransformsTest, DerivativesAreThoseOfCentralDifferences) {
    constexpr double h = 1e-5;
    for (const Case& one : cases) {
        for (const double u : {-8.0, -1.0, -0.1, 0.0, 0.3, 2.0, 9.0}) {
            const Transformed here = one.transform.at(u);
            const Transformed above = one.transform.at(u + h);
            const Transformed below = one.transform.at(u - h);
            const double slope = (above.value - below.value) / (2 * h);
            const double rounding = 1e-15 * std::abs(here.value) / h;
            EXPECT_NEAR(here.slope, slope, 1e-8 * std::abs(slope) + rounding);
            EXPECT_NEAR(here.log_slope, std::log(std::abs(here.slope)), 1e-12 * 12);
            EXPECT_NEAR(here.d_log_slope, (above.log_slope - below.log_slope) / (2 * h), 1e-8);
        }
    }
}

TEST(TransformsTest, FarOutTheIntervalEndsAtItsBoundsWithAFiniteJacobian) {
    const Transform interval = Transform::interval(-2, 3);
    for (const double u : {-800.0, 800.0}) {
        const Transformed end = interval.at(u);
        EXPECT_EQ(end.value, u < 0 ? -2 : 3);
        EXPECT_EQ(end.slope, 0);
        EXPECT_NEAR(end.log_slope, -800 + std::log(5.0), 1e-9);
        EXPECT_EQ(end.d_log_slope, u < 0 ? 1 : -1);
    }
}

TEST(TransformsTest, NearABoundNothingCancels) {
    const Transformed near = Transform::interval(0, 1).at(40);
    EXPECT_NEAR(near.slope, std::exp(-40), 1e-15 * std::exp(-40));
    EXPECT_NEAR(Transform::interval(0, 1).at(-40).value, std::exp(-40), 1e-15 * std::exp(-40));
}

TEST(TransformsTest, BoundsAndValuesOutsideAreRefused) {
    EXPECT_THROW(Transform::interval(1, 1), InputError);
    EXPECT_THROW(Transform::interval(0, std::numeric_limits<double>::infinity()), InputError);
    EXPECT_THROW(Transform::interval(std::nan(""), 1), InputError);
    EXPECT_THROW((void)Transform::interval(0, 1).inverse(1), InputError);
    EXPECT_THROW((void)Transform::interval(0, 1).inverse(-0.5), InputError);
    EXPECT_THROW((void)Transform::above(0).inverse(0), InputError);
    EXPECT_THROW((void)Transform::below(0).inverse(1), InputError);
}

TEST(TransformsTest, LogDensitiesByHand) {
    const LogPrior normal = normal_log_density(3, 1, 4);
    EXPECT_EQ(normal.value, -0.125);
    EXPECT_EQ(normal.slope, -0.125);
    const LogPrior half = half_normal_log_density(2, 2);
    EXPECT_EQ(half.value, -0.5);
    EXPECT_EQ(half.slope, -0.5);
}

// The density of sigma = e^u under a half-normal prior integrates to √(π/2).
TEST(TransformsTest, ADensityWithItsJacobianKeepsItsIntegral) {
    double integral = 0;
    constexpr double step = 1e-3;
    for (double u = -30; u < 4; u += step) {
        const Transformed sigma = Transform::above(0).at(u);
        integral +=
            step * std::exp(half_normal_log_density(sigma.value, 1).value + sigma.log_slope);
    }
    EXPECT_NEAR(integral, std::sqrt(std::acos(-1.0) / 2), 1e-9);
}

}  // namespace
}  // namespace lockstep::xpcs::cmc
