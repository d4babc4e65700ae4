#include <cstdint>
#include <functional>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/comm/communicator.hpp"

namespace lockstep::comm {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string comm_error_of(int ranks, const std::function<void(Communicator&)>& body) {
    try {
        run_in_process(ranks, body);
    } catch (const CommError& error) {
        return error.what();
    }
    return "";
}

TEST(InProcessTest, RejectsLessThanOneRank) {
    EXPECT_THROW(run_in_process(0, [](Communicator&) {}), InputError);
}

TEST(InProcessTest, NamesBothCallsWhenRanksMakeDifferentOnes) {
    const auto message = comm_error_of(3, [](Communicator& comm) {
        std::vector<double> values(4);
        if (comm.rank() == 2) {
            comm.broadcast<double>(values, 1);
        } else {
            comm.barrier();
        }
    });

    EXPECT_EQ(
        message,
        "ranks make different calls: rank 0 is in barrier (collective 0), rank 2 in broadcast of 4 "
        "8-byte elements from rank 1 (collective 0)");
}

TEST(InProcessTest, NoticesRootsThatDiffer) {
    const auto message = comm_error_of(2, [](Communicator& comm) {
        std::vector<std::int32_t> values(4);
        comm.broadcast<std::int32_t>(values, comm.rank());
    });

    EXPECT_THAT(message, AllOf(HasSubstr("from rank 0"), HasSubstr("from rank 1")));
}

TEST(InProcessTest, NoticesLengthsThatDiffer) {
    const auto message = comm_error_of(2, [](Communicator& comm) {
        std::vector<double> values(comm.rank() == 0 ? 1 : 2);
        comm.allreduce<double>(values, ReduceOp::sum);
    });

    EXPECT_THAT(message,
                AllOf(HasSubstr("allreduce of 1 8-byte"), HasSubstr("allreduce of 2 8-byte")));
}

TEST(InProcessTest, NoticesOperationsThatDiffer) {
    const auto message = comm_error_of(2, [](Communicator& comm) {
        static_cast<void>(comm.allreduce(1.0, comm.rank() == 0 ? ReduceOp::sum : ReduceOp::max));
    });

    EXPECT_THAT(message, AllOf(HasSubstr("sum of f"), HasSubstr("max of f")));
}

TEST(InProcessTest, NoticesTypesOfOneWidthThatDiffer) {
    const auto message = comm_error_of(2, [](Communicator& comm) {
        if (comm.rank() == 0) {
            static_cast<void>(comm.allreduce(1.0, ReduceOp::sum));
        } else {
            static_cast<void>(comm.allreduce(std::int64_t{1}, ReduceOp::sum));
        }
    });

    EXPECT_THAT(message, AllOf(HasSubstr("sum of f"), HasSubstr("sum of i")));
}

TEST(InProcessTest, NoticesLayoutsThatDiffer) {
    const auto message = comm_error_of(2, [](Communicator& comm) {
        const std::vector<double> send(1);
        std::vector<double> receive(3);
        const Layout layout({1, 1}, {0, comm.rank() == 0 ? 1 : 2});
        comm.allgatherv<double>(send, receive, layout);
    });

    EXPECT_THAT(message, HasSubstr("ranks make different calls"));
}

TEST(InProcessTest, NoticesARankThatEndsWhileOthersWait) {
    const auto message = comm_error_of(3, [](Communicator& comm) {
        if (comm.rank() != 1) {
            comm.barrier();
        }
    });

    EXPECT_EQ(message, "rank 1 ended while rank 0 waits in barrier (collective 0)");
}

TEST(InProcessTest, TellsTheOthersWhyARankFailed) {
    std::vector<std::string> messages(3);
    EXPECT_THROW(run_in_process(3,
                                [&](Communicator& comm) {
                                    if (comm.rank() == 2) {
                                        throw InputError("no such file");
                                    }
                                    try {
                                        comm.barrier();
                                    } catch (const CommError& error) {
                                        messages[at(comm.rank())] = error.what();
                                        throw;
                                    }
                                }),
                 InputError);

    EXPECT_EQ(messages[0],
              "rank 2 failed (no such file) while rank 0 waits in barrier (collective 0)");
    EXPECT_EQ(messages[1],
              "rank 2 failed (no such file) while rank 1 waits in barrier (collective 0)");
}

TEST(InProcessTest, RethrowsTheLowestRanksExceptionThatIsNoCommError) {
    try {
        run_in_process(4, [](Communicator& comm) {
            if (comm.rank() >= 2) {
                throw std::runtime_error("rank " + std::to_string(comm.rank()));
            }
            comm.barrier();
        });
        ADD_FAILURE() << "no exception came through";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "rank 2");
    }
}

TEST(InProcessTest, CompletesTheLastCollectiveBeforeARankFails) {
    for (int repetition = 0; repetition < 200; ++repetition) {
        EXPECT_THROW(run_in_process(3,
                                    [](Communicator& comm) {
                                        EXPECT_EQ(comm.allreduce(1.0, ReduceOp::sum), 3);
                                        if (comm.rank() == 1) {
                                            throw std::logic_error("after the collective");
                                        }
                                    }),
                     std::logic_error);
    }
}

// Two threads of rank 0 enter; the first waits for rank 1, which waits until the second has been
// refused.
TEST(InProcessTest, RefusesASecondThreadInACollective) {
    std::latch refused(1);
    run_in_process(2, [&](Communicator& comm) {
        if (comm.rank() == 1) {
            refused.wait();
            comm.barrier();
            return;
        }
        const auto enter = [&] {
            try {
                comm.barrier();
            } catch (const CommError& error) {
                EXPECT_THAT(error.what(), HasSubstr("one thread at a time"));
                refused.count_down();
            }
        };
        std::jthread second(enter);
        enter();
    });
}

}  // namespace
}  // namespace lockstep::comm
