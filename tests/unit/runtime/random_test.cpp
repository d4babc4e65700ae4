#include "lockstep/runtime/random.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/philox.hpp"

namespace lockstep::runtime {
namespace {

using testing::ElementsAre;

// Known answers that come with Random123 1.14 (kat_vectors, philox4x32 with 10 rounds).
TEST(PhiloxTest, GivesTheKnownAnswers) {
    EXPECT_THAT(philox({0, 0, 0, 0}, {0, 0}),
                ElementsAre(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
    EXPECT_THAT(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
                ElementsAre(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
    EXPECT_THAT(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
                ElementsAre(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1));
}

TEST(RandomTest, IsAFunctionOfWhatIsDrawn) {
    const Random one(7, "test");
    const Random other(7, "test");

    const double late = one.uniform01(5, 6, 7);
    static_cast<void>(one.uniform01(1, 2, 3));

    EXPECT_EQ(other.uniform01(5, 6, 7), late);
    EXPECT_EQ(one.uniform01(5, 6, 7), late);
}

TEST(RandomTest, ChangesWithEachPartOfTheAddress) {
    constexpr std::uint64_t high_bit = std::uint64_t{1} << 63;
    std::set<double> seen;
    for (const Random& random : {Random(1, "a"), Random(1, "b"), Random(1 + high_bit, "a")}) {
        for (const std::uint64_t item : {std::uint64_t{0}, std::uint64_t{1}, high_bit}) {
            for (const std::uint32_t step : {0U, 1U, 0xffffffffU}) {
                for (const std::uint32_t dimension : {0U, 1U, 2U, 0xffffffffU}) {
                    seen.insert(random.uniform01(item, step, dimension));
                }
            }
        }
    }

    EXPECT_EQ(seen.size(), 3U * 3U * 3U * 4U);
}

TEST(RandomTest, FillsTheNumbersThatItDrawsOneByOne) {
    const Random random(42, "test");
    for (const std::size_t count : {0U, 1U, 2U, 7U}) {
        std::vector<double> uniforms(count);
        std::vector<double> normals(count);
        random.fill_uniform01(3, 4, uniforms);
        random.fill_normal(3, 4, normals);
        for (std::size_t i = 0; i < count; ++i) {
            EXPECT_EQ(uniforms[i], random.uniform01(3, 4, static_cast<std::uint32_t>(i)));
            EXPECT_EQ(normals[i], random.normal(3, 4, static_cast<std::uint32_t>(i)));
        }
    }
}

// Mean, variance and tails of 200,000 draws; each bound is five standard errors, so that a correct
// generator fails once in a million seeds.
TEST(RandomTest, DrawsUniformAndNormalNumbers) {
    constexpr int count = 200'000;
    const Random random(2026, "moments");
    double sum = 0;
    double normal_sum = 0;
    double normal_squares = 0;
    int beyond_two = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        const double u = random.uniform01(i, 0, 0);
        const double z = random.normal(i, 0, 1);
        ASSERT_GT(u, 0);
        ASSERT_LT(u, 1);
        sum += u;
        normal_sum += z;
        normal_squares += z * z;
        beyond_two += std::abs(z) > 2 ? 1 : 0;
    }
    const double root = std::sqrt(count);

    EXPECT_NEAR(sum / count, 0.5, 5 * std::sqrt(1.0 / 12) / root);
    EXPECT_NEAR(normal_sum / count, 0, 5 / root);
    EXPECT_NEAR(normal_squares / count, 1, 5 * std::sqrt(2.0) / root);
    EXPECT_NEAR(beyond_two / static_cast<double>(count), 0.0455, 5 * std::sqrt(0.0455) / root);
}

// A record, so that a change of the generator is noticed: old results could not be repeated.
TEST(RandomTest, GivesTheNumbersOfTheRecord) {
    const Random random(42, "sddp.forward");

    EXPECT_EQ(random.uniform01(0, 0, 0), 0x1.da0c905204f47p-1);
    EXPECT_EQ(random.uniform01(17, 3, 5), 0x1.5e8b0ad2b7f39p-1);
    EXPECT_EQ(random.normal(17, 3, 5), 0x1.ec4af298275dap-2);
}

}  // namespace
}  // namespace lockstep::runtime
