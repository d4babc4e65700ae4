#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "conformance/comm/fixture.hpp"

namespace lockstep::comm {
namespace {

// Byte i of filling number `filling`.
std::byte byte_of(std::uint64_t filling, std::size_t i) {
    return static_cast<std::byte>((i * 7 + i / 251 + filling * 31 + 1) % 256);
}

void fill(std::span<std::byte> range, std::size_t begin, std::uint64_t filling) {
    for (std::size_t i = 0; i < range.size(); ++i) {
        range[i] = byte_of(filling, begin + i);
    }
}

// What every rank does: nothing on those that are no writer.
void write_all(Region& region, std::uint64_t filling) {
    fill(region.writer_span(), 0, filling);
}

// Each rank its own block; where memory is not shared, every block.
void write_by_blocks(const Communicator& comm, Region& region, std::uint64_t filling) {
    const auto blocks = Layout::blocks(static_cast<std::int64_t>(region.size()), 1, comm.size());
    for (int rank = 0; rank < comm.size(); ++rank) {
        if (!region.is_shared() || rank == comm.rank()) {
            const auto begin = static_cast<std::size_t>(blocks.offset(rank));
            const auto end = begin + static_cast<std::size_t>(blocks.count(rank));
            fill(region.partition_span(begin, end), begin, filling);
        }
    }
}

void expect_filled(const Region& region, std::uint64_t filling) {
    const auto view = region.view();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < view.size(); ++i) {
        wrong += view[i] == byte_of(filling, i) ? 0U : 1U;
    }
    EXPECT_EQ(wrong, 0) << "of " << view.size() << " bytes in filling " << filling;
}

std::string assertion_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const AssertionError& error) {
        return error.what();
    }
    return "";
}

constexpr const char* written_late = "region: written outside a writing phase";
constexpr const char* read_early = "region: read inside a writing phase";

TEST_P(CommunicatorTest, BeginsARegionZeroedAndToBeWritten) {
    on_all_ranks([](Communicator& comm) {
        const auto region = comm.create_region(1000);

        EXPECT_EQ(region->size(), 1000);
        EXPECT_EQ(region->generation(), 0);
        const auto whole = region->partition_span(0, 1000);
        EXPECT_EQ(std::vector<std::byte>(whole.begin(), whole.end()), std::vector<std::byte>(1000));
        comm.barrier();
    });
}

TEST_P(CommunicatorTest, SaysOnAllRanksAlikeWhetherARegionIsShared) {
    on_all_ranks([](Communicator& comm) {
        const auto region = comm.create_region(10);
        const std::int32_t is_shared = region->is_shared() ? 1 : 0;
        EXPECT_EQ(comm.allreduce(is_shared, ReduceOp::min),
                  comm.allreduce(is_shared, ReduceOp::max));
    });
}

TEST_P(CommunicatorTest, LetsRankZeroWriteSharedMemoryAndEachRankItsOwn) {
    on_all_ranks([](Communicator& comm) {
        const auto region = comm.create_region(10);

        EXPECT_EQ(region->is_writer(), comm.rank() == 0 || !region->is_shared());
        EXPECT_EQ(region->writer_span().size(), region->is_writer() ? 10U : 0U);
    });
}

TEST_P(CommunicatorTest, KeepsRegionsAlignedForEveryType) {
    on_all_ranks([](Communicator& comm) {
        for (const auto bytes : std::vector<std::size_t>{1, 100, 5000}) {
            const auto region = comm.create_region(bytes);
            const auto* start = region->partition_span(0, bytes).data();
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(start) % alignof(std::max_align_t), 0);
        }
    });
}

TEST_P(CommunicatorTest, ShowsAllRanksWhatTheWriterWrote) {
    on_all_ranks([](Communicator& comm) {
        for (const auto bytes :
             std::vector<std::size_t>{1, 3, 63, 64, 65, 4095, 4096, 4097, 1'000'003}) {
            const auto region = comm.create_region(bytes);
            write_all(*region, bytes);
            region->fence();

            EXPECT_EQ(region->generation(), 1);
            EXPECT_EQ(region->view().size(), bytes);
            expect_filled(*region, bytes);
        }
    });
}

