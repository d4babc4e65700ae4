#include "lockstep/runtime/signals.hpp"

#include <csignal>
#include <functional>
#include <memory>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lockstep::runtime {
namespace {

/// Runs a body in a process of its own; its exit code, or 128 + the signal that ended it.
int end_of(const std::function<void()>& body) {
    const auto process = ::fork();
    if (process == 0) {
        ::alarm(20);
        body();
        ::_exit(0);
    }
    auto status = 0;
    ::waitpid(process, &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void exit_with(int signal) {
    ::_exit(signal);
}

void wait_for_the_end() {
    for (;;) {
        ::pause();
    }
}

TEST(SignalsTest, AGuardKeepsTheFirstSignal) {
    EXPECT_EQ(end_of([] {
                  const SignalGuard guard;
                  if (SignalGuard::received() != 0) {
                      ::_exit(1);
                  }
                  ::raise(SIGINT);
                  ::_exit(SignalGuard::received() == SIGINT ? 3 : 2);
              }),
              3);
}

TEST(SignalsTest, TheSecondSignalEndsAGuardedProcess) {
    EXPECT_EQ(end_of([] {
                  const SignalGuard guard;
                  ::raise(SIGINT);
                  ::raise(SIGTERM);
              }),
              128 + SIGTERM);
}

TEST(SignalsTest, GuardsThatOverlapKeepTheSignalUntilTheLastHasEnded) {
    EXPECT_EQ(end_of([] {
                  auto first = std::make_unique<SignalGuard>();
                  ::raise(SIGINT);
                  auto second = std::make_unique<SignalGuard>();
                  first.reset();
                  if (SignalGuard::received() != SIGINT) {
                      ::_exit(1);
                  }
                  second.reset();
                  const SignalGuard later;
                  if (SignalGuard::received() != 0) {
                      ::_exit(2);
                  }
                  ::raise(SIGTERM);
                  ::_exit(SignalGuard::received() == SIGTERM ? 3 : 4);
              }),
              3);
}

TEST(SignalsTest, AListenerHearsTheFirstSignalOutsideAGuard) {
    EXPECT_EQ(end_of([] {
                  const SignalListener listener(exit_with);
                  ::raise(SIGTERM);
                  wait_for_the_end();
              }),
              SIGTERM);
}

TEST(SignalsTest, AListenerHearsTheSecondSignalInsideAGuard) {
    EXPECT_EQ(end_of([] {
                  const SignalListener listener(exit_with);
                  const SignalGuard guard;
                  ::raise(SIGTERM);
                  if (SignalGuard::received() != SIGTERM) {
                      ::_exit(1);
                  }
                  ::raise(SIGINT);
                  wait_for_the_end();
              }),
              SIGINT);
}

TEST(SignalsTest, AListenerHearsTheFirstSignalAfterAGuard) {
    EXPECT_EQ(end_of([] {
                  const SignalListener listener(exit_with);
                  { const SignalGuard guard; }
                  ::raise(SIGINT);
                  wait_for_the_end();
              }),
              SIGINT);
}

// The first may hang in what it wants to tell.
TEST(SignalsTest, AnotherSignalEndsAProcessWhoseListenerIsBusy) {
    EXPECT_EQ(end_of([] {
                  const SignalListener listener([](int) { wait_for_the_end(); });
                  ::raise(SIGTERM);
                  ::raise(SIGTERM);
              }),
              128 + SIGTERM);
}

TEST(SignalsTest, AGuardBringsBackTheHandlerOfBefore) {
    std::signal(SIGINT, SIG_IGN);
    { const SignalGuard guard; }
    EXPECT_EQ(std::signal(SIGINT, SIG_DFL), SIG_IGN);
}

TEST(SignalsTest, FurtherSignalsMayBeForgotten) {
    EXPECT_EQ(end_of([] {
                  SignalGuard::forget_further_signals();
                  {
                      const SignalGuard guard;
                      ::raise(SIGINT);
                      ::raise(SIGINT);
                      ::raise(SIGTERM);
                      EXPECT_EQ(SignalGuard::received(), SIGINT);
                  }
                  ::raise(SIGTERM);  // those of before the guards are back
              }),
              128 + SIGTERM);
}

TEST(SignalsTest, NothingHearsAfterAListenersEnd) {
    EXPECT_EQ(end_of([] {
                  { const SignalListener listener(exit_with); }
                  { const SignalListener listener(exit_with); }
                  ::raise(SIGINT);
              }),
              128 + SIGINT);
}

}  // namespace
}  // namespace lockstep::runtime
