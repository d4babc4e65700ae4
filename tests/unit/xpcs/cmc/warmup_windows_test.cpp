#include "xpcs/cmc/warmup_windows.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::xpcs::cmc {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Last iterations of the windows.
std::vector<int> ends(int warmup) {
    const WarmupWindows windows(warmup);
    std::vector<int> ends;
    for (int i = 0; i < warmup; ++i) {
        if (windows.ends_after(i)) {
            ends.push_back(i);
        }
    }
    return ends;
}

TEST(WarmupWindowsTest, DoubleAndTakeTheRestOfAThousand) {
    EXPECT_THAT(ends(1000), ElementsAre(99, 149, 249, 449, 949));
    EXPECT_FALSE(WarmupWindows(1000).is_inside(74));
    EXPECT_TRUE(WarmupWindows(1000).is_inside(75));
    EXPECT_TRUE(WarmupWindows(1000).is_inside(949));
    EXPECT_FALSE(WarmupWindows(1000).is_inside(950));
}

TEST(WarmupWindowsTest, AShortWarmupHasOneWindow) {
    EXPECT_THAT(ends(150), ElementsAre(99));
    EXPECT_THAT(ends(100), ElementsAre(89));
    EXPECT_TRUE(WarmupWindows(100).is_inside(15));
    EXPECT_FALSE(WarmupWindows(100).is_inside(14));
    EXPECT_THAT(ends(20), ElementsAre(17));
    EXPECT_THAT(ends(19), IsEmpty());
    EXPECT_THAT(ends(0), IsEmpty());
}

TEST(WarmupWindowsTest, EveryLengthEndsItsLastWindowWhereTheFinalStretchBegins) {
    for (int warmup = 150; warmup < 2500; ++warmup) {
        ASSERT_FALSE(ends(warmup).empty());
        ASSERT_EQ(ends(warmup).back(), warmup - 51) << warmup;
    }
}

}  // namespace
}  // namespace lockstep::xpcs::cmc
