#include "lockstep/runtime/signals.hpp"

#include <csignal>

#include <gtest/gtest.h>

namespace lockstep::runtime {
namespace {

TEST(SignalGuardTest, EndsTheProcessAtTheSecondSignal) {
    EXPECT_EXIT(
        {
            const SignalGuard guard;
            std::raise(SIGINT);
            std::raise(SIGINT);
        },
        testing::KilledBySignal(SIGINT),
        "");
}

TEST(SignalGuardTest, BringsBackTheHandlerOfBefore) {
    std::signal(SIGINT, SIG_IGN);
    { const SignalGuard guard; }
    EXPECT_EQ(std::signal(SIGINT, SIG_DFL), SIG_IGN);
}

}  // namespace
}  // namespace lockstep::runtime
