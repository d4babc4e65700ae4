#include "lp/abort_guard.hpp"

#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

namespace lockstep::lp::detail {
namespace {

TEST(AbortGuardTest, LivesOnAfterAnAbortAndAfterAnother) {
    for (int i = 0; i < 3; ++i) {
        EXPECT_FALSE(survives_abort([] { std::abort(); }));
    }
    int done = 0;
    EXPECT_TRUE(survives_abort([&] { ++done; }));
    EXPECT_EQ(done, 1);
}

TEST(AbortGuardTest, LetsExceptionsPass) {
    EXPECT_THROW(survives_abort([] { throw std::runtime_error("x"); }), std::runtime_error);
}

TEST(AbortGuardTest, GuardsEachThreadForItself) {
    bool there = true;
    std::thread other([&] { there = survives_abort([] { std::abort(); }); });
    other.join();
    EXPECT_FALSE(there);
}

TEST(AbortGuardTest, AbortsOfOthersStillEndTheProgram) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            survives_abort([] { std::abort(); });
            std::abort();
        },
        testing::KilledBySignal(SIGABRT),
        "");
}

}  // namespace
}  // namespace lockstep::lp::detail
