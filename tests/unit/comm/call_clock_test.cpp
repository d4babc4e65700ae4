#include "comm/call_clock.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

namespace lockstep::comm {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// Looks at the system's clock lie before and after those at the other one.
TEST(CallClockTest, AgreesWithTheClockOfTheSystem) {
    const CallClock& clock = CallClock::shared();
    const auto outer = Clock::now();
    const auto start = clock.now();
    const auto inner = Clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const double least = seconds_since(inner);
    const double measured = clock.seconds_since(start);
    const double most = seconds_since(outer);

    EXPECT_GT(measured, 0.999 * least);
    EXPECT_LT(measured, 1.001 * most);
}

TEST(CallClockTest, TellsTimesOfLessThanAMicrosecondApart) {
    const CallClock& clock = CallClock::shared();
    double shortest = 1;
    for (int i = 0; i < 1000; ++i) {
        shortest = std::min(shortest, clock.seconds_since(clock.now()));
    }

    EXPECT_GE(shortest, 0);
    EXPECT_LT(shortest, 1e-6);
}

}  // namespace
}  // namespace lockstep::comm
