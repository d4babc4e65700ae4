#include "lockstep/runtime/topology.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "lockstep/runtime/thread_team.hpp"

namespace lockstep::runtime {
namespace {

TEST(FairShareTest, OneRankHasAllItsCpus) {
    EXPECT_EQ(fair_share({{0, 1, 2, 3}}, 0, std::nullopt), 4);
    EXPECT_EQ(fair_share({{5}}, 0, std::nullopt), 1);
}

TEST(FairShareTest, RanksOnTheSameCpusDivideThem) {
    const std::vector<int> all{0, 1, 2, 3, 4, 5, 6, 7};
    for (int rank = 0; rank < 3; ++rank) {
        EXPECT_EQ(fair_share({all, all, all}, rank, std::nullopt), 2);
    }
    EXPECT_EQ(fair_share({all, all}, 1, std::nullopt), 4);
}

TEST(FairShareTest, BoundRanksKeepTheirOwn) {
    EXPECT_EQ(fair_share({{0, 1}, {2, 3}}, 0, std::nullopt), 2);
    EXPECT_EQ(fair_share({{0, 1}, {2, 3}}, 1, std::nullopt), 2);
}

TEST(FairShareTest, NobodyHasLessThanOne) {
    EXPECT_EQ(fair_share({{0}, {0}, {0}}, 2, std::nullopt), 1);
}

TEST(FairShareTest, TheQuotaIsForAllRanksTogether) {
    EXPECT_EQ(fair_share({{0, 1, 2, 3}}, 0, 1.5), 2);
    EXPECT_EQ(fair_share({{0, 1, 2, 3}, {0, 1, 2, 3}}, 0, 2.0), 1);
    EXPECT_EQ(fair_share({{0, 1, 2, 3}}, 0, 64.0), 4);
}

TEST(TopologyTest, TellsTheCpusOfThisProcess) {
    const auto here = topology();
    ASSERT_FALSE(here.allowed_cpus.empty());
    EXPECT_TRUE(std::is_sorted(here.allowed_cpus.begin(), here.allowed_cpus.end()));
    EXPECT_LE(usable_cpus(), static_cast<int>(here.allowed_cpus.size()));
    EXPECT_LE(here.own_numa_nodes.size(), static_cast<std::size_t>(here.numa_nodes));
}

TEST(TopologyTest, ThreadsOfOneProcessShareItsCpus) {
    comm::run_in_process(2, [](comm::Communicator& communicator) {
        const auto node = communicator.split_local();
        EXPECT_LE(fair_threads(*node), std::max(1, usable_cpus()));
    });
}

}  // namespace
}  // namespace lockstep::runtime
