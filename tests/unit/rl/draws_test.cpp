#include "lockstep/rl/draws.hpp"

#include <set>

#include <gtest/gtest.h>

namespace lockstep::rl {
namespace {

using Words = std::array<std::uint32_t, 4>;

// Known answers published with Random123 1.14 (kat_vectors, philox4x32 with ten rounds).
TEST(DrawsTest, PhiloxGivesThePublishedAnswers) {
    EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
              (Words{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8}));
    EXPECT_EQ(philox({~0U, ~0U, ~0U, ~0U}, {~0U, ~0U}),
              (Words{0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD}));
    EXPECT_EQ(philox({0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344}, {0xA4093822, 0x299F31D0}),
              (Words{0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1}));
}

TEST(DrawsTest, ASkippedNumberIsOneThatNobodyLookedAt) {
    const Streams streams(7, "test");
    StepDraws all = streams.at(3, 5);
    static_cast<void>(all.bits());
    static_cast<void>(all.bits());
    const std::uint64_t third = all.bits();
    const std::uint64_t fourth = all.bits();
    StepDraws some = streams.at(3, 5);
    some.skip();
    some.skip();
    some.skip();
    EXPECT_EQ(some.bits(), fourth);
    some = streams.at(3, 5);
    some.skip();
    some.skip();
    EXPECT_EQ(some.bits(), third);
}

TEST(DrawsTest, NumbersDifferBySeedPurposeItemStepAndOrder) {
    std::set<std::uint64_t> seen;
    for (const std::uint64_t seed : {1U, 2U}) {
        for (const char* const purpose : {"a", "b"}) {
            for (const std::uint32_t item : {0U, 1U}) {
                for (const std::uint64_t step : {0UL, 1UL, 1UL << 32U}) {
                    StepDraws draws = Streams(seed, purpose).at(item, step);
                    seen.insert({draws.bits(), draws.bits(), draws.bits()});
                }
            }
        }
    }
    EXPECT_EQ(seen.size(), 2U * 2 * 2 * 3 * 3);
}

TEST(DrawsTest, BlocksComputedTogetherAreThoseOfEachStepAndOfEachItem) {
    const Streams streams(11, "test");
    constexpr std::uint32_t item = 0xFFFFFFF0U;
    constexpr std::uint64_t step = 0xFFFFFFFDU;  // the upper half of the number changes within
    std::array<DrawBlock, 11> steps;             // two groups of four, and a rest
    std::array<DrawBlock, 11> items;
    streams.fill(item, step, steps);
    streams.fill_items(item, step, items);
    for (std::uint32_t i = 0; i < steps.size(); ++i) {
        StepDraws one = streams.at(item, step + i);
        StepDraws filled = streams.at(item, step + i, steps.at(i));
        StepDraws of_item = streams.at(item + i, step);
        StepDraws filled_item = streams.at(item + i, step, items.at(i));
        for (int number = 0; number < 5; ++number) {
            EXPECT_EQ(filled.bits(), one.bits()) << "step " << i << ", number " << number;
            EXPECT_EQ(filled_item.bits(), of_item.bits()) << "item " << i << ", number " << number;
        }
    }
}

TEST(DrawsTest, ScalesBitsEvenly) {
    EXPECT_EQ(scaled(0, 10), 0U);
    EXPECT_EQ(scaled(~std::uint64_t{0}, 10), 9U);
    EXPECT_EQ(scaled(std::uint64_t{1} << 63U, 10), 5U);
    EXPECT_EQ(unit_interval(~std::uint64_t{0}), 1 - 0x1p-53);
    EXPECT_EQ(unit_interval(0), 0.0);
}

}  // namespace
}  // namespace lockstep::rl
