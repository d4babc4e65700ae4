#include "comm/node_gather.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "lockstep/base/index.hpp"
#include "lockstep/comm/communicator.hpp"

#include "comm/shm/group.hpp"

namespace lockstep::comm {
namespace {

using testing::ElementsAre;
using Gather = NodeConfig::Gather;
using Placement = std::vector<std::string>;  // node of each rank

const Placement in_blocks{"a", "a", "b", "b", "c", "c"};
const Placement cyclic{"a", "b", "c", "a", "b", "c"};
const Placement uneven{"a", "b", "c", "a", "a"};
const Placement on_one_node{"a", "a", "a"};
const Placement alone{"a", "b", "c"};

TEST(NodeMapTest, ListsTheRanksOfEachNode) {
    const NodeMap blocks = map_nodes(in_blocks, 3);
    EXPECT_THAT(blocks.ranks, ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3), ElementsAre(4, 5)));
    EXPECT_EQ(blocks.own, 1);
    EXPECT_THAT(blocks.own_ranks(), ElementsAre(2, 3));
    EXPECT_THAT(blocks.leaders(), ElementsAre(0, 2, 4));

    const NodeMap dealt = map_nodes(cyclic, 5);
    EXPECT_THAT(dealt.ranks, ElementsAre(ElementsAre(0, 3), ElementsAre(1, 4), ElementsAre(2, 5)));
    EXPECT_EQ(dealt.own, 2);
    EXPECT_THAT(dealt.leaders(), ElementsAre(0, 1, 2));
}

NodeMap nodes_of(std::size_t nodes, std::size_t ranks_each) {
    Placement names;
    for (std::size_t i = 0; i < nodes * ranks_each; ++i) {
        names.push_back(std::to_string(i / ranks_each));
    }
    return map_nodes(names, 0);
}

TEST(NodeMapTest, CountsHowOftenARingGoesToAnotherNode) {
    EXPECT_EQ(map_nodes(in_blocks, 0).crossings(), 3);
    EXPECT_EQ(map_nodes(cyclic, 0).crossings(), 6);
    EXPECT_EQ(map_nodes(uneven, 0).crossings(), 3);
    EXPECT_EQ(map_nodes(on_one_node, 0).crossings(), 0);
    EXPECT_EQ(map_nodes(alone, 0).crossings(), 3);
}

TEST(NodeMapTest, GathersByNodesWhereNeighboursAreApart) {
    EXPECT_TRUE(gathers_by_nodes(Gather::automatic, map_nodes(cyclic, 0)));
    EXPECT_FALSE(gathers_by_nodes(Gather::automatic, map_nodes(in_blocks, 0)));
    EXPECT_FALSE(gathers_by_nodes(Gather::automatic, map_nodes(uneven, 0)));
    EXPECT_FALSE(gathers_by_nodes(Gather::automatic, map_nodes(alone, 0)));
}

TEST(NodeMapTest, GathersByNodesWhereSeveralAreFull) {
    EXPECT_TRUE(gathers_by_nodes(Gather::automatic, nodes_of(2, 8)));
    EXPECT_FALSE(gathers_by_nodes(Gather::automatic, nodes_of(2, 7)));
    EXPECT_FALSE(gathers_by_nodes(Gather::automatic, nodes_of(1, 64)));
    EXPECT_FALSE(gathers_by_nodes(Gather::automatic, nodes_of(64, 1)));
}

TEST(NodeMapTest, GathersAsIsWished) {
    EXPECT_FALSE(gathers_by_nodes(Gather::flat, nodes_of(2, 8)));
    EXPECT_TRUE(gathers_by_nodes(Gather::by_nodes, nodes_of(1, 1)));
}

