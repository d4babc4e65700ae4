#include <chrono>
#include <csignal>
#include <map>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "integration/app/launched.hpp"
#include "integration/app/ranks_of.hpp"

namespace lockstep::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr int iterations = 150;  // far more than are done when the kill comes

class LaunchLossTest : public LaunchedTest, public testing::WithParamInterface<const char*> {
protected:
    /// Starts the job and waits until training is well under way.
    void start(int ranks, Words options = {}) {
        options.insert(options.end(), {"--backend", GetParam()});
        program_.emplace(launch(ranks, job(iterations, {"--checkpoint-every", "3"}), options));
        launcher_ = program_->process();
        ASSERT_TRUE(program_->wait_for(under_way));
        ranks_ = ranks_of(launcher_);
        ASSERT_EQ(ranks_.size(), static_cast<std::size_t>(ranks));
    }
    void kill(int rank) const { ::kill(ranks_.at(rank), SIGKILL); }
    Ended end() {
        auto ended = program_->end();
        EXPECT_THAT(left_processes(), IsEmpty());
        EXPECT_THAT(shared_memory_of(launcher_), IsEmpty());
        return ended;
    }
    Ended resume(int ranks, const Words& options = {}) const {
        return run(launch(ranks, job(iterations, {"--resume"}), options));
    }

    std::optional<Program> program_;
    pid_t launcher_ = 0;
    std::map<int, pid_t> ranks_;
};

// The others would wait half a minute for it.
TEST_P(LaunchLossTest, ARankThatEndsBeforeAllHaveMetEndsTheRun) {
    for (const std::string early : {"0", "1"}) {
        const auto start = std::chrono::steady_clock::now();
        const auto ended =
            run(joined({{"launch", "-n", "3", "--backend", GetParam(), "--", "sh", "-c"},
                        {"[ \"$LOCKSTEP_SHM_RANK$LOCKSTEP_TCP_RANK\" != " + early +
                             " ] || exit 3; exec \"$@\"",
                         "sh",
                         program_path()},
                        job(iterations)}));

        EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(15));
        EXPECT_EQ(ended.exit_code, 3) << "of the rank that failed, not of those that noticed";
        EXPECT_THAT(ended.err, HasSubstr("rank " + early + " ended before all ranks had met"));
    }
}

TEST_P(LaunchLossTest, SurvivorsFinishWithTheSameBits) {
    start(3);

    kill(1);
    const auto ended = end();

    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("lockstep launch: rank 1 was ended by signal 9 (Killed)"));
    EXPECT_EQ(count(ended.err, "lost rank 1: "), 1) << ended.err;
    EXPECT_TRUE(has_bits_of(iterations));
}

TEST_P(LaunchLossTest, TheLastRankFinishesAlone) {
    start(3);

    kill(0);
    kill(1);
    const auto ended = end();

    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("One rank goes on alone"));
    EXPECT_THAT(ended.out, HasSubstr("digest")) << "somebody tells the summary";
    EXPECT_TRUE(has_bits_of(iterations));
}

TEST_P(LaunchLossTest, AllStartAgainFromTheNewestCheckpoint) {
    start(2, {"--on-failure", "restart", "--restart", "1"});

    kill(1);
    const auto ended = end();

    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("restart 1 of 1 from the newest checkpoint"));
    EXPECT_THAT(ended.err, HasSubstr("goes on after iteration "));
    EXPECT_TRUE(has_bits_of(iterations));
}

TEST_P(LaunchLossTest, NoRestartIsLeft) {
    start(2, {"--on-failure", "restart", "--restart", "0"});

    kill(1);

    EXPECT_NE(end().exit_code, 0);
}

TEST_P(LaunchLossTest, AbortEndsTheOthers) {
    start(3, {"--on-failure", "abort"});

    kill(0);
    const auto ended = end();

    EXPECT_EQ(ended.exit_code, 137) << ended.err;
    EXPECT_EQ(resume(1).exit_code, 0);
    EXPECT_TRUE(has_bits_of(iterations));
}

TEST_P(LaunchLossTest, AKilledRunGoesOnWithOtherRanks) {
    start(3);

    for (const auto& [rank, process] : ranks_) {
        ::kill(process, SIGSTOP);  // none must go on without the others
    }
    for (const auto& [rank, process] : ranks_) {
        ::kill(process, SIGKILL);
    }
    EXPECT_EQ(end().exit_code, 137);

    const auto resumed = resume(2, {"--backend", GetParam()});
    EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
    EXPECT_EQ(count(resumed.err, "goes on after iteration "), 1);
    EXPECT_TRUE(has_bits_of(iterations));
}

TEST_P(LaunchLossTest, RanksDoNotOutliveTheirLauncher) {
    start(3);

    program_->send(SIGKILL);
    EXPECT_EQ(end().exit_code, 137);

    EXPECT_EQ(resume(1).exit_code, 0);
    EXPECT_TRUE(has_bits_of(iterations));
}

// They are no children of the launcher, so that no death signal of the kernel reaches them.
TEST_P(LaunchLossTest, RanksBehindAShellDoNotOutliveTheirLauncher) {
    program_.emplace(joined({{"launch", "-n", "2", "--backend", GetParam(), "--", "sh", "-c"},
                             {"\"$@\"; true", "sh", program_path()},
                             job(endless)}));
    launcher_ = program_->process();
    ASSERT_TRUE(program_->wait_for(under_way));

    program_->send(SIGKILL);

    EXPECT_EQ(end().exit_code, 137);
}

// 143 would say that the others ended well, with everything written.
TEST_P(LaunchLossTest, AbortTellsWhatEndedTheFirstRank) {
    for (const auto rank : {0, 2}) {
        start(3, {"--on-failure", "abort"});
        kill(rank);
        const auto ended = end();
        EXPECT_EQ(ended.exit_code, 137) << ended.err;
    }
}

// Ranks need not have met, nor even come to life.
TEST_P(LaunchLossTest, NothingIsLeftOfALaunchThatIsKilledAtTheStart) {
    for (const auto milliseconds : {0, 5, 20, 40, 60, 90, 130, 180}) {
        program_.emplace(launch(3, job(endless), {"--backend", GetParam()}));
        launcher_ = program_->process();
        ::usleep(static_cast<useconds_t>(1000 * milliseconds));
        program_->send(SIGKILL);
        EXPECT_EQ(end().exit_code, 137);
    }
}

INSTANTIATE_TEST_SUITE_P(Backends, LaunchLossTest, testing::Values("shm", "tcp"));

}  // namespace
}  // namespace lockstep::cli
