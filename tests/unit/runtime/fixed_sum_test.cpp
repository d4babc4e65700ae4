#include "lockstep/runtime/fixed_sum.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

namespace lockstep::runtime {
namespace {

// Numbers of very different sizes, so that any other order gives another sum.
std::vector<double> wild_numbers(std::size_t count) {
    std::vector<double> numbers;
    for (std::size_t i = 0; i < count; ++i) {
        numbers.push_back(
            std::ldexp(1.0 + 0.37 * static_cast<double>(i % 11), static_cast<int>(i * 7 % 50)) *
            (i % 3 == 0 ? -1 : 1));
    }
    return numbers;
}

// The documented order, written out.
double sum_by_hand(const std::vector<double>& v) {
    double s[8] = {};
    for (std::size_t i = 0; i < v.size(); ++i) {
        s[i % 8] += v[i];
    }
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

TEST(FixedSumTest, SumsSmallWholeNumbers) {
    EXPECT_EQ(fixed_sum(std::vector<double>{}), 0);
    EXPECT_EQ(fixed_sum(std::vector<double>{5}), 5);
    EXPECT_EQ(fixed_sum(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), 55);
}

TEST(FixedSumTest, KeepsTheDocumentedOrderAtEveryLength) {
    for (std::size_t count = 0; count < 70; ++count) {
        const auto numbers = wild_numbers(count);
        EXPECT_EQ(fixed_sum(numbers), sum_by_hand(numbers)) << count;
    }
}

// 1 and 9 share a lane, 2^53 sits in another one: in a single running sum the ones would be lost.
TEST(FixedSumTest, AddsElementsEightApartFirst) {
    std::vector<double> numbers(17, 0);
    numbers[0] = 0x1p53;
    numbers[1] = numbers[9] = 1;

    EXPECT_EQ(fixed_sum(numbers), 0x1p53 + 2);
}

TEST(FixedSumTest, DotsInTheSameOrder) {
    for (std::size_t count = 0; count < 40; ++count) {
        const auto a = wild_numbers(count);
        const std::vector<double> ones(count, 1);
        EXPECT_EQ(fixed_dot(a, ones), fixed_sum(a)) << count;
    }
    EXPECT_EQ(fixed_dot(std::vector<double>{1, 2, 3}, std::vector<double>{4, 5, 6}), 32);
}

TEST(FixedSumTest, FusesProductsWithTheirAddition) {
    const double a = 1 + 0x1p-30;
    std::vector<double> left(9, 0);
    std::vector<double> right(9, 0);
    left[0] = -1 - 0x1p-29;
    right[0] = 1;
    left[8] = right[8] = a;

    EXPECT_EQ(fixed_dot(left, right), 0x1p-60);
}

TEST(FixedSumTest, RefusesToDotDifferentLengths) {
    EXPECT_THROW(fixed_dot(std::vector<double>(3), std::vector<double>(4)), AssertionError);
}

TEST(TreeSumTest, SplitsAtTheLargestPowerOfTwo) {
    const std::vector<double> v = wild_numbers(7);

    EXPECT_EQ(tree_sum(v), ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + v[6]));
    EXPECT_EQ(tree_sum(std::vector<double>{}), 0);
    EXPECT_EQ(tree_sum(std::vector<double>{3}), 3);
}

TEST(TreeSumTest, LosesLittleInLongSums) {
    const std::vector<double> tenths(1'000'000, 0.1);

    EXPECT_NEAR(tree_sum(tenths), 100'000, 1e-9);
}

}  // namespace
}  // namespace lockstep::runtime
