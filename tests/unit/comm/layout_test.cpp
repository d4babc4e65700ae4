#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/comm/communicator.hpp"

namespace lockstep::comm {
namespace {

constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

std::string error_of(const std::function<Layout()>& make) {
    try {
        static_cast<void>(make());
    } catch (const CommError& error) {
        return error.what();
    }
    return "";
}

TEST(LayoutTest, PacksPartsOneAfterTheOther) {
    const Layout layout({3, 0, 2});

    EXPECT_EQ(layout.ranks(), 3);
    EXPECT_EQ(layout.offset(0), 0);
    EXPECT_EQ(layout.offset(1), 3);
    EXPECT_EQ(layout.offset(2), 3);
    EXPECT_EQ(layout.count(2), 2);
    EXPECT_EQ(layout.extent(), 5);
}

TEST(LayoutTest, IsEmptyByDefault) {
    EXPECT_EQ(Layout().ranks(), 0);
    EXPECT_EQ(Layout().extent(), 0);
}

TEST(LayoutTest, ExtendsToThePartThatEndsLast) {
    EXPECT_EQ(Layout({2, 1}, {10, 0}).extent(), 12);
    EXPECT_EQ(Layout({0, 1}, {10, 0}).extent(), 1);
}

TEST(LayoutTest, CountsAllParts) {
    EXPECT_EQ(Layout().total(), 0);
    EXPECT_EQ(Layout({2, 0, 3}, {10, 0, 20}).total(), 5);
}

TEST(LayoutTest, IsEvenWhereAllPartsHaveOneLengthAndLieInOrder) {
    EXPECT_TRUE(Layout({4, 4, 4}).is_even());
    EXPECT_TRUE(Layout::blocks(6, 5, 3).is_even());
    EXPECT_TRUE(Layout({0, 0}).is_even());
    EXPECT_TRUE(Layout({7}).is_even());
    EXPECT_FALSE(Layout::blocks(7, 5, 3).is_even());
    EXPECT_FALSE(Layout({4, 4}, {4, 0}).is_even());
    EXPECT_FALSE(Layout({4, 4}, {1, 5}).is_even());
    EXPECT_FALSE(Layout({4, 4}, {0, 5}).is_even());
    EXPECT_FALSE(Layout({4}, {1}).is_even());
}

TEST(LayoutTest, HasAFingerprintOfItsCountsAndOffsets) {
    const std::uint64_t one = Layout({2, 1}).fingerprint();
    EXPECT_EQ(Layout({2, 1}, {0, 2}).fingerprint(), one);
    EXPECT_NE(Layout({2, 1}, {1, 0}).fingerprint(), one);
    EXPECT_NE(Layout({1, 2}).fingerprint(), one);
    EXPECT_NE(Layout({2, 1, 0}).fingerprint(), one);
}

TEST(LayoutTest, SplitsItemsByTheBlockRule) {
    const Layout layout = Layout::blocks(7, 10, 3);

    EXPECT_EQ(layout.count(0), 30);
    EXPECT_EQ(layout.count(1), 20);
    EXPECT_EQ(layout.offset(1), 30);
    EXPECT_EQ(layout.offset(2), 50);
    EXPECT_EQ(layout.extent(), 70);
    EXPECT_EQ(Layout::blocks(1, 4, 3).count(2), 0);
}

TEST(LayoutTest, HoldsMoreThan32BitsCanCount) {
    const Layout layout = Layout::blocks(std::int64_t{1} << 40, 8, 2);

    EXPECT_EQ(layout.offset(1), std::int64_t{1} << 42);
    EXPECT_EQ(layout.extent(), std::int64_t{1} << 43);
}

TEST(LayoutTest, RejectsListsOfDifferentLengths) {
    EXPECT_EQ(error_of([] {
                  return Layout({1, 2}, {0});
              }),
              "layout: 2 counts and 1 offsets, must be one a rank");
}

TEST(LayoutTest, RejectsNegativeNumbers) {
    EXPECT_EQ(error_of([] {
                  return Layout({1, -2});
              }),
              "layout: rank 1 has count -2 and offset 1, both must be 0 or more");
    EXPECT_EQ(error_of([] { return Layout({1}, {-1}); }),
              "layout: rank 0 has count 1 and offset -1, both must be 0 or more");
}

TEST(LayoutTest, RejectsPartsThatOverlap) {
    EXPECT_EQ(error_of([] {
                  return Layout({3, 4}, {4, 1});
              }),
              "layout: the parts of ranks 0 and 1 overlap at element 4");
    EXPECT_EQ(error_of([] {
                  return Layout({1, 0, 1}, {5, 5, 5});
              }),
              "layout: the parts of ranks 0 and 2 overlap at element 5");
    EXPECT_EQ(error_of([] { return Layout({3, 4, 0}, {4, 0, 5}); }), "");
}

TEST(LayoutTest, RejectsOverflow) {
    EXPECT_NE(error_of([] { return Layout({huge, 1}); }), "");
    EXPECT_NE(error_of([] { return Layout({2}, {huge - 1}); }), "");
    EXPECT_NE(error_of([] { return Layout::blocks(huge / 2, 3, 2); }), "");
    EXPECT_EQ(error_of([] { return Layout({1}, {huge - 1}); }), "");
}

TEST(LayoutTest, RejectsImpossibleBlocks) {
    EXPECT_EQ(error_of([] { return Layout::blocks(-1, 2, 3); }),
              "layout: -1 items of width 2 over 3 ranks");
    EXPECT_EQ(error_of([] { return Layout::blocks(1, 2, 0); }),
              "layout: 1 items of width 2 over 0 ranks");
}

}  // namespace
}  // namespace lockstep::comm
