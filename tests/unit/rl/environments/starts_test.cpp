#include "lockstep/rl/environments/starts.hpp"

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "lockstep/rl/numpy_random.hpp"

namespace lockstep::rl {
namespace {

TEST(StartsTest, TakesTheFirstStateWhoseSumIsAbove) {
    const std::array<Start, 4> rows{{{7, 0.125}, {2, 0.5}, {9, 0.25}, {4, 0.125}}};
    const Starts starts(rows);
    NumpyRandom random(1);
    NumpyRandom same(1);
    for (int i = 0; i < 2'000; ++i) {
        const double u = same.uniform();
        const std::int32_t expected = u < 0.125 ? 7 : u < 0.625 ? 2 : u < 0.875 ? 9 : 4;
        ASSERT_EQ(starts.draw(random), expected) << u;
    }
}

TEST(StartsTest, OneStartDrawsANumberToo) {
    const Start only{5, 1.0};
    NumpyRandom random(1);
    NumpyRandom same(1);
    EXPECT_EQ(Starts({&only, 1}).draw(random), 5);
    same.skip();
    EXPECT_EQ(random.bits(), same.bits());
}

// A number above a sum that rounds to less than 1.
TEST(StartsTest, TheLastStateTakesWhatRoundingLeaves) {
    struct Highest {
        static double uniform() { return 1 - 0x1p-53; }
        static std::uint32_t below(std::uint32_t /*count*/) { return 0; }
        static std::uint64_t bits() { return 0; }
        static void skip() {}
    } highest;
    std::vector<std::int32_t> states(300);
    std::generate(states.begin(), states.end(), [n = 0]() mutable { return n++; });
    EXPECT_EQ(Starts(even_starts(states)).draw(highest), 299);
}

}  // namespace
}  // namespace lockstep::rl
