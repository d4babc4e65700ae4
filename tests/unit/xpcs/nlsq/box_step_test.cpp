#include "xpcs/nlsq/box_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "lockstep/base/index.hpp"

namespace lockstep::xpcs::nlsq {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

BoxProblem problem(const Matrix& a, const Vector& c, const Vector& lower, const Vector& upper) {
    return {a, c, lower, upper, 1e-14};
}

double half_square(const BoxProblem& p, const Vector& s) {
    return 0.5 * (p.a * s + p.c).squaredNorm();
}

TEST(BoxStepTest, IsTheLeastSquaresSolutionWhereThereIsRoom) {
    const Vector none = Vector::Constant(2, infinity);
    const BoxStep step =
        box_step(problem(Matrix{{2, 0}, {0, 1}}, Vector{{-4, 3}}, -none, none), infinity);
    EXPECT_DOUBLE_EQ(step.s[0], 2);
    EXPECT_DOUBLE_EQ(step.s[1], -3);
    EXPECT_DOUBLE_EQ(step.fall, 12.5);
    EXPECT_EQ(step.damping, 0);
}

TEST(BoxStepTest, EndsOnTheBallWithItsDamping) {
    const Vector none = Vector::Constant(2, infinity);
    const BoxStep step =
        box_step(problem(Matrix::Identity(2, 2), Vector{{-3, -4}}, -none, none), 1);
    // s = (3, 4) / (1 + λ) of length 1.
    EXPECT_NEAR(step.damping, 4, 0.01);
    EXPECT_NEAR(step.s.norm(), 1, 2e-3);
    EXPECT_NEAR(step.s[1] / step.s[0], 4.0 / 3, 1e-14);
}

TEST(BoxStepTest, StopsExactlyAtABoundAndUsesTheRest) {
    // Along the valley s0 = s1 down to (2, 2), but s0 may not pass 1.
    const BoxStep step = box_step(
        problem(Matrix{{10, -10}, {1, 0}}, Vector{{0, -2}}, Vector{{-5, -5}}, Vector{{1, 5}}),
        infinity);
    EXPECT_EQ(step.s[0], 1);
    EXPECT_NEAR(step.s[1], 1, 1e-14);
    EXPECT_EQ(step.bounds, (std::vector{AtBound::upper, AtBound::no}));
}

TEST(BoxStepTest, LetsGoOfABoundThatHoldsAtFirst) {
    // At 0 the slope holds s1 at its bound; once s0 has moved, s1 gains by moving too.
    const BoxStep step = box_step(
        problem(Matrix{{-1, 1}, {1, 0}}, Vector{{0.1, -1}}, Vector{{0, 0}}, Vector{{3, 3}}),
        infinity);
    EXPECT_NEAR(step.s[0], 1, 1e-14);
    EXPECT_NEAR(step.s[1], 0.9, 1e-14);
    EXPECT_EQ(step.bounds, (std::vector{AtBound::no, AtBound::no}));
}

TEST(BoxStepTest, TakesTheShortestStepWhereTheRankIsLow) {
    const Vector none = Vector::Constant(2, infinity);
    const BoxStep step = box_step(problem(Matrix{{1, 1}}, Vector{{-2}}, -none, none), infinity);
    EXPECT_NEAR(step.s[0], 1, 1e-15);
    EXPECT_NEAR(step.s[1], 1, 1e-15);
}

TEST(BoxStepTest, HoldsAFixedParameterAndOneWithoutInfluence) {
    const BoxStep step = box_step(
        problem(Matrix{{1, 1, 0}}, Vector{{-2}}, Vector{{0, -9, -9}}, Vector{{0, 9, 9}}), infinity);
    EXPECT_EQ(step.s[0], 0);
    EXPECT_NEAR(step.s[1], 2, 1e-15);
    EXPECT_EQ(step.s[2], 0);
}

// No point of the box and the ball near the answer is better: the problem is convex, so none is.
RC_GTEST_PROP(BoxStepPropertyTest, NoFeasiblePointIsBetter, ()) {
    const auto number = [](double scale) {
        return *rc::gen::inRange(-1000, 1001) / 1000.0 * scale;
    };
    const Index n = *rc::gen::inRange(1, 6);
    Matrix a(n + 1, n);
    Vector c(n + 1);
    Vector lower(n);
    Vector upper(n);
    for (double& value : a.reshaped()) {
        value = number(2);
    }
    for (double& value : c) {
        value = number(3);
    }
    for (Index i = 0; i < n; ++i) {
        lower[i] = std::min(0.0, number(1));
        upper[i] = std::max(0.0, number(1));
    }
    const double radius = *rc::gen::elementOf(std::vector<double>{0.1, 0.7, 2, infinity});
    const BoxProblem p = problem(a, c, lower, upper);

    const BoxStep step = box_step(p, radius);

    RC_ASSERT((step.s.array() >= lower.array()).all() && (step.s.array() <= upper.array()).all());
    RC_ASSERT(step.s.norm() <= radius * 1.002);
    const double best = half_square(p, step.s);
    RC_ASSERT(std::abs(step.fall - (half_square(p, Vector::Zero(n)) - best)) < 1e-12);
    for (int trial = 0; trial < 200; ++trial) {
        Vector other = step.s;
        for (double& value : other) {
            value += number(trial % 2 == 0 ? 0.01 : 1);
        }
        other = other.cwiseMax(lower).cwiseMin(upper);
        other *= std::min(1.0, radius * 0.998 / std::max(other.norm(), 1e-300));
        RC_ASSERT(half_square(p, other) >= best - 1e-10);
    }
}

}  // namespace
}  // namespace lockstep::xpcs::nlsq
