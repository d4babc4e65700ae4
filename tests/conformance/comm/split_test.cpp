#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"

#include "conformance/comm/fixture.hpp"

namespace lockstep::comm {
namespace {

std::vector<std::int32_t> gather_one_each(Communicator& comm, std::int32_t own) {
    std::vector<std::int32_t> all(static_cast<std::size_t>(comm.size()), -1);
    comm.allgatherv<std::int32_t>(
        std::span<const std::int32_t>(&own, 1), all, Layout::blocks(comm.size(), 1, comm.size()));
    return all;
}

// Rank 0's number, by a broadcast.
std::int32_t number_of_leader(Communicator& comm, std::int32_t own) {
    comm.broadcast(std::span(&own, 1), 0);
    return own;
}

TEST_P(CommunicatorTest, SplitsIntoNodesInTheOrderOfTheRanks) {
    on_all_ranks([](Communicator& comm) {
        const auto node = comm.split_local();
        const auto members = gather_one_each(*node, comm.rank());

        EXPECT_EQ(members[at(node->rank())], comm.rank());
        EXPECT_TRUE(std::ranges::is_sorted(members, std::ranges::less_equal()));
        for (std::size_t i = 0; i < members.size(); ++i) {
            EXPECT_EQ(node->host(static_cast<int>(i)), comm.host(members[i]));
        }
        EXPECT_FALSE(node->backend().empty());
        EXPECT_FALSE(node->is_broken());
    });
}

TEST_P(CommunicatorTest, PutsEveryRankOnOneNode) {
    on_all_ranks([](Communicator& comm) {
        const auto node = comm.split_local();
        const std::int32_t size = node->rank() == 0 ? node->size() : 0;
        EXPECT_EQ(comm.allreduce(size, ReduceOp::sum), comm.size());
        EXPECT_GE(node->size(), 1);
    });
}

// Ranks of one process or one machine that share memory are on one node; the others are alone.
TEST_P(CommunicatorTest, SplitsOneNodeIntoOneOrIntoLoneRanks) {
    on_all_ranks([](Communicator& comm) {
        if (GetParam().nodes > 0) {
            EXPECT_EQ(comm.split_local()->size(), comm.size() / GetParam().nodes);
            return;
        }
        for (int rank = 0; rank < comm.size(); ++rank) {
            if (comm.host(rank) != comm.host(0)) {
                return;
            }
        }
        const auto node = comm.split_local();
        EXPECT_TRUE(node->size() == comm.size() || node->size() == 1);
    });
}

TEST_P(CommunicatorTest, LetsCollectivesOfWorldAndNodeAlternate) {
    on_all_ranks([](Communicator& comm) {
        const auto node = comm.split_local();
        const auto members = gather_one_each(*node, comm.rank());
        const std::int32_t sum_of_members = std::accumulate(members.begin(), members.end(), 0);
        const std::int32_t sum_of_all = comm.size() * (comm.size() - 1) / 2;
        repeat(comm, 100, [&](std::uint64_t number) {
            const auto round = static_cast<std::int32_t>(number);
            EXPECT_EQ(node->allreduce(comm.rank(), ReduceOp::sum), sum_of_members);
            EXPECT_EQ(comm.allreduce(comm.rank(), ReduceOp::sum), sum_of_all);
            EXPECT_EQ(number_of_leader(comm, comm.rank() + round), round);
            EXPECT_EQ(number_of_leader(*node, comm.rank() + round), members[0] + round);
            node->barrier();
            if (round % 3 == 0) {
                comm.barrier();
            }
        });
    });
}

// Leaders speak while the others wait for them: gather on the node, then in the world, then tell.
TEST_P(CommunicatorTest, GathersByNodeAndThenAcrossNodes) {
    on_all_ranks([](Communicator& comm) {
        const auto node = comm.split_local();
        for (std::int64_t round = 0; round < 20; ++round) {
            const auto own = round + comm.rank();
            const auto on_node = node->allreduce(own, ReduceOp::sum);
            const auto of_leader = node->rank() == 0 ? on_node : std::int64_t{0};
            EXPECT_EQ(comm.allreduce(of_leader, ReduceOp::sum),
                      comm.size() * round + comm.size() * (comm.size() - 1) / 2);
        }
    });
}

TEST_P(CommunicatorTest, SplitsANodeIntoItself) {
    on_all_ranks([](Communicator& comm) {
        const auto node = comm.split_local();
        const auto again = node->split_local();

        EXPECT_EQ(again->rank(), node->rank());
        EXPECT_EQ(again->size(), node->size());
        EXPECT_EQ(gather_one_each(*again, comm.rank()), gather_one_each(*node, comm.rank()));
        comm.barrier();
    });
}

TEST_P(CommunicatorTest, SplitsManyTimes) {
    on_all_ranks([](Communicator& comm) {
        std::vector<std::unique_ptr<Communicator>> nodes;
        for (int i = 0; i < 30; ++i) {
            nodes.push_back(comm.split_local());
        }
        for (std::int32_t i = 29; i >= 0; --i) {
            auto& node = nodes[at(i)];
            EXPECT_EQ(node->allreduce(i, ReduceOp::max), i);
            node.reset();
        }
        EXPECT_EQ(comm.allreduce(std::int32_t{1}, ReduceOp::sum), comm.size());
    });
}

TEST_P(CommunicatorTest, SharesARegionOnTheNode) {
    on_all_ranks([](Communicator& comm) {
        const auto node = comm.split_local();
        const auto on_node = node->create_region(64);
        const auto in_world = comm.create_region(64);
        const auto write = [](Region& region, std::byte value) {
            std::ranges::fill(region.writer_span(), value);
        };
        EXPECT_EQ(on_node->is_writer(), node->rank() == 0 || !on_node->is_shared());

        write(*on_node, std::byte{1});
        write(*in_world, std::byte{2});
        in_world->fence();
        on_node->fence();

        EXPECT_EQ(on_node->view()[63], std::byte{1});
        EXPECT_EQ(in_world->view()[63], std::byte{2});
        comm.barrier();
    });
}

TEST_P(CommunicatorTest, OpensAMailboxOnTheNode) {
    on_all_ranks([](Communicator& comm) {
        const auto node = comm.split_local();
        const auto mailbox = node->open_mailbox(100);
        const std::vector<std::byte> bytes{std::byte{7}};
        const int next = (node->rank() + 1) % node->size();
        EXPECT_TRUE(mailbox->post(next, 3, bytes));
        const auto message = next_message(*mailbox);
        EXPECT_EQ(message.from, (node->rank() + node->size() - 1) % node->size());
        EXPECT_EQ(message.tag, 3);
        EXPECT_EQ(message.bytes, bytes);
        comm.barrier();
    });
}

TEST_P(CommunicatorTest, CountsTheTrafficOfANodeOnItsOwn) {
    on_all_ranks([](Communicator& comm) {
        const auto node = comm.split_local();
        const auto before = comm.traffic();
        EXPECT_EQ(node->traffic().calls, 0);
        node->barrier();
        EXPECT_EQ(node->traffic().calls, 1);
        EXPECT_EQ(comm.traffic().calls, before.calls);
    });
}

INSTANTIATE_TEST_SUITE_P(Split,
                         CommunicatorTest,
                         testing::ValuesIn(all_backends()),
                         name_of_backend);

}  // namespace
}  // namespace lockstep::comm
