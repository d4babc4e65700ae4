#include "lockstep/runtime/node_memory.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace lockstep::runtime {
namespace {

TEST(NodeMemoryTest, IsNotThereForARankAlone) {
    EXPECT_EQ(NodeMemory::create(comm::make_local(), 100), nullptr);
}

TEST(NodeMemoryTest, ShowsAllRanksWhatTheWriterFills) {
    comm::run_in_process(3, [](comm::Communicator& ranks) {
        const auto memory = NodeMemory::create(ranks.split_local(), 100);
        ASSERT_NE(memory, nullptr);
        EXPECT_EQ(memory->is_writer(), ranks.rank() == 0);
        EXPECT_EQ(memory->borrowed_bytes(), ranks.rank() == 0 ? 0 : 100);
        EXPECT_EQ(memory->bytes()[99], std::byte{0});
        ranks.barrier();
        if (auto* bytes = memory->writable()) {
            bytes[99] = std::byte{7};
        }
        memory->region().fence();
        EXPECT_EQ(memory->bytes()[99], std::byte{7});
    });
}

TEST(NodeMemoryTest, IsNotThereWhereThereIsNoRoom) {
    comm::run_in_process(2, [](comm::Communicator& ranks) {
        constexpr auto too_much = std::numeric_limits<std::size_t>::max();
        EXPECT_EQ(NodeMemory::create(ranks.split_local(), too_much), nullptr);
        ranks.barrier();
    });
}

}  // namespace
}  // namespace lockstep::runtime
