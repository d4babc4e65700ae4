#include "xpcs/nlsq/triangulate.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::xpcs::nlsq {
namespace {

// The triangle and Qᵀr have the same products as J and r.
void expect_same_products(const Matrix& j, const Vector& r) {
    Matrix system(j.rows(), j.cols() + 1);
    system << j, r;
    triangulate(system);
    const Index rank = std::min(j.rows(), j.cols());
    const Matrix triangle = system.topLeftCorner(rank, j.cols()).triangularView<Eigen::Upper>();
    const double scale = j.norm() * (j.norm() + r.norm());
    EXPECT_LE((triangle.transpose() * triangle - j.transpose() * j).norm(), 1e-14 * scale);
    EXPECT_LE((triangle.transpose() * system.col(j.cols()).head(rank) - j.transpose() * r).norm(),
              1e-14 * scale);
}

TEST(TriangulateTest, KeepsProductsOfASmallSystem) {
    const Matrix j{{3, 1}, {4, 2}, {0, 5}};
    expect_same_products(j, Vector{{1, 2, 3}});
}

TEST(TriangulateTest, TakesZeroColumnsAndFewRows) {
    expect_same_products(Matrix{{0, 1}, {0, 2}, {0, -2}}, Vector{{1, 0, 1}});
    expect_same_products(Matrix{{1, 2, 3}, {4, 5, 7}}, Vector{{1, -1}});
    expect_same_products(Matrix{{0, 0}}, Vector{{1}});
}

TEST(TriangulateTest, LengthsThatDoNotSquareSurvive) {
    Matrix system{{3e200, 1e-200}, {4e200, 2e-200}};
    triangulate(system);
    EXPECT_DOUBLE_EQ(system(0, 0), -5e200);
}

RC_GTEST_PROP(TriangulatePropertyTest, KeepsProducts, ()) {
    const Index rows = *rc::gen::inRange(1, 12);
    const Index cols = *rc::gen::inRange(1, 6);
    Matrix j(rows, cols);
    Vector r(rows);
    for (double& value : j.reshaped()) {
        value = *rc::gen::inRange(-1000, 1001) / 100.0;
    }
    for (double& value : r) {
        value = *rc::gen::inRange(-1000, 1001) / 100.0;
    }
    expect_same_products(j, r);
}

}  // namespace
}  // namespace lockstep::xpcs::nlsq
