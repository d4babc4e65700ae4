#include "xpcs/sampling/item_rounds.hpp"

#include <atomic>
#include <vector>

#include <gtest/gtest.h>

#include "support/xpcs/alone.hpp"

namespace lockstep::xpcs {
namespace {

/// Item k has the value 10 k.
struct Counted {
    explicit Counted(std::int64_t count, int useful_threads) {
        items.count = count;
        items.useful_threads = useful_threads;
        items.compute = [&](std::int64_t item, int, std::span<double> values) {
            ++apart;
            values.front() = 10.0 * static_cast<double>(item);
        };
        items.compute_together = [&](std::int64_t item, std::span<double> values) {
            ++together;
            values.front() = 10.0 * static_cast<double>(item);
        };
    }
    std::vector<double> values(int threads) {
        test::Alone alone(threads);
        ItemRounds rounds(alone.team, items, {}, [] { return true; });
        runtime::run_rounds(alone.team, 0, rounds);
        return rounds.take();
    }

    Items items;
    std::atomic<int> apart = 0;
    int together = 0;
};

TEST(ItemRounds, ItemsThatAreFewerThanThreadsAreSharedByThem) {
    Counted few(2, 100);
    EXPECT_EQ(few.values(3), (std::vector<double>{0, 10}));
    EXPECT_EQ(few.together, 2);
    Counted more(7, 100);
    EXPECT_EQ(more.values(3), (std::vector<double>{0, 10, 20, 30, 40, 50, 60}));
    EXPECT_EQ(more.together, 1);
    EXPECT_EQ(more.apart, 6);
}

TEST(ItemRounds, ItemsAreNotSharedWhereThatIsNoGain) {
    Counted small(2, 1);
    EXPECT_EQ(small.values(3), (std::vector<double>{0, 10}));
    Counted even(6, 100);
    EXPECT_EQ(even.values(3).size(), 6U);
    Counted alone(5, 100);
    EXPECT_EQ(alone.values(1).size(), 5U);
    EXPECT_EQ(small.together + even.together + alone.together, 0);
}

}  // namespace
}  // namespace lockstep::xpcs
