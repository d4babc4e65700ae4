#include <csignal>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "integration/app/launched.hpp"
#include "integration/app/ranks_of.hpp"

namespace lockstep::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class LaunchSignalTest : public LaunchedTest, public testing::WithParamInterface<const char*> {
protected:
    static Words on_backend() { return {"--backend", GetParam()}; }
    /// The interrupted run is whole as far as it came, and goes on from there.
    void expect_that_it_goes_on() {
        const auto done = trained_iterations();
        const auto resumed = run(launch(2, job(done + 5, {"--resume"}), on_backend()));
        EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
        EXPECT_THAT(resumed.err, HasSubstr(fmt::format("goes on after iteration {} ", done)));
        EXPECT_TRUE(has_bits_of(done + 5));
    }

    Words endless_job = launch(3, job(endless, {"--checkpoint-every", "1000000"}), on_backend());
};

TEST_P(LaunchSignalTest, ASignalToTheLauncherEndsAllAfterTheIteration) {
    for (const auto signal : {SIGTERM, SIGINT}) {
        Program program(endless_job);
        ASSERT_TRUE(program.wait_for(under_way));

        program.send(signal);
        const auto ended = program.end();

        EXPECT_EQ(ended.exit_code, 128 + signal) << ended.err;
        EXPECT_EQ(count(ended.out, "Ended early by a signal"), 1);
        expect_that_it_goes_on();
    }
}

TEST_P(LaunchSignalTest, ASignalToOneRankEndsAll) {
    for (const auto rank : {0, 2}) {
        Program program(endless_job);
        ASSERT_TRUE(program.wait_for(under_way));

        ::kill(ranks_of(program.process()).at(rank), SIGTERM);
        const auto ended = program.end();

        EXPECT_EQ(ended.exit_code, 128 + SIGTERM) << ended.err;
        EXPECT_EQ(count(ended.out, "Ended early by a signal"), 1);
        expect_that_it_goes_on();
    }
}

// A rank that does not answer keeps the first signal from having its effect.
TEST_P(LaunchSignalTest, ASecondSignalEndsAllAtOnce) {
    Program program(endless_job);
    ASSERT_TRUE(program.wait_for(under_way));
    ::kill(ranks_of(program.process()).at(1), SIGSTOP);
    const auto launcher = program.process();

    program.send(SIGTERM);
    ::usleep(300'000);
    program.send(SIGTERM);

    EXPECT_EQ(program.end().exit_code, 128 + SIGKILL);
    EXPECT_THAT(shared_memory_of(launcher), IsEmpty());
}

// It must not pass for a loss that the others go on without. The stopped rank keeps the first
// signal from having its effect.
TEST_P(LaunchSignalTest, TwoSignalsToOneRankEndAllAtOnce) {
    Program program(endless_job);
    ASSERT_TRUE(program.wait_for(under_way));
    const auto ranks = ranks_of(program.process());
    ::kill(ranks.at(0), SIGSTOP);

    ::kill(ranks.at(1), SIGTERM);
    ::usleep(100'000);
    ::kill(ranks.at(1), SIGTERM);
    ::usleep(100'000);
    ::kill(ranks.at(0), SIGCONT);
    const auto ended = program.end();

    EXPECT_EQ(ended.exit_code, 128 + SIGTERM) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("SIGTERM ends all ranks at once"));
}

// As of a program that hears no signals: nobody is to go on as if it had been lost.
TEST_P(LaunchSignalTest, ARankThatASignalEndsTakesTheWishToTheOthers) {
    const auto ended = run({"launch",
                            "-n",
                            "2",
                            "--backend",
                            GetParam(),
                            "--",
                            "sh",
                            "-c",
                            "[ \"$LOCKSTEP_SHM_RANK$LOCKSTEP_TCP_RANK\" = 1 ] || exec sleep 60; "
                            "kill $$"});

    EXPECT_EQ(ended.exit_code, 128 + SIGTERM) << ended.err;
}

INSTANTIATE_TEST_SUITE_P(Backends, LaunchSignalTest, testing::Values("shm", "tcp"));

}  // namespace
}  // namespace lockstep::cli
