#include "lockstep/runtime/node_placement.hpp"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

namespace lockstep::runtime {
namespace {

TEST(NodePlacementTest, LeavesEveryListAsItWas) {
    comm::run_in_process(3, [](comm::Communicator& ranks) {
        SharedArray<double> numbers{1.5, -0.0, 3};
        SharedArray<std::uint8_t> bytes(77, 9);
        SharedArray<int> none;
        const auto* before = numbers.data();
        NodePlacement placement;
        placement.add(bytes);
        placement.add(none);
        placement.add(numbers);

        const auto borrowed = placement.place(ranks.split_local());

        EXPECT_EQ(borrowed, ranks.rank() == 0 ? 0 : 128 + 64);
        EXPECT_NE(numbers.data(), before);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(numbers.data()) % 64, 0u);
        EXPECT_EQ(numbers, (SharedArray<double>{1.5, -0.0, 3}));
        EXPECT_EQ(bytes, SharedArray<std::uint8_t>(77, 9));
        EXPECT_TRUE(none.empty());
        const auto copy = numbers;
        EXPECT_EQ(copy.data(), numbers.data());
        EXPECT_THROW(numbers.push_back(1), AssertionError);
    });
}

TEST(NodePlacementTest, PlacesAgainAfterTheWriterIsLost) {
    comm::run_in_process(
        3,
        [](comm::Communicator& ranks) {
            SharedArray<int> list{1, 2, 3};
            NodePlacement first;
            first.add(list);
            first.place(ranks.split_local());
            try {
                while (true) {
                    ranks.barrier();
                }
            } catch (const comm::PeerFailed&) {
                ranks.recover();
            }
            NodePlacement second;
            second.add(list);
            const auto borrowed = second.place(ranks.split_local());
            EXPECT_EQ(borrowed, ranks.rank() == 0 ? 0 : 64);
            EXPECT_EQ(list, (SharedArray<int>{1, 2, 3}));
        },
        [](int rank, std::int64_t collective) { return rank == 0 && collective == 9; });
}

TEST(NodePlacementTest, LeavesAListToARankAlone) {
    SharedArray<int> list{1, 2, 3};
    const auto* before = list.data();
    NodePlacement placement;
    placement.add(list);
    EXPECT_EQ(placement.place(comm::make_local()), 0);
    EXPECT_EQ(list.data(), before);
    list.push_back(4);
    EXPECT_EQ(list.size(), 4u);
}

}  // namespace
}  // namespace lockstep::runtime
