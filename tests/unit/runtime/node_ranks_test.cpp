#include "lockstep/runtime/node_ranks.hpp"

#include <gtest/gtest.h>

namespace lockstep::runtime {
namespace {

TEST(NodeRanksTest, SplitsOnce) {
    comm::run_in_process(3, [](comm::Communicator& ranks) {
        NodeRanks node_ranks;
        const auto node = node_ranks.of(ranks);
        EXPECT_EQ(node->size(), 3);
        EXPECT_EQ(node_ranks.of(ranks), node);
    });
}

TEST(NodeRanksTest, SplitsAnewAfterALoss) {
    comm::run_in_process(
        3,
        [](comm::Communicator& ranks) {
            NodeRanks node_ranks;
            const auto before = node_ranks.of(ranks);
            try {
                for (;;) {
                    ranks.barrier();
                }
            } catch (const comm::PeerFailed&) {  // whatever ends the rank that goes passes on
                ranks.recover();
            }
            const auto node = node_ranks.of(ranks);
            EXPECT_NE(node, before);
            EXPECT_EQ(node->size(), 2);
            node->barrier();
        },
        [](int rank, std::int64_t collective) { return rank == 1 && collective == 5; });
}

}  // namespace
}  // namespace lockstep::runtime
