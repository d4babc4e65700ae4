#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/abi_stamp.hpp"
#include "conformance/comm/fixture.hpp"

namespace lockstep::comm {
namespace {

using testing::HasSubstr;

// One element from each rank.
Layout one_each(int ranks) {
    return Layout::blocks(ranks, 1, ranks);
}

void expect_usable(Communicator& comm) {
    EXPECT_FALSE(comm.is_broken());
    EXPECT_EQ(comm.allreduce(std::int64_t{1}, ReduceOp::sum), comm.size());
}

TEST_P(CommunicatorTest, RejectsALayoutForOtherRanks) {
    on_all_ranks([](Communicator& comm) {
        const std::vector<double> send(1);
        std::vector<double> receive(9, -1);

        const auto message = comm_error_of(
            [&] { comm.allgatherv<double>(send, receive, one_each(comm.size() + 1)); });

        EXPECT_EQ(message,
                  "allgatherv: the layout has " + std::to_string(comm.size() + 1) +
                      " ranks, the communicator " + std::to_string(comm.size()));
        EXPECT_EQ(receive, std::vector<double>(9, -1));
        expect_usable(comm);
    });
}

TEST_P(CommunicatorTest, RejectsASendBufferOfAnotherLength) {
    on_all_ranks([](Communicator& comm) {
        const std::vector<double> send(2);
        std::vector<double> receive(9, -1);

        const auto message =
            comm_error_of([&] { comm.allgatherv<double>(send, receive, one_each(comm.size())); });

        EXPECT_EQ(message,
                  "allgatherv: rank " + std::to_string(comm.rank()) +
                      " sends 2 elements, its layout says 1");
        EXPECT_EQ(receive, std::vector<double>(9, -1));
        expect_usable(comm);
    });
}

TEST_P(CommunicatorTest, RejectsAReceiveBufferThatIsTooShort) {
    on_all_ranks([](Communicator& comm) {
        const std::vector<double> send(1);
        std::vector<double> receive(static_cast<std::size_t>(comm.size() - 1), -1);

        const auto message =
            comm_error_of([&] { comm.allgatherv<double>(send, receive, one_each(comm.size())); });

        EXPECT_EQ(message,
                  "allgatherv: rank " + std::to_string(comm.rank()) + " receives into " +
                      std::to_string(comm.size() - 1) + " elements, its layout needs " +
                      std::to_string(comm.size()));
        expect_usable(comm);
    });
}

// The part that ends last need not be that of the last rank.
TEST_P(CommunicatorTest, ChecksTheEndOfEveryPart) {
    on_all_ranks([](Communicator& comm) {
        std::vector<std::int64_t> offsets;
        for (int rank = 0; rank < comm.size(); ++rank) {
            offsets.push_back(10 - rank);
        }
        const Layout layout(std::vector<std::int64_t>(offsets.size(), 1), offsets);
        const std::vector<double> send(1);
        std::vector<double> receive(10);

        EXPECT_THROW(comm.allgatherv<double>(send, receive, layout), CommError);
        expect_usable(comm);
    });
}

TEST_P(CommunicatorTest, RejectsSixtyFourBitLayoutsThatDoNotFit) {
    on_all_ranks([](Communicator& comm) {
        std::vector<std::int64_t> offsets;
        for (int rank = 0; rank < comm.size(); ++rank) {
            offsets.push_back((std::int64_t{1} << 32) + rank);  // would be 0, 1, … in 32 bits
        }
        const Layout layout(std::vector<std::int64_t>(offsets.size(), 1), offsets);
        const std::vector<double> send(1);
        std::vector<double> receive(8);

        const auto message = comm_error_of([&] { comm.allgatherv<double>(send, receive, layout); });

        EXPECT_THAT(message,
                    HasSubstr("needs " + std::to_string((std::int64_t{1} << 32) + comm.size())));
        expect_usable(comm);
    });
}

TEST_P(CommunicatorTest, RejectsBuffersThatOverlap) {
    on_all_ranks([](Communicator& comm) {
        std::vector<double> buffer(static_cast<std::size_t>(comm.size()));
        const auto own = std::span(buffer).subspan(static_cast<std::size_t>(comm.rank()), 1);

        const auto message =
            comm_error_of([&] { comm.allgatherv<double>(own, buffer, one_each(comm.size())); });

        EXPECT_EQ(message, "allgatherv: the send and receive buffers overlap");
        expect_usable(comm);
    });
}

TEST_P(CommunicatorTest, RejectsARootThatIsNoRank) {
    on_all_ranks([](Communicator& comm) {
        std::vector<double> buffer(1);
        for (const int root : {-1, comm.size()}) {
            const auto message = comm_error_of([&] { comm.broadcast<double>(buffer, root); });
            EXPECT_EQ(message,
                      "broadcast: root is " + std::to_string(root) + ", must be 0 to " +
                          std::to_string(comm.size() - 1));
        }
        expect_usable(comm);
    });
}

TEST_P(CommunicatorTest, RejectsAReductionOfNothing) {
    on_all_ranks([](Communicator& comm) {
        EXPECT_EQ(comm_error_of([&] { comm.allreduce(std::span<double>(), ReduceOp::sum); }),
                  "allreduce: 0 values, must be 1 or more");
        expect_usable(comm);
    });
}

TEST_P(CommunicatorTest, RejectsBitOrOfSignedNumbers) {
    on_all_ranks([](Communicator& comm) {
        EXPECT_EQ(comm_error_of([&] { static_cast<void>(comm.allreduce(1.0, ReduceOp::bit_or)); }),
                  "allreduce: bit_or is for unsigned integers only");
        expect_usable(comm);
    });
}

TEST_P(CommunicatorTest, LetsRanksOfTheSameProgramBegin) {
    on_all_ranks([](Communicator& comm) {
        const auto before = comm.traffic();
        EXPECT_NO_THROW(check_same_program(comm, program_stamp()));
        EXPECT_EQ(comm.traffic().calls, before.calls);
        EXPECT_EQ(comm.traffic().bytes_sent, before.bytes_sent);
        expect_usable(comm);
    });
}

// The lowest that differs from rank 0, with both stamps, in the same words on all ranks.
TEST_P(CommunicatorTest, NamesTheRankThatIsOfAnotherBuildAndBothBuilds) {
    on_all_ranks([](Communicator& comm) {
        for (int other = 1; other < comm.size(); ++other) {
            std::string message;
            try {
                check_same_program(comm, comm.rank() < other ? "wire 1, old" : "wire 1, new");
            } catch (const WrongProgram& error) {
                message = error.what();
            }
            const auto rank = std::to_string(other);
            EXPECT_EQ(message,
                      "rank " + rank +
                          " runs another program than rank 0, but all must run the "
                          "same; rank 0: wire 1, old; rank " +
                          rank + ": wire 1, new");
            expect_usable(comm);
        }
    });
}

TEST_P(CommunicatorTest, AgreesWhenEveryRankSucceeds) {
    on_all_ranks([](Communicator& comm) {
        bool has_run = false;
        EXPECT_NO_THROW(agree(comm, [&] { has_run = true; }));
        EXPECT_TRUE(has_run);
        expect_usable(comm);
    });
}

TEST_P(CommunicatorTest, AgreesOnTheFirstRankThatFailed) {
    on_all_ranks([](Communicator& comm) {
        for (int failing = 0; failing < comm.size(); ++failing) {
            std::string message;
            try {
                agree(comm, [&] {
                    if (comm.rank() >= failing) {
                        throw ModelError("stage 3 is infeasible");
                    }
                });
            } catch (const ModelError& error) {
                EXPECT_GE(comm.rank(), failing);
                message = error.what();
            } catch (const Error& error) {
                EXPECT_LT(comm.rank(), failing);
                EXPECT_EQ(error.exit_code(), ModelError("").exit_code());
                message = error.what();
            }
            EXPECT_EQ(message,
                      (comm.rank() >= failing ? "" : "rank " + std::to_string(failing) + ": ") +
                          "stage 3 is infeasible");
            expect_usable(comm);
        }
    });
}

TEST_P(CommunicatorTest, RethrowsWhatARankThrewAndWakesTheOthers) {
    if (!GetParam().can_break) {
        GTEST_SKIP() << "the ranks are needed for the next test";
    }
    for (int failing = 0; failing < ranks(); ++failing) {
        try {
            on_all_ranks([&](Communicator& comm) {
                if (comm.rank() == failing) {
                    throw std::out_of_range("the body failed");
                }
                EXPECT_THROW(comm.barrier(), CommError);
                EXPECT_TRUE(comm.is_broken());
                EXPECT_THAT(comm_error_of([&] { comm.barrier(); }),
                            HasSubstr("communicator is broken since: "));
                comm.barrier();
            });
            ADD_FAILURE() << "no exception came through";
        } catch (const std::out_of_range& error) {
            EXPECT_STREQ(error.what(), "the body failed");
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Failure,
                         CommunicatorTest,
                         testing::ValuesIn(all_backends()),
                         name_of_backend);

}  // namespace
}  // namespace lockstep::comm
