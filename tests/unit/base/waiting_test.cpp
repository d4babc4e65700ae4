#include "lockstep/base/waiting.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <new>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lockstep {
namespace {

using namespace std::chrono_literals;
using Clock = BriefSpin::Clock;

TEST(BriefSpinTest, EndsWhenItsTimeIsUp) {
    const auto start = Clock::now();
    BriefSpin spin(2ms);
    while (spin.again()) {
    }
    EXPECT_GE(Clock::now() - start, 2ms);
    EXPECT_FALSE(BriefSpin(0ms).again());
}

TEST(SleepOnTest, ReturnsAtOnceWhenTheValueIsAnother) {
    const std::atomic<std::uint32_t> word = 1;
    sleep_on(word, 2, Sleepers::own_process);
    sleep_on(word, 2, Sleepers::any_process);
}

TEST(SleepOnTest, SleepsNoLongerThanItMay) {
    const std::atomic<std::uint32_t> word = 1;
    const auto start = Clock::now();
    while (Clock::now() < start + 20ms) {  // it may return early
        sleep_on(word, 1, Sleepers::own_process, 20ms);
    }
    EXPECT_LT(Clock::now() - start, 10s);
}

TEST(AwaitedTest, GivesTheNewValue) {
    Awaited number;
    EXPECT_EQ(number.value(), 0U);
    number.set(3);
    EXPECT_EQ(number.wait_while(0), 3U);
}

TEST(AwaitedTest, WakesAllThatWait) {
    for (const auto delay : {0ms, 5ms}) {  // while they spin, and asleep
        Awaited number;
        std::vector<std::jthread> waiting;
        std::atomic<int> woken = 0;
        for (int i = 0; i < 4; ++i) {
            waiting.emplace_back([&] {
                EXPECT_EQ(number.wait_while(0), 7U);
                ++woken;
            });
        }
        std::this_thread::sleep_for(delay);
        number.set(7);
        waiting.clear();
        EXPECT_EQ(woken, 4);
    }
}

// Two threads that hand a turn to each other lose no wake-up.
TEST(AwaitedTest, LosesNoChange) {
    constexpr std::uint32_t turns = 5000;
    Awaited mine;
    Awaited yours;
    std::jthread other([&] {
        for (std::uint32_t turn = 0; turn < turns; ++turn) {
            mine.wait_while(turn);
            yours.set(turn + 1);
        }
    });
    for (std::uint32_t turn = 0; turn < turns; ++turn) {
        mine.set(turn + 1);
        yours.wait_while(turn);
    }
    EXPECT_EQ(yours.value(), turns);
}

TEST(SleepOnTest, WakesAnotherProcess) {
    void* memory = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    auto& word = *new (memory) std::atomic<std::uint32_t>(0);
    const pid_t child = fork();
    if (child == 0) {
        while (word == 0) {
            sleep_on(word, 0, Sleepers::any_process);
        }
        _exit(3);
    }
    std::this_thread::sleep_for(10ms);
    word = 1;
    wake_all(word, Sleepers::any_process);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 3);
    munmap(memory, 4096);
}

}  // namespace
}  // namespace lockstep
