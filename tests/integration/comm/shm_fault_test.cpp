#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "integration/comm/workers.hpp"

namespace lockstep::comm {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

constexpr int ranks = 3;
const std::string endless = "1000000000";

std::string prefix() {
    return fmt::format("lockstep-fault-{}-", getpid());
}

/// Three workers that meet under a new name.
Workers start(const std::vector<std::string>& arguments, const Workers::Variables& more = {}) {
    static std::atomic<int> runs = 0;
    const auto name = fmt::format("/{}{}", prefix(), runs++);
    return {ranks,
            [&](int rank) {
                Workers::Variables variables{{"LOCKSTEP_COMM_BACKEND", "shm"},
                                             {"LOCKSTEP_SHM_NAME", name},
                                             {"LOCKSTEP_SHM_RANK", std::to_string(rank)},
                                             {"LOCKSTEP_SHM_SIZE", std::to_string(ranks)}};
                variables.insert(variables.end(), more.begin(), more.end());
                return variables;
            },
            arguments};
}

// Names that tests of this process left in shared memory.
std::vector<std::string> leftovers() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
        if (entry.path().filename().string().starts_with(prefix())) {
            names.push_back(entry.path().filename());
        }
    }
    return names;
}

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

class ShmFaultTest : public testing::Test {
protected:
    void TearDown() override { EXPECT_THAT(leftovers(), testing::IsEmpty()); }
};

class ShmKillTest : public ShmFaultTest,
                    public testing::WithParamInterface<std::vector<std::string>> {};

TEST_P(ShmKillTest, EndsTheOthersWithTheNameOfTheLostRank) {
    for (int victim = 0; victim < ranks; ++victim) {
        auto workers = start(GetParam());
        ASSERT_TRUE(workers.wait_until_running());
        workers.send(victim, SIGKILL);
        const auto killed = Clock::now();

        for (int rank = 0; rank < ranks; ++rank) {
            const auto ended = workers.end(rank);
            EXPECT_EQ(ended.exit_code, rank == victim ? 128 + SIGKILL : 71) << ended.err;
            if (rank != victim) {
                EXPECT_THAT(ended.err, HasSubstr(fmt::format("rank {} on ", victim)));
                EXPECT_THAT(ended.err, HasSubstr(fmt::format(" while rank {}", rank)));
            }
        }
        EXPECT_LT(seconds_since(killed), 2);
    }
}

INSTANTIATE_TEST_SUITE_P(
    EachCall,
    ShmKillTest,
    testing::Values(std::vector<std::string>{"allgatherv", endless},
                    std::vector<std::string>{"allgatherv", endless, "--items", "300000"},
                    std::vector<std::string>{"broadcast", endless},
                    std::vector<std::string>{"broadcast", endless, "--items", "300000"},
                    std::vector<std::string>{"allreduce", endless},
                    std::vector<std::string>{"barrier", endless},
                    std::vector<std::string>{"mixed", endless, "--pause-us", "300"}));

TEST_F(ShmFaultTest, LeavesNothingWhenAllAreKilled) {
    auto workers = start({"mixed", endless});
    ASSERT_TRUE(workers.wait_until_running());
    for (int rank = 0; rank < ranks; ++rank) {
        workers.send(rank, SIGKILL);
    }
    for (int rank = 0; rank < ranks; ++rank) {
        EXPECT_EQ(workers.end(rank).exit_code, 128 + SIGKILL);
    }
}

