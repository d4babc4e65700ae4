#include "sddp/hydro/process/noise/sobol.hpp"

#include <cstdint>
#include <set>

#include <gtest/gtest.h>

namespace lockstep::sddp {
namespace {

double coordinate(std::uint32_t position, std::size_t dimension) {
    return sobol_bits(dimension, gray_code(position)) * 0x1p-32;
}

// The points that [JoeKuo2008] prints for three dimensions.
TEST(SobolTest, StartsWithThePublishedPoints) {
    constexpr double expected[8][3] = {{0, 0, 0},
                                       {0.5, 0.5, 0.5},
                                       {0.75, 0.25, 0.25},
                                       {0.25, 0.75, 0.75},
                                       {0.375, 0.375, 0.625},
                                       {0.875, 0.875, 0.125},
                                       {0.625, 0.125, 0.875},
                                       {0.125, 0.625, 0.375}};

    for (std::uint32_t i = 0; i < 8; ++i) {
        for (std::size_t d = 0; d < 3; ++d) {
            EXPECT_EQ(coordinate(i, d), expected[i][d]) << i << ", " << d;
        }
    }
}

// Expected: scipy.stats.qmc.Sobol(1000, scramble=False, bits=32) of SciPy 1.17.1, point 5000.
TEST(SobolTest, HighDimensionsAgreeWithScipy) {
    EXPECT_EQ(sobol_bits(0, gray_code(5000)), 844627968U);
    EXPECT_EQ(sobol_bits(1, gray_code(5000)), 1119354880U);
    EXPECT_EQ(sobol_bits(99, gray_code(5000)), 281542656U);
    EXPECT_EQ(sobol_bits(499, gray_code(5000)), 1303904256U);
    EXPECT_EQ(sobol_bits(999, gray_code(5000)), 2021130240U);
}

TEST(SobolTest, EveryCoordinateVisitsEachOf256CellsOnce) {
    for (const std::size_t d : {0U, 7U, 150U, 999U}) {
        std::set<std::uint32_t> cells;
        for (std::uint32_t i = 0; i < 256; ++i) {
            cells.insert(sobol_bits(d, i) >> 24);
        }
        EXPECT_EQ(cells.size(), 256U) << d;
    }
}

TEST(SobolTest, ScramblingKeepsPointsApartAndInside) {
    cobre::Generator stream(9);
    const SobolScramble scramble(stream);
    std::set<double> seen;

    for (std::uint32_t i = 0; i < 1024; ++i) {
        const double u = scramble(sobol_bits(3, i));
        EXPECT_GT(u, 0);
        EXPECT_LT(u, 1);
        seen.insert(u);
    }

    EXPECT_EQ(scramble.factor % 2, 1U);
    EXPECT_EQ(seen.size(), 1024U);
}

}  // namespace
}  // namespace lockstep::sddp
