#include "block_cache.hpp"

#include <cstring>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace lockstep::cli::block_cache {
namespace {

// A thread of its own has a cache of its own, which is empty.
template <typename Body>
void in_a_thread(Body&& body) {
    std::thread(body).join();
}

TEST(BlockCacheTest, GivesTheSameBlockAgain) {
    in_a_thread([] {
        void* first = take(5000);
        give(first);
        EXPECT_GE(kept_bytes(), 5000U);
        void* second = take(5100);  // of the same size, rounded
        EXPECT_EQ(second, first);
        EXPECT_EQ(kept_bytes(), 0U);
        give(second);
    });
}

TEST(BlockCacheTest, BlocksOfAllSizesHoldWhatWasAskedFor) {
    in_a_thread([] {
        for (int round = 0; round < 2; ++round) {
            std::vector<void*> blocks;
            for (std::size_t bytes = 0; bytes < 3'000'000; bytes += 1 + bytes / 7) {
                blocks.push_back(take(bytes));
                ASSERT_NE(blocks.back(), nullptr);
                std::memset(blocks.back(), round, bytes);
            }
            for (void* block : blocks) {
                give(block);
            }
            EXPECT_LE(kept_bytes(), most_kept);
        }
    });
}

TEST(BlockCacheTest, KeepsNoMoreThanItMay) {
    in_a_thread([] {
        std::vector<void*> blocks;
        for (int i = 0; i < 100; ++i) {
            blocks.push_back(take(1'000'000));
        }
        for (void* block : blocks) {
            give(block);
        }
        EXPECT_GT(kept_bytes(), most_kept / 2);
        EXPECT_LE(kept_bytes(), most_kept);
    });
}

TEST(BlockCacheTest, SmallAndHugeBlocksAreLeftToTheLibrary) {
    in_a_thread([] {
        give(take(0));
        give(take(1024));
        give(take(2'000'000));
        give(nullptr);
        EXPECT_EQ(kept_bytes(), 0U);
    });
}

TEST(BlockCacheTest, TakesBlocksOfOtherThreads) {
    void* block = nullptr;
    in_a_thread([&] { block = take(100'000); });
    in_a_thread([&] {
        give(block);
        EXPECT_EQ(take(100'000), block);
        give(block);
    });
}

}  // namespace
}  // namespace lockstep::cli::block_cache