TEST_F(ShmFaultTest, WaitsForARankThatIsSlow) {
    auto workers = start({"mixed", "1000", "--pause-us", "100"});
    ASSERT_TRUE(workers.wait_until_running());
    workers.send(1, SIGSTOP);
    std::this_thread::sleep_for(milliseconds(15'000));
    workers.send(1, SIGCONT);

    for (int rank = 0; rank < ranks; ++rank) {
        const auto ended = workers.end(rank);
        EXPECT_EQ(ended.exit_code, 0) << ended.err;
        EXPECT_EQ(ended.out, sum_line(1000, 24, ranks));
    }
}

TEST_F(ShmFaultTest, EndsAllWhenOneAborts) {
    auto workers = start({"mixed", endless, "--abort-at", "200", "1"});
    for (int rank = 0; rank < ranks; ++rank) {
        const auto ended = workers.end(rank);
        EXPECT_EQ(ended.exit_code, rank == 1 ? 9 : 71);
        if (rank != 1) {
            EXPECT_THAT(ended.err, HasSubstr("aborted by rank 1"));
            EXPECT_THAT(ended.err, HasSubstr("with code 9"));
        }
    }
}

TEST_F(ShmFaultTest, EndsWhoRecoversWhenOneAborts) {
    for (const int aborts : {0, 2}) {
        auto workers =
            start({"mixed", endless, "--recover", "--abort-in-recovery", std::to_string(aborts)});
        ASSERT_TRUE(workers.wait_until_running());
        workers.send(1, SIGKILL);

        EXPECT_EQ(workers.end(aborts).exit_code, 9);
        const auto ended = workers.end(2 - aborts);
        EXPECT_EQ(ended.exit_code, 71);
        EXPECT_THAT(ended.err, HasSubstr(fmt::format("aborted by rank {} on ", aborts)));
        EXPECT_THAT(ended.err,
                    HasSubstr(fmt::format("with code 9 while rank {} recovers", 2 - aborts)));
    }
}

TEST_F(ShmFaultTest, GoesOnWithoutALostRank) {
    for (int victim = 0; victim < ranks; ++victim) {
        for (const char* items : {"24", "100000"}) {
            auto workers =
                start({"mixed", "300", "--pause-us", "500", "--recover", "--items", items});
            ASSERT_TRUE(workers.wait_until_running());
            workers.send(victim, SIGKILL);

            for (int rank = 0; rank < ranks; ++rank) {
                const auto ended = workers.end(rank);
                if (rank == victim) {
                    continue;
                }
                EXPECT_EQ(ended.exit_code, 0) << ended.err;
                EXPECT_EQ(ended.out, sum_line(300, std::stoull(items), ranks - 1));
                EXPECT_THAT(ended.err, HasSubstr(fmt::format("lost rank {}\n", victim)));
            }
        }
    }
}

TEST_F(ShmFaultTest, GoesOnWithoutTwoLostRanks) {
    for (int survivor = 0; survivor < ranks; ++survivor) {
        auto workers = start({"mixed", "300", "--pause-us", "500", "--recover"});
        ASSERT_TRUE(workers.wait_until_running());
        for (int rank = 0; rank < ranks; ++rank) {
            if (rank != survivor) {
                workers.send(rank, SIGKILL);
            }
        }

        const auto ended = workers.end(survivor);
        EXPECT_EQ(ended.exit_code, 0) << ended.err;
        EXPECT_EQ(ended.out, sum_line(300, 24, 1));
    }
}

TEST_F(ShmFaultTest, GoesOnWhenAnotherRankDiesInTheRecovery) {
    for (int dies_in_it = 0; dies_in_it < ranks; ++dies_in_it) {
        const int victim = (dies_in_it + 1) % ranks;
        const int survivor = (dies_in_it + 2) % ranks;
        auto workers = start({"mixed",
                              "300",
                              "--pause-us",
                              "500",
                              "--recover",
                              "--die-in-recovery",
                              std::to_string(dies_in_it)});
        ASSERT_TRUE(workers.wait_until_running());
        workers.send(victim, SIGKILL);

        const auto ended = workers.end(survivor);
        EXPECT_EQ(ended.exit_code, 0) << ended.err;
        EXPECT_EQ(ended.out, sum_line(300, 24, 1));
    }
}

TEST_F(ShmFaultTest, RecoversASecondTime) {
    auto workers = start({"mixed", "600", "--pause-us", "500", "--recover"});
    ASSERT_TRUE(workers.wait_until_running());
    workers.send(0, SIGKILL);
    ASSERT_TRUE(workers.wait_for(2, "lost rank 0"));
    workers.send(1, SIGKILL);

    const auto ended = workers.end(2);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.out, sum_line(600, 24, 1));
}

}  // namespace
}  // namespace lockstep::comm