/// The ranks of a placement, as threads whose parts meet in shared memory.
void on_nodes(const Placement& placement,
              std::size_t slice_bytes,
              const std::function<void(Communicator&, std::unique_ptr<NodeGather>)>& body) {
    static std::atomic<int> runs = 0;
    ShmConfig settings;
    settings.name = "/lockstep-nodes-" + std::to_string(getpid()) + "-" + std::to_string(runs++);
    settings.buffer_bytes = 4096;
    run_in_process(static_cast<int>(placement.size()), [&](Communicator& world) {
        const NodeMap nodes = map_nodes(placement, world.rank());
        const auto leaders = nodes.leaders();
        std::vector<int> others(placement.size());
        std::iota(others.begin(), others.end(), 0);
        std::erase_if(others, [&](int rank) { return std::ranges::count(leaders, rank) > 0; });
        const bool leads = std::ranges::count(leaders, world.rank()) > 0;
        auto node = make_shm_group(world, nodes.own_ranks(), settings).communicator;
        auto above = make_shm_group(world, leads ? leaders : others, settings).communicator;
        if (!leads) {
            above.reset();
        }
        body(world,
             std::make_unique<NodeGather>(nodes, std::move(node), std::move(above), slice_bytes));
    });
}

struct Item {
    std::array<std::uint8_t, 5> bytes;
    friend bool operator==(const Item&, const Item&) = default;
};

// By nodes against flat, gaps included.
void expect_same_bits(Communicator& world, NodeGather& nodes, const Layout& layout) {
    std::vector<Item> send(static_cast<std::size_t>(layout.count(world.rank())));
    for (std::size_t i = 0; i < send.size(); ++i) {
        send[i].bytes.fill(static_cast<std::uint8_t>(31 * world.rank() + static_cast<int>(i) + 1));
    }
    const std::vector<Item> before(static_cast<std::size_t>(layout.extent()) + 2,
                                   Item{{9, 9, 9, 9, 9}});
    auto expected = before;
    auto received = before;

    world.allgatherv<Item>(send, expected, layout);
    nodes.run(std::as_bytes(std::span(send)),
              std::as_writable_bytes(std::span(received)),
              layout,
              sizeof(Item));

    EXPECT_EQ(received, expected) << "on rank " << world.rank();
}

std::vector<Layout> layouts_for(int ranks) {
    const auto size = static_cast<std::size_t>(ranks);
    std::vector<Layout> layouts{Layout::blocks(ranks, 1, ranks),
                                Layout::blocks(3 * ranks + 1, 7, ranks),
                                Layout(std::vector<std::int64_t>(size, 0))};
    std::vector<std::int64_t> counts;
    std::vector<std::int64_t> backwards;
    for (int rank = 0; rank < ranks; ++rank) {
        counts.push_back(rank == 1 ? 0 : 2 * rank + 1);
        backwards.push_back(rank == 1 ? std::int64_t{1} << 40 : 20 * (ranks - rank));
    }
    layouts.emplace_back(counts, backwards);
    // One node has nothing, or all.
    for (const int chosen : {0, ranks - 1}) {
        std::vector<std::int64_t> one(size, 0);
        one[at(chosen)] = 40;
        layouts.emplace_back(one);
    }
    return layouts;
}

TEST(NodeGatherTest, GivesTheBitsOfAFlatGatherWhereverRanksAre) {
    for (const auto& placement : {in_blocks, cyclic, uneven, on_one_node, alone}) {
        for (const std::size_t slice_bytes : {std::size_t{9}, std::size_t{1} << 16}) {
            on_nodes(placement, slice_bytes, [](Communicator& world, auto nodes) {
                for (const Layout& layout : layouts_for(world.size())) {
                    expect_same_bits(world, *nodes, layout);
                }
            });
        }
    }
}

// Rank 4 is gone when the others gather; the ranks of its node and the leaders each find another
// one missing.
TEST(NodeGatherTest, NamesALostRankByItsNumberAmongAll) {
    std::vector<int> lost(cyclic.size(), -1);
    on_nodes(cyclic, 1 << 10, [&](Communicator& world, auto nodes) {
        const int rank = world.rank();
        if (rank != 4) {
            try {
                std::vector<std::byte> send(3);
                std::vector<std::byte> all(18);
                nodes->run(send, all, Layout::blocks(6, 3, 6), 1);
            } catch (const PeerFailed& failure) {
                lost[at(rank)] = failure.rank();
            }
        }
        nodes.reset();
    });
    EXPECT_EQ(lost[1], 4);
    EXPECT_EQ(lost[0], 1);
    EXPECT_TRUE(lost[2] == 1 || lost[2] == 0) << lost[2];
    EXPECT_EQ(lost[3], 0);
    EXPECT_EQ(lost[5], 2);
}

}  // namespace
}  // namespace lockstep::comm
