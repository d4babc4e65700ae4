#include "xpcs/model/order_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/xpcs/cmc/diagnostics.hpp"

namespace lockstep::xpcs {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

auto statistics_of(const std::vector<double>& values) {
    return OrderStatistics([&](auto&& visit) {
        for (const double value : values) {
            visit(value, 1);
        }
    });
}

TEST(OrderStatisticsTest, AreThePlacesOfTheSortedValues) {
    std::vector<double> values{0, 1e-308, -1e-308, 1e308, -1e308, 1, 1, 1, -7.5, 3};
    std::mt19937_64 random(3);
    std::normal_distribution<double> near_one(1.1, 1e-6);
    for (int k = 0; k < 1000; ++k) {
        values.push_back(near_one(random));
    }
    const auto statistics = statistics_of(values);
    std::ranges::sort(values);
    ASSERT_EQ(statistics.count(), std::ssize(values));
    for (std::size_t k = 0; k < values.size(); ++k) {
        ASSERT_EQ(statistics.at(static_cast<std::int64_t>(k)), values[k]) << k;
    }
}

TEST(OrderStatisticsTest, QuantilesAreThoseOfTheSortedValues) {
    std::vector<double> values{2, 9, -4, 9, 0.5, 7, 7.25};
    const auto statistics = statistics_of(values);
    std::ranges::sort(values);
    for (const double probability : {0.0, 0.1, 0.2, 0.5, 0.77, 1.0}) {
        EXPECT_EQ(statistics.quantile(probability), cmc::quantile_of_sorted(values, probability));
    }
}

TEST(OrderStatisticsTest, ValuesCountAsOftenAsTheyAreThereAndNanNever) {
    const OrderStatistics statistics([](auto&& visit) {
        visit(nan, 5);
        visit(2.0, 3);
        visit(-1.0, 2);
        visit(-nan, 1);
    });
    EXPECT_EQ(statistics.count(), 5);
    EXPECT_EQ(statistics.at(1), -1);
    EXPECT_EQ(statistics.at(2), 2);
    EXPECT_EQ(statistics.at(4), 2);
}

}  // namespace
}  // namespace lockstep::xpcs
