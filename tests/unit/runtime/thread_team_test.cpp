#include "lockstep/runtime/thread_team.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/comm/communicator.hpp"

namespace lockstep::runtime {
namespace {

class ThreadTeamTest : public testing::TestWithParam<int> {
protected:
    ThreadTeam team_{GetParam()};
};

TEST_P(ThreadTeamTest, RunsEachItemOnce) {
    std::vector<int> runs(1000, 0);

    team_.parallel_for(1000, [&](std::ptrdiff_t item, int thread) {
        EXPECT_GE(thread, 0);
        EXPECT_LT(thread, team_.size());
        ++runs[at(item)];
    });

    EXPECT_EQ(runs, std::vector<int>(1000, 1));
}

TEST_P(ThreadTeamTest, RunsNothingForNoItems) {
    team_.parallel_for(0, [](std::ptrdiff_t, int) { ADD_FAILURE(); });
}

TEST_P(ThreadTeamTest, GivesEachThreadItsOwnNumber) {
    std::mutex mutex;
    std::vector<std::set<std::thread::id>> ids(static_cast<std::size_t>(team_.size()));

    team_.parallel_for(500, [&](std::ptrdiff_t, int thread) {
        const std::lock_guard lock(mutex);
        ids[at(thread)].insert(std::this_thread::get_id());
    });

    for (const auto& of_thread : ids) {
        EXPECT_LE(of_thread.size(), 1U);
    }
}

TEST_P(ThreadTeamTest, RethrowsTheExceptionOfTheLowestItemAfterAllHaveRun) {
    for (int repetition = 0; repetition < 50; ++repetition) {
        std::atomic<int> runs = 0;
        try {
            team_.parallel_for(100, [&](std::ptrdiff_t item, int) {
                ++runs;
                if (item % 10 == 7) {
                    throw std::runtime_error("item " + std::to_string(item));
                }
            });
            ADD_FAILURE() << "no exception came through";
        } catch (const std::runtime_error& error) {
            EXPECT_STREQ(error.what(), "item 7");
        }
        EXPECT_EQ(runs, 100);
    }
}

TEST_P(ThreadTeamTest, RefusesToBeNested) {
    EXPECT_THROW(
        team_.parallel_for(
            2, [&](std::ptrdiff_t, int) { team_.parallel_for(2, [](std::ptrdiff_t, int) {}); }),
        AssertionError);
    EXPECT_NO_THROW(team_.parallel_for(2, [](std::ptrdiff_t, int) {}));
}

TEST_P(ThreadTeamTest, FoldsInItemOrder) {
    const std::string text = team_.ordered_reduce(
        10,
        std::string(">"),
        [](std::ptrdiff_t item, int) { return std::to_string(item); },
        [](std::string sum, const std::string& digit) { return sum + digit; });

    EXPECT_EQ(text, ">0123456789");
}

TEST_P(ThreadTeamTest, FoldsBooleansWithoutSharingBits) {
    const bool are_all_even = team_.ordered_reduce(
        1000,
        true,
        [](std::ptrdiff_t item, int) { return item % 2 == 0 || item == 501; },
        [](bool a, bool b) { return a && b; });

    EXPECT_FALSE(are_all_even);
}

TEST_P(ThreadTeamTest, SumsToTheSameBitsAsOneThread) {
    const auto body = [](std::ptrdiff_t item, int) { return 1.0 / static_cast<double>(item + 1); };
    const auto fold = [](double a, double b) { return a + b; };
    ThreadTeam one(1);

    EXPECT_EQ(team_.ordered_reduce(5000, 0.0, body, fold),
              one.ordered_reduce(5000, 0.0, body, fold));
}

TEST_P(ThreadTeamTest, MakesOneObjectAThreadOnLinesOfItsOwn) {
    PerThread<int> numbers(team_, [](int thread) { return 10 * thread; });

    ASSERT_EQ(numbers.size(), team_.size());
    for (int thread = 0; thread < team_.size(); ++thread) {
        EXPECT_EQ(numbers[thread], 10 * thread);
    }
}

TEST_P(ThreadTeamTest, LetsThreadsKeepTheirObjects) {
    PerThread<std::int64_t> sums(team_, [](int) { return std::int64_t{0}; });

    team_.parallel_for(1000, [&](std::ptrdiff_t item, int thread) { sums[thread] += item; });

    std::int64_t total = 0;
    for (int thread = 0; thread < team_.size(); ++thread) {
        total += sums[thread];
    }
    EXPECT_EQ(total, 999 * 1000 / 2);
}

TEST_P(ThreadTeamTest, RunsOnEachThreadOnce) {
    for (int round = 0; round < 100; ++round) {
        std::vector<std::thread::id> ids(static_cast<std::size_t>(team_.size()));
        team_.on_each_thread([&](int thread) {
            auto& id = ids[at(thread)];
            EXPECT_EQ(id, std::thread::id());
            id = std::this_thread::get_id();
        });
        EXPECT_EQ(ids[0], std::this_thread::get_id());
        const std::set<std::thread::id> different(ids.begin(), ids.end());
        EXPECT_EQ(different.size(), ids.size());
        EXPECT_EQ(different.count(std::thread::id()), 0U);
    }
}

TEST_P(ThreadTeamTest, RethrowsTheExceptionOfTheLowestThread) {
    try {
        team_.on_each_thread(
            [](int thread) { throw std::runtime_error("thread " + std::to_string(thread)); });
        ADD_FAILURE() << "no exception came through";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "thread 0");
    }
}

TEST_P(ThreadTeamTest, MakesObjectsOnTheThreadsThatUseThem) {
    PerThread<std::thread::id> makers(team_, [](int) { return std::this_thread::get_id(); });

    team_.parallel_for(1000, [&](std::ptrdiff_t, int thread) {
        EXPECT_EQ(makers[thread], std::this_thread::get_id());
    });
}

// Threads that sleep, spin, come late or leave at the moment of the next call.
TEST_P(ThreadTeamTest, LosesNoItemOverManyShortCalls) {
    for (int call = 0; call < 20'000; ++call) {
        std::atomic<int> sum = 0;
        const int count = call % 7;
        team_.parallel_for(count,
                           [&](std::ptrdiff_t item, int) { sum += static_cast<int>(item) + 1; });
        ASSERT_EQ(sum, count * (count + 1) / 2);
        if (call % 500 == 0) {
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
        if (call % 100 == 0) {
            std::atomic<int> threads = 0;
            team_.on_each_thread([&](int) { ++threads; });
            ASSERT_EQ(threads, team_.size());
        }
    }
}

TEST_P(ThreadTeamTest, WorksOnAfterItWasMoved) {
    ThreadTeam moved(1);
    moved = std::move(team_);

    std::atomic<int> runs = 0;
    moved.parallel_for(100, [&](std::ptrdiff_t, int) { ++runs; });

    EXPECT_EQ(moved.size(), GetParam());
    EXPECT_EQ(runs, 100);
}

// CPU time of this process, over which idle threads of a team must not have spun.
std::chrono::nanoseconds own_cpu_time() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

TEST_P(ThreadTeamTest, SleepsWhileItHasNothingToDo) {
    team_.parallel_for(100, [](std::ptrdiff_t, int) {});
    const auto before = own_cpu_time();

    std::this_thread::sleep_for(std::chrono::milliseconds(100));

    EXPECT_LT(own_cpu_time() - before, std::chrono::milliseconds(10));
}

// A caller with one long item elsewhere sleeps, too.
TEST_P(ThreadTeamTest, SleepsUntilTheLastItemIsDone) {
    const auto before = own_cpu_time();

    team_.parallel_for(team_.size(), [](std::ptrdiff_t item, int) {
        std::this_thread::sleep_for(std::chrono::milliseconds(item == 0 ? 100 : 1));
    });

    EXPECT_LT(own_cpu_time() - before, std::chrono::milliseconds(20));
}

// Ranks of one process are threads themselves, each with a team of its own.
TEST_P(ThreadTeamTest, WorksInsideTheRanksOfOneProcess) {
    comm::run_in_process(3, [](comm::Communicator& ranks) {
        ThreadTeam team(GetParam());
        for (int round = 0; round < 20; ++round) {
            const auto sum = team.ordered_reduce(
                50,
                std::int64_t{0},
                [&](std::ptrdiff_t item, int) { return ranks.rank() + std::int64_t{item}; },
                [](std::int64_t a, std::int64_t b) { return a + b; });
            EXPECT_EQ(sum, 50 * ranks.rank() + 49 * 25);
            EXPECT_EQ(ranks.allreduce(sum, comm::ReduceOp::sum), 50 * 3 + 3 * 49 * 25);
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Threads,
                         ThreadTeamTest,
                         testing::Values(1, 2, 4),
                         testing::PrintToStringParamName());

TEST(ThreadTeamSizeTest, RejectsLessThanOneThread) {
    try {
        ThreadTeam team(0);
        ADD_FAILURE() << "no exception came through";
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), "threads is 0, must be 1 or more");
    }
}

TEST(BlockTest, GivesTheLongerBlocksFirst) {
    EXPECT_EQ(block_of(10, 0, 4).size(), 3);
    EXPECT_EQ(block_of(10, 1, 4).size(), 3);
    EXPECT_EQ(block_of(10, 2, 4).size(), 2);
    EXPECT_EQ(block_of(10, 3, 4).size(), 2);
    EXPECT_EQ(block_of(10, 2, 4).begin, 6);
}

TEST(BlockTest, CoversEveryItemOnceInOrder) {
    for (std::ptrdiff_t count = 0; count < 40; ++count) {
        for (int size = 1; size < 9; ++size) {
            std::ptrdiff_t end = 0;
            for (int rank = 0; rank < size; ++rank) {
                EXPECT_EQ(block_of(count, rank, size).begin, end);
                end = block_of(count, rank, size).end;
            }
            EXPECT_EQ(end, count);
        }
    }
}

TEST(BlockTest, IsWhatLayoutsGather) {
    const auto layout = comm::Layout::blocks(23, 5, 4);
    for (int rank = 0; rank < 4; ++rank) {
        EXPECT_EQ(layout.count(rank), 5 * block_of(23, rank, 4).size());
        EXPECT_EQ(layout.offset(rank), 5 * block_of(23, rank, 4).begin);
    }
}

TEST(BlockTest, RefusesImpossibleBlocks) {
    EXPECT_THROW(block_of(-1, 0, 1), AssertionError);
    EXPECT_THROW(block_of(1, 1, 1), AssertionError);
    EXPECT_THROW(block_of(1, -1, 1), AssertionError);
    EXPECT_THROW(block_of(1, 0, 0), AssertionError);
}

// What a thread held when its process was forked is held forever in the child.
TEST(ThreadTeamDeathTest, IsRefusedInAForkOfAProcessWithThreads) {
    EXPECT_EXIT(
        {
            ThreadTeam threads(2);
            if (const pid_t child = ::fork(); child != 0) {
                int status = 0;
                ::waitpid(child, &status, 0);
                std::_Exit(WEXITSTATUS(status));
            }
            const auto refused = [](auto use) {
                try {
                    use();
                } catch (const BackendError&) {
                    return true;
                }
                return false;
            };
            const bool is_refused = refused([] { const ThreadTeam another(1); }) &&
                                    refused([&] { threads.parallel_for(4, [](auto, int) {}); });
            std::_Exit(is_refused ? 3 : 4);
        },
        testing::ExitedWithCode(3),
        "");
}

}  // namespace
}  // namespace lockstep::runtime
