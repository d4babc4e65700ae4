#include "xpcs/cmc/crews.hpp"

#include <atomic>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace lockstep::xpcs::cmc {
namespace {

TEST(Crews, ThreadsThatWouldIdleServeTheTasks) {
    constexpr int any = 100;
    EXPECT_EQ(plan_crews(1, 4, any), (CrewPlan{1, 4}));
    EXPECT_EQ(plan_crews(2, 4, any), (CrewPlan{2, 2}));
    EXPECT_EQ(plan_crews(4, 16, any), (CrewPlan{4, 4}));
    EXPECT_EQ(plan_crews(4, 4, any), (CrewPlan{4, 1}));
    EXPECT_EQ(plan_crews(4, 2, any), (CrewPlan{2, 1}));
}

TEST(Crews, TasksTakeTurnsWhereThatIsSooner) {
    constexpr int any = 100;
    EXPECT_EQ(plan_crews(4, 3, any), (CrewPlan{1, 3}));  // 4/3 of a task's time instead of 2
    EXPECT_EQ(plan_crews(4, 6, any), (CrewPlan{2, 3}));  // 2/3 instead of 1
    EXPECT_EQ(plan_crews(2, 3, any), (CrewPlan{1, 3}));
}

TEST(Crews, SmallTasksAreNotSpread) {
    EXPECT_EQ(plan_crews(4, 16, 1), (CrewPlan{4, 1}));
    EXPECT_EQ(plan_crews(1, 16, 3), (CrewPlan{1, 3}));
    EXPECT_EQ(plan_crews(4, 3, 1), (CrewPlan{3, 1}));
    EXPECT_EQ(plan_crews(0, 3, 5).threads, 1);
}

TEST(Crews, EachTaskIsDoneOnceByACrewOfItsOwn) {
    std::vector<runtime::ThreadTeam> crews;
    crews.emplace_back(2);
    crews.emplace_back(2);
    std::vector<int> done(7, 0);
    on_crews(crews, 7, [&](std::ptrdiff_t task, runtime::ThreadTeam& crew) {
        std::atomic<int> items = 0;
        crew.parallel_for(10, [&](std::ptrdiff_t, int) { ++items; });
        done[static_cast<std::size_t>(task)] += items;
    });
    EXPECT_EQ(done, std::vector<int>(7, 10));
}

TEST(Crews, TheErrorIsThatOfTheLowestTaskAndTheOthersAreDone) {
    std::vector<runtime::ThreadTeam> crews;
    crews.emplace_back(1);
    crews.emplace_back(1);
    std::atomic<int> done = 0;
    const auto body = [&](std::ptrdiff_t task, runtime::ThreadTeam&) {
        ++done;
        if (task == 2 || task == 4) {
            throw std::runtime_error(task == 2 ? "second" : "fourth");
        }
    };
    try {
        on_crews(crews, 6, body);
        FAIL();
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "second");
    }
    EXPECT_EQ(done, 6);
}

}  // namespace
}  // namespace lockstep::xpcs::cmc
