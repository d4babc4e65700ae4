#include "lockstep/runtime/thread_team.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
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
        ++runs[static_cast<std::size_t>(item)];
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
        ids[static_cast<std::size_t>(thread)].insert(std::this_thread::get_id());
    });

    for (const auto& of_thread : ids)
        EXPECT_LE(of_thread.size(), 1U);
}

TEST_P(ThreadTeamTest, RethrowsTheExceptionOfTheLowestItemAfterAllHaveRun) {
    for (int repetition = 0; repetition < 50; ++repetition) {
        std::atomic<int> runs = 0;
        try {
            team_.parallel_for(100, [&](std::ptrdiff_t item, int) {
                ++runs;
                if (item % 10 == 7)
                    throw std::runtime_error("item " + std::to_string(item));
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
    for (int thread = 0; thread < team_.size(); ++thread)
        EXPECT_EQ(numbers[thread], 10 * thread);
}

TEST_P(ThreadTeamTest, LetsThreadsKeepTheirObjects) {
    PerThread<std::int64_t> sums(team_, [](int) { return std::int64_t{0}; });

    team_.parallel_for(1000, [&](std::ptrdiff_t item, int thread) { sums[thread] += item; });

    std::int64_t total = 0;
    for (int thread = 0; thread < team_.size(); ++thread)
        total += sums[thread];
    EXPECT_EQ(total, 999 * 1000 / 2);
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
    for (std::ptrdiff_t count = 0; count < 40; ++count)
        for (int size = 1; size < 9; ++size) {
            std::ptrdiff_t end = 0;
            for (int rank = 0; rank < size; ++rank) {
                EXPECT_EQ(block_of(count, rank, size).begin, end);
                end = block_of(count, rank, size).end;
            }
            EXPECT_EQ(end, count);
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

}  // namespace
}  // namespace lockstep::runtime
