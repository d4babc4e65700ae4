#include "sddp/hydro/process/noise/halton.hpp"

#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace lockstep::sddp {
namespace {

TEST(HaltonTest, BasesArePrimes) {
    EXPECT_EQ(first_primes(8), (std::vector<std::uint32_t>{2, 3, 5, 7, 11, 13, 17, 19}));
    EXPECT_EQ(first_primes(150).back(), 863U);
}

TEST(HaltonTest, PointsLieInTheMiddlesOfDifferentCells) {
    for (const std::uint32_t base : {2U, 3U, 7U}) {
        cobre::Generator stream(base);
        HaltonCoordinate coordinate;
        const std::uint32_t points = base * base * base - 1;  // three digits
        coordinate.draw(stream, base, points);

        std::set<double> cells;
        for (std::uint32_t i = 1; i <= points; ++i) {
            const double cell = coordinate(i) * (points + 1) - 0.5;
            EXPECT_NEAR(cell, static_cast<int>(cell + 0.5), 1e-9);
            cells.insert(cell);
        }
        EXPECT_EQ(cells.size(), points);
        EXPECT_GE(*cells.begin(), -1e-9);
    }
}

TEST(HaltonTest, AnyRunOfBasePointsCoversTheStrata) {
    constexpr std::uint32_t base = 5;
    cobre::Generator stream(1);
    HaltonCoordinate coordinate;
    coordinate.draw(stream, base, 100);

    for (std::uint32_t start = 1; start + base <= 100; ++start) {
        std::set<int> strata;
        for (std::uint32_t i = start; i < start + base; ++i) {
            strata.insert(static_cast<int>(coordinate(i) * base));
        }
        EXPECT_EQ(strata.size(), base);
    }
}

TEST(HaltonTest, IsTheRadicalInverseWhenNothingIsPermuted) {
    // looks for a stream that happens to keep the two digits of base 2 in place
    for (std::uint64_t seed = 0; seed < 64; ++seed) {
        cobre::Generator probe(seed);
        std::vector<std::uint32_t> low(2);
        std::vector<std::uint32_t> high(2);
        probe.permute(low);
        probe.permute(high);
        if (low[0] == 0 && high[0] == 0) {
            cobre::Generator stream(seed);
            HaltonCoordinate coordinate;
            coordinate.draw(stream, 2, 3);
            EXPECT_EQ(coordinate(1), 0.5 + 0.125);
            EXPECT_EQ(coordinate(2), 0.25 + 0.125);
            EXPECT_EQ(coordinate(3), 0.75 + 0.125);
            return;
        }
    }
    FAIL() << "no such stream among 64";
}

}  // namespace
}  // namespace lockstep::sddp
