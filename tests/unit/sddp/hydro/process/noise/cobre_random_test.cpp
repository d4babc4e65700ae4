#include "sddp/hydro/process/noise/cobre_random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace lockstep::sddp::cobre {
namespace {

std::uint64_t hash_of(std::string_view text) {
    return sip_hash13(std::vector<std::uint8_t>(text.begin(), text.end()));
}

// Expected: CPython 3.11, whose hash of bytes is SipHash-1-3, with PYTHONHASHSEED=0 (key 0).
TEST(CobreRandomTest, HashesLikeSipHash13) {
    EXPECT_EQ(hash_of("a"), 0x407448d2b89b1813U);
    EXPECT_EQ(hash_of("lockstep"), 0x842a83e6d5a17988U);
    EXPECT_EQ(hash_of("The quick brown fox"), 0x975e410714568333U);
    std::vector<std::uint8_t> counting(16);
    std::iota(counting.begin(), counting.end(), std::uint8_t{0});
    EXPECT_EQ(sip_hash13(counting), 0x8972188433a5c5b7U);
}

TEST(CobreRandomTest, SeedsAreHashesOfLittleEndianNumbers) {
    constexpr std::uint64_t base = 0x0706050403020100;

    EXPECT_EQ(opening_seed(base, 0x0b0a0908, 0x0f0e0d0c), 0x8972188433a5c5b7U);
    EXPECT_EQ(stage_seed(0x656b636f6c, 0), hash_of(std::string_view("locke\0\0\0\0\0\0\0", 12)));
    EXPECT_EQ(forward_seed(0x656b636f6c, 1, 2, 3),
              hash_of(std::string_view("locke\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0", 20)));
    EXPECT_EQ(shared_forward_seed(0x656b636f6c, 1, 2, 3),
              hash_of(std::string_view("\1locke\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0", 21)));
    EXPECT_EQ(class_seed(0x656b636f6c, "load"), hash_of(std::string_view("\2locke\0\0\0load", 13)));
}

// Expected: NumPy 2 PCG64 started from the same 128-bit state and increment.
TEST(CobreRandomTest, GeneratesLikePcg64) {
    Generator zero(0);
    EXPECT_EQ(zero.next64(), 0x20ae25dad4e2bc53U);
    EXPECT_EQ(zero.next64(), 0x58f938e12bbf69fbU);
    EXPECT_EQ(zero.next64(), 0xb5b235d60cf8e231U);

    Generator other(12345);
    EXPECT_EQ(other.next64(), 0x3ae09a2df672eeb1U);
    EXPECT_EQ(other.next32(), 0xab4db6aaU);
    EXPECT_EQ(other.next64(), 0x3048575a04d49303U);
}

// Expected: opening noises that Cobre 0.18.0 wrote for cases with seed 42.
TEST(CobreRandomTest, NormalsHaveTheBitsOfCobre) {
    const auto first = [](std::uint32_t opening, std::uint32_t stage) {
        return Generator(opening_seed(42, opening, stage)).normal();
    };

    EXPECT_EQ(first(0, 0), 0.40098936496495646);
    EXPECT_EQ(first(1, 0), -1.3954121776085244);
    EXPECT_EQ(first(2, 0), 0.8337031709056368);
    EXPECT_EQ(first(2, 1), 1.468481226499341);
    EXPECT_EQ(first(4, 3), -2.074681206572173);
    Generator both(opening_seed(42, 0, 5));
    both.normal();
    EXPECT_EQ(both.normal(), 1.3570945269783876);
}

TEST(CobreRandomTest, LayersOfTheZigguratHaveEqualAreas) {
    constexpr std::array ends = {
#include "sddp/hydro/process/noise/cobre_random_layers.inc"
    };
    const auto density = [](double x) { return std::exp(-x * x / 2); };
    constexpr double area = 0.00492867323399;

    ASSERT_EQ(ends.size(), 257U);
    EXPECT_EQ(ends[1], 3.6541528853610088);
    EXPECT_NEAR(ends[0] * density(ends[1]), area, 1e-15);
    for (std::size_t i = 1; i < 256; ++i) {
        EXPECT_NEAR(ends[i] * (density(ends[i + 1]) - density(ends[i])), area, 1e-11)
            << i;  // V has 12 digits
    }
}

TEST(CobreRandomTest, NormalsHaveNormalMomentsAndTails) {
    constexpr int draws = 400000;
    Generator generator(7);
    std::array<double, 4> power{};
    int beyond_two = 0;
    int in_tail = 0;

    for (int i = 0; i < draws; ++i) {
        const double x = generator.normal();
        double term = 1;
        for (double& sum : power) {
            term *= x;
            sum += term / draws;
        }
        beyond_two += std::abs(x) > 2 ? 1 : 0;
        in_tail += std::abs(x) > 3.6541528853610088 ? 1 : 0;
    }

    // five standard errors each: false alarm below 1e-6 per line
    const double root = std::sqrt(static_cast<double>(draws));
    EXPECT_NEAR(power[0], 0, 5 / root);
    EXPECT_NEAR(power[1], 1, 5 * std::sqrt(2.0) / root);
    EXPECT_NEAR(power[2], 0, 5 * std::sqrt(15.0) / root);
    EXPECT_NEAR(power[3], 3, 5 * std::sqrt(96.0) / root);
    EXPECT_NEAR(beyond_two, draws * 0.0455003, 5 * std::sqrt(draws * 0.0455 * 0.9545));
    EXPECT_NEAR(in_tail, draws * 2.5803e-4, 5 * std::sqrt(draws * 2.58e-4));
}

TEST(CobreRandomTest, UniformsStayBelowOne) {
    Generator generator(3);
    double mean = 0;

    for (int i = 0; i < 100000; ++i) {
        const double u = generator.uniform();
        ASSERT_GE(u, 0);
        ASSERT_LT(u, 1);
        mean += u / 100000;
    }

    EXPECT_NEAR(mean, 0.5, 5 * std::sqrt(1.0 / 12 / 100000));
}

TEST(CobreRandomTest, BoundedIntegersAreEven) {
    constexpr int draws = 60000;
    Generator generator(11);
    std::array<int, 6> count{};

    for (int i = 0; i < draws; ++i) {
        ++count[generator.below(6)];
    }

    for (const int c : count) {
        EXPECT_NEAR(c, draws / 6, 5 * std::sqrt(draws * 5.0 / 36));
    }
    EXPECT_EQ(generator.below(1), 0U);
}

TEST(CobreRandomTest, PermutationsHoldEachNumberOnce) {
    std::vector<std::uint32_t> order(101);

    Generator(5).permute(order);

    EXPECT_FALSE(std::ranges::is_sorted(order));
    std::ranges::sort(order);
    for (std::uint32_t i = 0; i < order.size(); ++i) {
        EXPECT_EQ(order[i], i);
    }
}

TEST(CobreRandomTest, InverseNormalGivesTabulatedQuantiles) {
    EXPECT_EQ(inverse_normal(0.5), 0);
    EXPECT_NEAR(inverse_normal(0.75), 0.674489750196082, 3e-9);
    EXPECT_NEAR(inverse_normal(0.9), 1.281551565544600, 3e-9);
    EXPECT_NEAR(inverse_normal(0.975), 1.959963984540054, 3e-9);
    EXPECT_NEAR(inverse_normal(0.999), 3.090232306167813, 3e-9);
    EXPECT_NEAR(inverse_normal(1e-6), -4.753424308822899, 3e-9);
    for (const double u : {0.001, 0.05, 0.25, 0.4}) {
        EXPECT_NEAR(inverse_normal(u), -inverse_normal(1 - u), 1e-12);
    }
}

TEST(CobreRandomTest, InverseNormalStaysFiniteAtTheEnds) {
    EXPECT_EQ(inverse_normal(0), -8.21);
    EXPECT_EQ(inverse_normal(1), 8.21);
    EXPECT_EQ(inverse_normal(1e-21), -8.21);
}

}  // namespace
}  // namespace lockstep::sddp::cobre
