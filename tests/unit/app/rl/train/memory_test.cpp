#include "app/rl/train/memory.hpp"

#include <gtest/gtest.h>

namespace lockstep::app {
namespace {

TEST(MemoryTest, CountsTheCopiesOfThreads) {
    rl::LearnOptions options;
    options.mode = rl::Mode::serial;
    const auto serial = memory_of_training(1000, 4, options, 8);
    EXPECT_GE(serial, 1000 * 4 * 2 * 12);
    options.mode = rl::Mode::threads;
    EXPECT_EQ(memory_of_training(1000, 4, options, 8), serial + 8 * 1000 * 4 * 12);
    options.algorithm = rl::Algorithm::double_q;
    EXPECT_GT(memory_of_training(1000, 4, options, 8), serial + 2 * 8 * 1000 * 4 * 12);
}

TEST(MemoryTest, KnowsThatValuesMayBeFloats) {
    rl::LearnOptions options;
    const auto wide = memory_of_training(1000, 4, options, 8);
    options.table_precision = rl::Precision::f32;
    EXPECT_EQ(memory_of_training(1000, 4, options, 8), wide - 9 * 1000 * 4 * 4);
}

TEST(MemoryTest, CountsTheTableOnceANodeWhereItsRanksShareIt) {
    rl::LearnOptions options;
    options.mode = rl::Mode::allreduce;
    constexpr std::int64_t table = 1000 * 4 * 12;
    const auto alone = memory_of_training(1000, 4, options, 2);
    EXPECT_EQ(memory_of_training(1000, 4, options, 2, 3), 3 * alone - 2 * table);
    options.overlap = true;
    EXPECT_EQ(memory_of_training(1000, 4, options, 2, 3), 3 * alone);
}

TEST(MemoryTest, SaysHowRanksHoldTheirTables) {
    EXPECT_EQ(tables_text(1, 3, false), "one table for the 3 ranks of this node");
    EXPECT_EQ(tables_text(2, 4, false), "2 tables for 4 ranks: those of a node hold one together");
    EXPECT_EQ(tables_text(3, 3, false), "a table a rank: no two of them share memory");
    EXPECT_EQ(tables_text(3, 3, true),
              "a table a rank: with overlap ranks are in different rounds");
}

}  // namespace
}  // namespace lockstep::app
