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

}  // namespace
}  // namespace lockstep::app
