#include "app/rl/train/memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

namespace lockstep::app {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

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

TEST(MemoryTest, RefusesMoreThanThereIs) {
    EXPECT_GT(memory_of_machine(), 0);
    EXPECT_NO_THROW(require_memory("garnet", 1000, 1000));
    EXPECT_NO_THROW(require_memory("garnet", 1000, 0));
    EXPECT_THAT([] { require_memory("garnet", std::int64_t{3} << 30, std::int64_t{1} << 30); },
                ThrowsMessage<InputError>(AllOf(
                    HasSubstr("garnet takes 3.0 GiB"), HasSubstr("1.0 GiB"), HasSubstr("--mode"))));
}

}  // namespace
}  // namespace lockstep::app
