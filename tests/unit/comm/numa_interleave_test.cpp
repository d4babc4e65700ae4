#include "comm/numa_interleave.hpp"

#include <bit>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace lockstep::comm {
namespace {

// What the kernel tells of this thread: "default", "interleave:0", …
std::string policy_of_this_thread() {
    std::ifstream maps("/proc/thread-self/numa_maps");
    std::string line;
    std::getline(maps, line);  // the thread's policy holds for every mapping without its own
    std::istringstream words(line);
    std::string address;
    std::string policy;
    words >> address >> policy;
    return policy;
}

class NumaInterleaveTest : public testing::Test {
protected:
    void SetUp() override {
        if (usable_numa_nodes() == NumaNodes{} || policy_of_this_thread().empty()) {
            GTEST_SKIP() << "the kernel tells nothing of NUMA nodes";
        }
    }
    const std::string before_ = policy_of_this_thread();
};

TEST_F(NumaInterleaveTest, HoldsWhileItLives) {
    {
        const NumaInterleave all(usable_numa_nodes());
        EXPECT_EQ(policy_of_this_thread().substr(0, 11), "interleave:");
    }
    EXPECT_EQ(policy_of_this_thread(), before_);
}

TEST_F(NumaInterleaveTest, LeavesSmallRegionsNearTheirWriter) {
    const NumaInterleave small(NumaInterleave::least_bytes - 1);
    EXPECT_EQ(policy_of_this_thread(), before_);
}

TEST_F(NumaInterleaveTest, DealsLargeRegionsWhereThereAreNodes) {
    int nodes = 0;
    for (const auto word : usable_numa_nodes()) {
        nodes += std::popcount(word);
    }
    const NumaInterleave large(NumaInterleave::least_bytes);
    if (nodes > 1) {
        EXPECT_EQ(policy_of_this_thread().substr(0, 11), "interleave:");
    } else {
        EXPECT_EQ(policy_of_this_thread(), before_);
    }
}

TEST_F(NumaInterleaveTest, NestsAndForgetsNothing) {
    const NumaInterleave outer(usable_numa_nodes());
    const auto dealt = policy_of_this_thread();
    { const NumaInterleave inner(usable_numa_nodes()); }
    EXPECT_EQ(policy_of_this_thread(), dealt);
}

}  // namespace
}  // namespace lockstep::comm
