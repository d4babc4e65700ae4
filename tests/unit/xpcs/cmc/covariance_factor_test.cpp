#include "lockstep/xpcs/cmc/covariance_factor.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

namespace lockstep::xpcs::cmc {
namespace {

using testing::ElementsAre;

// L = [[2, 0], [3, 4]].
const std::vector<double> covariance{4, 6, 6, 25};

TEST(CovarianceFactorTest, ProductsAndSolutionsByHand) {
    const auto factor = CovarianceFactor::dense(covariance);
    std::vector<double> x(2);

    factor.multiply(std::vector<double>{1, 1}, x);
    EXPECT_THAT(x, ElementsAre(2, 7));
    factor.multiply_transposed(std::vector<double>{1, 1}, x);
    EXPECT_THAT(x, ElementsAre(5, 4));
    x = {2, 7};
    factor.solve(x);
    EXPECT_THAT(x, ElementsAre(1, 1));
    x = {5, 4};
    factor.solve_transposed(x);
    EXPECT_THAT(x, ElementsAre(1, 1));
    EXPECT_DOUBLE_EQ(factor.log_determinant(), std::log(8.0));
    EXPECT_THAT(factor.inverse(), ElementsAre(25.0 / 64, -6.0 / 64, -6.0 / 64, 4.0 / 64));
}

TEST(CovarianceFactorTest, DiagonalActsAsTheDenseOneOfTheSameCovariance) {
    const auto diagonal = CovarianceFactor::diagonal(std::vector<double>{4, 9});
    const auto dense = CovarianceFactor::dense(std::vector<double>{4, 0, 0, 9});
    EXPECT_TRUE(diagonal.is_diagonal());
    EXPECT_FALSE(dense.is_diagonal());
    EXPECT_EQ(diagonal.inverse(), dense.inverse());
    EXPECT_EQ(diagonal.log_determinant(), dense.log_determinant());
    for (const auto product :
         {&CovarianceFactor::multiply, &CovarianceFactor::multiply_transposed}) {
        std::vector<double> a(2);
        std::vector<double> b(2);
        (diagonal.*product)(std::vector<double>{5, 7}, a);
        (dense.*product)(std::vector<double>{5, 7}, b);
        EXPECT_EQ(a, b);
    }
}

TEST(CovarianceFactorTest, OnlyTheLowerTriangleIsRead) {
    const auto factor = CovarianceFactor::dense(
        std::vector<double>{4, std::numeric_limits<double>::quiet_NaN(), 6, 25});
    EXPECT_EQ(factor.inverse(), CovarianceFactor::dense(covariance).inverse());
}

TEST(CovarianceFactorTest, WhatIsNoCovarianceIsNamed) {
    const auto message = [](const std::vector<double>& matrix) -> std::string {
        try {
            CovarianceFactor::dense(matrix);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_THAT(message({1, 2, 2, 1}), testing::HasSubstr("pivot -3 of row 1"));
    EXPECT_THAT(message({1, 2, 3}), testing::HasSubstr("3 entries is not square"));
    EXPECT_THAT(message({}), testing::HasSubstr("not square"));
    EXPECT_THROW(CovarianceFactor::diagonal(std::vector<double>{1, 0}), InputError);
    EXPECT_THROW(CovarianceFactor::diagonal(std::vector<double>{std::nan("")}), InputError);
}

}  // namespace
}  // namespace lockstep::xpcs::cmc