TEST_P(CommunicatorTest, ShowsAllRanksWhatEachWroteIntoItsPart) {
    on_all_ranks([](Communicator& comm) {
        for (const auto bytes : std::vector<std::size_t>{1, 2, 5, 1001, 100'003}) {
            const auto region = comm.create_region(bytes);
            write_by_blocks(comm, *region, 3);
            region->fence();
            expect_filled(*region, 3);
        }
    });
}

TEST_P(CommunicatorTest, TakesARegionOfNoBytes) {
    on_all_ranks([](Communicator& comm) {
        const auto region = comm.create_region(0);

        EXPECT_EQ(region->size(), 0);
        EXPECT_TRUE(region->writer_span().empty());
        EXPECT_TRUE(region->partition_span(0, 0).empty());
        region->fence();
        EXPECT_TRUE(region->view().empty());
        region->begin_update();
        region->fence();
        EXPECT_EQ(region->generation(), 2);
    });
}

TEST_P(CommunicatorTest, OpensOneWritingPhaseAfterTheOther) {
    on_all_ranks([](Communicator& comm) {
        const auto region = comm.create_region(777);
        repeat(comm, 200, [&](std::uint64_t round) {
            const auto filling = round + 1;
            if (filling % 2 == 0) {
                write_by_blocks(comm, *region, filling);
            } else {
                write_all(*region, filling);
            }
            region->fence();

            ASSERT_EQ(region->generation(), filling);
            expect_filled(*region, filling);
            region->begin_update();
            ASSERT_EQ(region->generation(), filling);
        });
    });
}

TEST_P(CommunicatorTest, KeepsWhatAnUpdateDoesNotTouch) {
    on_all_ranks([](Communicator& comm) {
        const auto region = comm.create_region(100);
        write_all(*region, 1);
        region->fence();
        region->begin_update();
        if (region->is_writer()) {
            fill(region->writer_span().subspan(40, 20), 0, 2);
        }
        region->fence();

        for (std::size_t i = 0; i < 100; ++i) {
            EXPECT_EQ(region->view()[i], i >= 40 && i < 60 ? byte_of(2, i - 40) : byte_of(1, i));
        }
    });
}

TEST_P(CommunicatorTest, ShowsAllRanksWhatIsPublishedWhileTheWriterGoesOn) {
    on_all_ranks([](Communicator& comm) {
        constexpr std::size_t steps = 200;
        const auto region = comm.create_region(steps);
        const auto all = region->partition_span(0, steps);
        std::size_t written = 0;
        repeat(comm, steps, [&](std::uint64_t step) {
            if (region->is_writer()) {
                all[step] = byte_of(1, step);
            }
            region->publish();
            for (std::size_t i = 0; i <= step; ++i) {
                EXPECT_EQ(all[i], byte_of(1, i)) << "after step " << step;
            }
            written = step + 1;
        });
        region->fence();
        for (std::size_t i = 0; i < written; ++i) {
            EXPECT_EQ(region->view()[i], byte_of(1, i));
        }
        EXPECT_EQ(assertion_of([&] { region->publish(); }), written_late);
    });
}

TEST_P(CommunicatorTest, RefusesToWriteARegionOutsideAWritingPhase) {
    on_all_ranks([](Communicator& comm) {
        const auto region = comm.create_region(10);
        write_all(*region, 1);
        region->fence();

        EXPECT_EQ(assertion_of([&] { static_cast<void>(region->writer_span()); }), written_late);
        EXPECT_EQ(assertion_of([&] { static_cast<void>(region->partition_span(0, 1)); }),
                  written_late);
        EXPECT_EQ(assertion_of([&] { region->fence(); }), written_late);
        EXPECT_EQ(region->generation(), 1);
        expect_filled(*region, 1);
        comm.barrier();
    });
}

TEST_P(CommunicatorTest, RefusesToReadARegionInsideAWritingPhase) {
    on_all_ranks([](Communicator& comm) {
        const auto region = comm.create_region(10);
        const auto expect_refusal = [&] {
            EXPECT_EQ(assertion_of([&] { static_cast<void>(region->view()); }), read_early);
            EXPECT_EQ(assertion_of([&] { region->begin_update(); }), read_early);
        };

        expect_refusal();
        region->fence();
        region->begin_update();
        expect_refusal();
        write_all(*region, 2);
        region->fence();
        expect_filled(*region, 2);
    });
}

TEST_P(CommunicatorTest, RefusesARangeThatIsNotWithinTheRegion) {
    on_all_ranks([](Communicator& comm) {
        const auto region = comm.create_region(10);
        const auto message_of = [&](std::size_t begin, std::size_t end) {
            return assertion_of([&] { static_cast<void>(region->partition_span(begin, end)); });
        };

        EXPECT_EQ(message_of(5, 3), "region: range 5 to 3 of 10 bytes");
        EXPECT_EQ(message_of(0, 11), "region: range 0 to 11 of 10 bytes");
        EXPECT_EQ(message_of(11, 11), "region: range 11 to 11 of 10 bytes");
        EXPECT_EQ(message_of(10, 10), "");
        EXPECT_EQ(message_of(0, 10), "");
        comm.barrier();
    });
}

TEST_P(CommunicatorTest, RefusesARegionWhoseSizeDiffersBetweenRanks) {
    on_all_ranks([](Communicator& comm) {
        if (comm.size() == 1) {
            return;
        }
        const auto bytes = static_cast<std::size_t>(10 + comm.rank());
        EXPECT_EQ(comm_error_of([&] { static_cast<void>(comm.create_region(bytes)); }),
                  "create_region: ranks ask for 10 to " + std::to_string(9 + comm.size()) +
                      " bytes, must be equal");

        EXPECT_FALSE(comm.is_broken());
        const auto region = comm.create_region(10);
        write_all(*region, 1);
        region->fence();
        expect_filled(*region, 1);
    });
}

TEST_P(CommunicatorTest, TellsAllRanksThatThereIsNoMemory) {
    on_all_ranks([](Communicator& comm) {
        constexpr auto bytes = std::numeric_limits<std::size_t>::max();
        EXPECT_THROW(static_cast<void>(comm.create_region(bytes)), IoError);

        EXPECT_FALSE(comm.is_broken());
        const auto region = comm.create_region(10);
        write_all(*region, 1);
        region->fence();
        expect_filled(*region, 1);
    });
}

TEST_P(CommunicatorTest, KeepsRegionsApart) {
    on_all_ranks([](Communicator& comm) {
        const auto first = comm.create_region(1000);
        write_all(*first, 1);
        const auto second = comm.create_region(2000);
        write_by_blocks(comm, *second, 2);
        first->fence();
        expect_filled(*first, 1);
        second->fence();
        first->begin_update();
        expect_filled(*second, 2);
        write_by_blocks(comm, *first, 3);
        second->begin_update();
        write_all(*second, 4);
        second->fence();
        first->fence();
        expect_filled(*first, 3);
        expect_filled(*second, 4);
        EXPECT_EQ(comm.allreduce(1, ReduceOp::sum), comm.size());
    });
}

TEST_P(CommunicatorTest, MakesManyRegionsOneAfterTheOther) {
    on_all_ranks([](Communicator& comm) {
        repeat(comm, 1000, [&](std::uint64_t round) {
            const auto region = comm.create_region(100);
            write_all(*region, round);
            region->fence();
            expect_filled(*region, round);
        });
    });
}

// A rank may drop a region while another one still reads it.
TEST_P(CommunicatorTest, TakesRegionsDownInAnyOrder) {
    if (is_world()) {
        GTEST_SKIP() << "MPI takes a window down on all ranks together";
    }
    on_all_ranks([](Communicator& comm) {
        std::vector<std::unique_ptr<Region>> regions;
        for (std::uint64_t i = 0; i < 20; ++i) {
            regions.push_back(comm.create_region(100 + i));
            write_all(*regions.back(), i);
        }
        for (const auto& region : regions) {
            region->fence();
        }

        const std::size_t step = comm.rank() % 2 == 0 ? 3 : 7;  // both prime to 20
        for (std::size_t i = 0; i < 20; ++i) {
            auto& region = regions[i * step % 20];
            expect_filled(*region, i * step % 20);
            region.reset();
        }
        comm.barrier();
    });
}

TEST_P(CommunicatorTest, DropsARegionInItsWritingPhase) {
    on_all_ranks([](Communicator& comm) {
        write_all(*comm.create_region(100), 1);
        const auto region = comm.create_region(100);
        const auto whole = region->partition_span(0, 100);
        EXPECT_EQ(std::vector<std::byte>(whole.begin(), whole.end()), std::vector<std::byte>(100));
        comm.barrier();
    });
}

INSTANTIATE_TEST_SUITE_P(Region,
                         CommunicatorTest,
                         testing::ValuesIn(all_backends()),
                         name_of_backend);

}  // namespace
}  // namespace lockstep::comm
