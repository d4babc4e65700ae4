#include "lockstep/xpcs/nlsq/loss.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace lockstep::xpcs::nlsq {
namespace {

struct Row {
    Loss::Kind kind;
    double z;
    LossValue expected;
};

// Printed by the functions of the same names in scipy 1.17.1, scipy.optimize._lsq.least_squares.
TEST(LossTest, IsThatOfSciPy) {
    const std::vector<Row> rows{
        {Loss::Kind::huber, 0.25, {0.25, 1, 0}},
        {Loss::Kind::huber, 4, {3, 0.5, -0.0625}},
        {Loss::Kind::soft_l1, 0.25, {0.2360679774997898, 0.8944271909999159, -0.35777087639996635}},
        {Loss::Kind::soft_l1, 4, {2.4721359549995796, 0.4472135954999579, -0.044721359549995794}},
        {Loss::Kind::cauchy, 0.25, {0.22314355131420976, 0.8, -0.64}},
        {Loss::Kind::cauchy, 4, {1.6094379124341003, 0.2, -0.04}},
        {Loss::Kind::arctan, 0.25, {0.24497866312686414, 0.9411764705882353, -0.4429065743944637}},
        {Loss::Kind::arctan, 4, {1.3258176636680326, 0.058823529411764705, -0.02768166089965398}},
        {Loss::Kind::linear, 4, {4, 1, 0}}};
    for (const Row& row : rows) {
        const LossValue value = loss_value(row.kind, row.z);
        EXPECT_NEAR(value.value, row.expected.value, 1e-15 * row.expected.value);
        EXPECT_NEAR(value.first, row.expected.first, 3e-16);
        EXPECT_NEAR(value.second, row.expected.second, 3e-16);
    }
}

TEST(LossTest, ArctanIsExactFromTinyToHuge) {
    for (double z = 1e-12; z < 1e12; z *= 1.37) {
        const double expected = std::atan(z);
        EXPECT_NEAR(loss_value(Loss::Kind::arctan, z).value, expected, 5e-16 * expected) << z;
    }
}

TEST(LossTest, CauchyIsExactForTinyResiduals) {
    for (double z = 1e-20; z < 1; z *= 3.1) {
        const double expected = std::log1p(z);
        EXPECT_NEAR(loss_value(Loss::Kind::cauchy, z).value, expected, 5e-16 * expected) << z;
    }
}

}  // namespace
}  // namespace lockstep::xpcs::nlsq
