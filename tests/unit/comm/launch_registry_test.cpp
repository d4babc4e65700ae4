#include "comm/launch_registry.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace lockstep::comm {
namespace {

TEST(LaunchRollTest, TellsTheLowestRankThatHasEnded) {
    const LaunchRegistry registry;
    EXPECT_EQ(ended_rank(registry.descriptor()), std::nullopt);
    EXPECT_NO_THROW(check_nobody_ended(registry.descriptor(), 1));

    registry.note_end(4095);
    EXPECT_EQ(ended_rank(registry.descriptor()), 4095);
    registry.note_end(7);
    EXPECT_EQ(ended_rank(registry.descriptor()), 7);
    registry.note_end(0);
    EXPECT_EQ(ended_rank(registry.descriptor()), 0);

    try {
        check_nobody_ended(registry.descriptor(), 1);
        ADD_FAILURE() << "rank 0 has ended";
    } catch (const EndedEarly& error) {
        EXPECT_STREQ(error.what(), "rank 1: rank 0 ended before all ranks had met");
    }
}

// Descriptors have other meanings in a process that did not inherit the registry.
TEST(LaunchRollTest, TakesNothingElseForARoll) {
    EXPECT_EQ(ended_rank(-1), std::nullopt);
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    EXPECT_EQ(ended_rank(ends[0]), std::nullopt);
    close(ends[0]);
    close(ends[1]);
    EXPECT_EQ(ended_rank(ends[0]), std::nullopt);
    for (const char* file : {"/dev/null", "/dev/zero", "/proc/self/exe"}) {
        const int descriptor = open(file, O_RDONLY | O_CLOEXEC);
        EXPECT_EQ(ended_rank(descriptor), std::nullopt) << file;
        close(descriptor);
    }
}

TEST(LaunchRollTest, PassesToProcessesThatAreStarted) {
    const LaunchRegistry registry;
    EXPECT_EQ(fcntl(registry.descriptor(), F_GETFD) & FD_CLOEXEC, 0);
}

}  // namespace
}  // namespace lockstep::comm
