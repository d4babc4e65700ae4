#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"

#include "conformance/comm/fixture.hpp"

namespace lockstep::comm {
namespace {

// What rank r sends as its element i.
double value_of(int rank, std::int64_t i) {
    return 1000.0 * rank + static_cast<double>(i);
}

std::vector<double> part_of(int rank, std::int64_t count) {
    std::vector<double> part;
    for (std::int64_t i = 0; i < count; ++i) {
        part.push_back(value_of(rank, i));
    }
    return part;
}

// Gathers by `layout` into an array of `length` that is -1 before, and checks every element on
// every rank.
void expect_gathered(Communicator& comm, const Layout& layout, std::size_t length) {
    std::vector<double> expected(length, -1);
    for (int rank = 0; rank < comm.size(); ++rank) {
        for (std::int64_t i = 0; i < layout.count(rank); ++i) {
            expected[at(layout.offset(rank) + i)] = value_of(rank, i);
        }
    }
    const auto part = part_of(comm.rank(), layout.count(comm.rank()));
    std::vector<double> received(length, -1);

    comm.allgatherv<double>(part, received, layout);

    EXPECT_EQ(received, expected) << "on rank " << comm.rank();
}

TEST_P(CommunicatorTest, GathersPartsOfDifferentSizes) {
    on_all_ranks([](Communicator& comm) {
        const Layout layout = Layout::blocks(2 * comm.size() + 1, 3, comm.size());
        expect_gathered(comm, layout, static_cast<std::size_t>(layout.extent()));
    });
}

TEST_P(CommunicatorTest, LeavesGapsUntouchedAndTakesPartsInAnyOrder) {
    on_all_ranks([](Communicator& comm) {
        std::vector<std::int64_t> counts;
        std::vector<std::int64_t> offsets;
        for (int rank = 0; rank < comm.size(); ++rank) {
            counts.push_back(rank + 1);
            offsets.push_back(7 * (comm.size() - 1 - rank) + 2);
        }
        expect_gathered(
            comm, Layout(counts, offsets), static_cast<std::size_t>(7 * comm.size() + 5));
    });
}

TEST_P(CommunicatorTest, GathersWhenSomeRanksSendNothing) {
    on_all_ranks([](Communicator& comm) {
        std::vector<std::int64_t> counts(static_cast<std::size_t>(comm.size()), 0);
        counts.back() = 2;
        expect_gathered(comm, Layout(counts), 2);
    });
}

TEST_P(CommunicatorTest, GathersNothingAtAll) {
    on_all_ranks([](Communicator& comm) {
        const std::vector<std::int64_t> counts(static_cast<std::size_t>(comm.size()), 0);
        expect_gathered(comm, Layout(counts), 0);
        expect_gathered(comm, Layout(counts), 3);
    });
}

TEST_P(CommunicatorTest, LetsEmptyPartsStartAnywhere) {
    on_all_ranks([](Communicator& comm) {
        std::vector<std::int64_t> counts(static_cast<std::size_t>(comm.size()), 0);
        std::vector<std::int64_t> offsets(counts.size(), std::int64_t{1} << 40);
        counts[0] = 1;
        offsets[0] = 0;
        expect_gathered(comm, Layout(counts, offsets), 1);
    });
}

TEST_P(CommunicatorTest, GathersManyElements) {
    on_all_ranks([](Communicator& comm) {
        const Layout layout = Layout::blocks(comm.size(), 100'000, comm.size());
        expect_gathered(comm, layout, static_cast<std::size_t>(layout.extent()));
    });
}

struct Cut {
    double intercept;
    std::int32_t stage;
    std::int32_t rank;
};

TEST_P(CommunicatorTest, GathersStructs) {
    on_all_ranks([](Communicator& comm) {
        const std::vector<Cut> send{{0.5, 7, comm.rank()}};
        std::vector<Cut> received(static_cast<std::size_t>(comm.size()));

        comm.allgatherv<Cut>(send, received, Layout::blocks(comm.size(), 1, comm.size()));

        for (int rank = 0; rank < comm.size(); ++rank) {
            EXPECT_EQ(received[at(rank)].rank, rank);
            EXPECT_EQ(received[at(rank)].intercept, 0.5);
        }
    });
}

TEST_P(CommunicatorTest, GathersBytesAtOddAddresses) {
    on_all_ranks([](Communicator& comm) {
        std::vector<std::uint8_t> send(4, static_cast<std::uint8_t>(comm.rank()));
        std::vector<std::uint8_t> received(static_cast<std::size_t>(3 * comm.size() + 1), 99);

        comm.allgatherv<std::uint8_t>(std::span(send).subspan(1),
                                      std::span(received).subspan(1),
                                      Layout::blocks(comm.size(), 3, comm.size()));

        EXPECT_EQ(received[0], 99);
        for (std::size_t i = 1; i < received.size(); ++i) {
            EXPECT_EQ(received[i], (i - 1) / 3);
        }
    });
}

TEST_P(CommunicatorTest, BroadcastsFromEveryRoot) {
    on_all_ranks([](Communicator& comm) {
        for (int root = 0; root < comm.size(); ++root) {
            for (const std::size_t length : {std::size_t{0}, std::size_t{1}, std::size_t{10'000}}) {
                std::vector<double> buffer(length, comm.rank());
                comm.broadcast<double>(buffer, root);
                EXPECT_EQ(buffer, std::vector<double>(length, root));
            }
        }
    });
}

TEST_P(CommunicatorTest, SeparatesWhatIsWrittenBeforeABarrierFromWhatIsReadAfter) {
    std::vector<std::uint64_t> written(static_cast<std::size_t>(ranks()), 0);
    on_all_ranks([&](Communicator& comm) {
        repeat(comm, 1000, [&](std::uint64_t before) {
            const auto round = before + 1;
            written[at(comm.rank())] = round;
            comm.barrier();
            // Ranks that are processes of their own see their own entry only.
            for (const auto value : written) {
                EXPECT_TRUE(value == round || value == 0);
            }
            comm.barrier();
        });
    });
}

TEST_P(CommunicatorTest, KnowsItsRankAndSize) {
    std::vector<int> seen(static_cast<std::size_t>(ranks()), 0);
    on_all_ranks([&](Communicator& comm) {
        EXPECT_EQ(comm.size(), ranks());
        std::vector<std::int32_t> all(static_cast<std::size_t>(comm.size()));
        const std::vector<std::int32_t> own{comm.rank()};
        comm.allgatherv<std::int32_t>(own, all, Layout::blocks(comm.size(), 1, comm.size()));
        std::vector<std::int32_t> expected(all.size());
        std::iota(expected.begin(), expected.end(), 0);
        EXPECT_EQ(all, expected);
        EXPECT_FALSE(comm.backend().empty());
    });
}

INSTANTIATE_TEST_SUITE_P(Gather,
                         CommunicatorTest,
                         testing::ValuesIn(all_backends()),
                         name_of_backend);

}  // namespace
}  // namespace lockstep::comm
