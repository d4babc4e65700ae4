#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"

#include "conformance/comm/fixture.hpp"

namespace lockstep::comm {
namespace {

using testing::HasSubstr;

// Ranks are threads of this process here. One dies by leaving its body, which ends its
// communicator.
class RecoveryTest : public CommunicatorTest {
protected:
    void SetUp() override {
        if (is_world()) {
            GTEST_SKIP() << "the ranks are needed for the next test";
        }
        std::atomic<bool> can_recover = true;
        on_all_ranks([&](Communicator& comm) {
            if (!comm.can_recover()) {
                can_recover = false;
            }
        });
        ASSERT_TRUE(can_recover);
    }
};

// Two ranks are lost and one is left.
class RecoveryOfThreeTest : public RecoveryTest {};

std::vector<Backend> backends_of(int fewest_ranks) {
    auto backends = all_backends();
    std::erase_if(backends, [&](const Backend& backend) { return backend.ranks < fewest_ranks; });
    return backends;
}

std::vector<std::int32_t> numbers_up_to(int size) {
    std::vector<std::int32_t> numbers(static_cast<std::size_t>(size));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

// The `own` numbers of all ranks.
std::vector<std::int32_t> gather(Communicator& comm, std::int32_t own) {
    std::vector<std::int32_t> all(static_cast<std::size_t>(comm.size()), -1);
    comm.allgatherv<std::int32_t>(
        std::span<const std::int32_t>(&own, 1), all, Layout::blocks(comm.size(), 1, comm.size()));
    return all;
}

void expect_whole(Communicator& comm) {
    EXPECT_FALSE(comm.is_broken());
    EXPECT_EQ(gather(comm, comm.rank()), numbers_up_to(comm.size()));
    for (int root = 0; root < comm.size(); ++root) {
        std::vector<double> buffer(1000, comm.rank());
        comm.broadcast<double>(buffer, root);
        EXPECT_EQ(buffer, std::vector<double>(1000, root));
    }
    EXPECT_EQ(comm.allreduce(1.5, ReduceOp::sum), 1.5 * comm.size());
    comm.barrier();
}

// All that can be made of a communicator.
void expect_fertile(Communicator& comm) {
    const auto node = comm.split_local();
    EXPECT_EQ(node->allreduce(1, ReduceOp::sum), node->size());
    const auto region = comm.create_region(100);
    for (auto& byte : region->writer_span()) {
        byte = std::byte{4};
    }
    region->fence();
    EXPECT_EQ(region->view()[99], std::byte{4});
    const auto mailbox = comm.open_mailbox(100);
    EXPECT_TRUE(mailbox->post((comm.rank() + 1) % comm.size(), 6, {}));
    EXPECT_EQ(next_message(*mailbox).tag, 6);
    comm.barrier();
}

// The rank that PeerFailed names, in the call or in those that follow it; -1: none failed.
int failed_rank(Communicator& comm, const std::function<void()>& call) {
    try {
        call();
        for (int i = 0; i < 100; ++i) {
            comm.barrier();
        }
    } catch (const PeerFailed& error) {
        EXPECT_THAT(error.what(), HasSubstr("rank " + std::to_string(error.rank())));
        return error.rank();
    }
    return -1;
}

void expect_recovered(Communicator& comm, const std::vector<int>& victims) {
    const int rank = comm.rank();
    const int size = comm.size();
    EXPECT_EQ(comm.recover(), victims);
    const auto before = std::ranges::count_if(victims, [&](int victim) { return victim < rank; });
    EXPECT_EQ(comm.rank(), rank - before);
    EXPECT_EQ(comm.size(), size - static_cast<int>(victims.size()));
    expect_whole(comm);
}

struct Call {
    const char* name;
    std::function<void(Communicator&, int victim)> make;
};

const std::vector<Call>& all_calls() {
    static const std::vector<Call> calls{
        {"allgatherv", [](Communicator& comm, int) { gather(comm, comm.rank()); }},
        {"large allgatherv",
         [](Communicator& comm, int) {
             const std::vector<double> own(200'000);
             std::vector<double> all(own.size() * static_cast<std::size_t>(comm.size()));
             comm.allgatherv<double>(own, all, Layout::blocks(comm.size(), 200'000, comm.size()));
         }},
        {"broadcast from the lost rank",
         [](Communicator& comm, int victim) {
             std::vector<double> buffer(1000);
             comm.broadcast<double>(buffer, victim);
         }},
        {"broadcast from another rank",
         [](Communicator& comm, int victim) {
             std::vector<double> buffer(1000);
             comm.broadcast<double>(buffer, (victim + 1) % comm.size());
         }},
        {"allreduce",
         [](Communicator& comm, int) { static_cast<void>(comm.allreduce(1.0, ReduceOp::sum)); }},
        {"barrier", [](Communicator& comm, int) { comm.barrier(); }},
        {"split_local", [](Communicator& comm, int) { static_cast<void>(comm.split_local()); }},
        {"create_region",
         [](Communicator& comm, int) { static_cast<void>(comm.create_region(1000)); }},
        {"open_mailbox",
         [](Communicator& comm, int) { static_cast<void>(comm.open_mailbox(1000)); }}};
    return calls;
}

// A while in which other threads come to where they wait, most likely; nothing depends on it.
void linger() {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

TEST_P(RecoveryTest, GoesOnWithoutARankThatDiesBeforeACall) {
    for (const auto& call : all_calls()) {
        for (int victim = 0; victim < ranks(); ++victim) {
            SCOPED_TRACE(call.name);
            std::atomic<bool> is_dying = false;
            on_all_ranks([&](Communicator& comm) {
                comm.barrier();
                if (comm.rank() == victim) {
                    is_dying = true;
                    return;
                }
                wait_until([&] { return is_dying.load(); });
                linger();
                EXPECT_EQ(failed_rank(comm, [&] { call.make(comm, victim); }), victim);
                EXPECT_TRUE(comm.is_broken());
                expect_recovered(comm, {victim});
            });
        }
    }
}

TEST_P(RecoveryTest, GoesOnWithoutARankThatDiesWhileOthersWaitForIt) {
    for (const auto& call : all_calls()) {
        for (int victim = 0; victim < ranks(); ++victim) {
            SCOPED_TRACE(call.name);
            std::atomic<int> waiting = 0;
            on_all_ranks([&](Communicator& comm) {
                if (comm.rank() == victim) {
                    wait_until([&] { return waiting == ranks() - 1; });
                    linger();
                    return;
                }
                ++waiting;
                EXPECT_EQ(failed_rank(comm, [&] { call.make(comm, victim); }), victim);
                expect_recovered(comm, {victim});
            });
        }
    }
}

TEST_P(RecoveryTest, GoesOnWithoutARankThatDiesAfterACall) {
    for (const auto& call : all_calls()) {
        for (int victim = 0; victim < ranks(); ++victim) {
            SCOPED_TRACE(call.name);
            on_all_ranks([&](Communicator& comm) {
                if (comm.rank() == victim) {
                    call.make(comm, victim);
                    return;
                }
                EXPECT_EQ(failed_rank(comm, [&] { call.make(comm, victim); }), victim);
                expect_recovered(comm, {victim});
            });
        }
    }
}

TEST_P(RecoveryTest, ThrowsAtOnceUntilItHasRecovered) {
    on_all_ranks([&](Communicator& comm) {
        if (comm.rank() == 0) {
            return;
        }
        failed_rank(comm, [&] { comm.barrier(); });
        for (const auto& call : all_calls()) {
            EXPECT_THAT(comm_error_of([&] { call.make(comm, 0); }),
                        HasSubstr("communicator is broken since: "))
                << call.name;
        }
        expect_recovered(comm, {0});
    });
}

TEST_P(RecoveryTest, MakesEverythingAnewAfterARecovery) {
    on_all_ranks([&](Communicator& comm) {
        expect_fertile(comm);
        if (comm.rank() == ranks() / 2) {
            return;
        }
        failed_rank(comm, [&] { comm.barrier(); });
        expect_recovered(comm, {ranks() / 2});
        expect_fertile(comm);
    });
}

TEST_P(RecoveryTest, LosesTwoRanksAtOnce) {
    for (int first = 0; first < ranks(); ++first) {
        for (int second = first + 1; second < ranks(); ++second) {
            on_all_ranks([&](Communicator& comm) {
                comm.barrier();
                if (comm.rank() == first || comm.rank() == second) {
                    return;
                }
                const int failed = failed_rank(comm, [&] { comm.barrier(); });
                EXPECT_TRUE(failed == first || failed == second) << failed;
                expect_recovered(comm, {first, second});
            });
        }
    }
}

TEST_P(RecoveryOfThreeTest, LosesARankThatLeavesInsteadOfRecovering) {
    on_all_ranks([&](Communicator& comm) {
        const int last = comm.size() - 1;
        if (comm.rank() == 0) {
            return;
        }
        failed_rank(comm, [&] { comm.barrier(); });
        if (comm.rank() == last) {
            linger();  // the others wait for it in their recovery
            return;
        }
        expect_recovered(comm, {0, last});
    });
}

// The highest rank leaves each time: a rank keeps its number. Then the lowest: each gets a new one.
TEST_P(RecoveryTest, LosesRankAfterRankDownToTheLastOne) {
    for (const bool is_lowest : {false, true}) {
        on_all_ranks([&](Communicator& comm) {
            while (comm.size() > 1) {
                const int victim = is_lowest ? 0 : comm.size() - 1;
                if (comm.rank() == victim) {
                    return;
                }
                EXPECT_EQ(failed_rank(comm, [&] { comm.barrier(); }), victim);
                expect_recovered(comm, {victim});
            }
            EXPECT_EQ(comm.rank(), 0);
            expect_fertile(comm);
        });
    }
}

TEST_P(RecoveryOfThreeTest, LosesAnotherRankLater) {
    on_all_ranks([&](Communicator& comm) {
        if (comm.rank() == 1) {
            return;
        }
        EXPECT_EQ(failed_rank(comm, [&] { comm.barrier(); }), 1);
        expect_recovered(comm, {1});
        for (int i = 0; i < 50; ++i) {
            expect_whole(comm);
        }
        if (comm.rank() == 1) {  // rank 2 of old
            return;
        }
        EXPECT_EQ(failed_rank(comm, [&] { comm.barrier(); }), 1);
        expect_recovered(comm, {1});
    });
}

TEST_P(RecoveryTest, LeavesWhatWasMadeBeforeBroken) {
    on_all_ranks([&](Communicator& comm) {
        const auto node = comm.split_local();
        const auto in_writing = comm.create_region(100);
        const auto in_reading = comm.create_region(100);
        const auto on_node = node->create_region(100);
        const auto mailbox = comm.open_mailbox(100);
        in_reading->fence();
        comm.barrier();
        const bool is_shared_node = node->size() > 1;
        if (comm.rank() == 0) {
            return;
        }
        EXPECT_EQ(failed_rank(comm, [&] { comm.barrier(); }), 0);
        const auto expect_broken = [&] {
            for (int i = 0; i < 2; ++i) {
                EXPECT_THROW(in_writing->fence(), CommError);
                EXPECT_THROW(in_reading->begin_update(), CommError);
                if (is_shared_node) {
                    EXPECT_THROW(node->barrier(), CommError);
                    EXPECT_THROW(on_node->fence(), CommError);
                }
            }
        };

        expect_broken();
        expect_recovered(comm, {0});
        expect_broken();
        EXPECT_THROW(static_cast<void>(mailbox->post(0, 1, {})), CommError);
        EXPECT_THROW(static_cast<void>(mailbox->poll()), CommError);
        expect_whole(comm);
    });
}

TEST_P(RecoveryTest, RecoversFromALossThatItsNodeNoticed) {
    on_all_ranks([&](Communicator& comm) {
        const auto node = comm.split_local();
        const int last = comm.size() - 1;
        comm.barrier();
        if (comm.rank() == last) {
            return;
        }
        if (node->size() == comm.size()) {
            EXPECT_EQ(failed_rank(*node, [&] { node->barrier(); }), last);
        }
        expect_recovered(comm, {last});
    });
}

TEST_P(RecoveryTest, RecoversFromALossThatAMailboxNoticed) {
    on_all_ranks([&](Communicator& comm) {
        const auto mailbox = comm.open_mailbox(1000);
        const int last = comm.size() - 1;
        comm.barrier();
        if (comm.rank() == last) {
            return;
        }
        try {
            wait_until([&] { return mailbox->post(last, 1, {}) && false; });
        } catch (const PeerFailed& error) {
            EXPECT_EQ(error.rank(), last);
        }
        expect_recovered(comm, {last});
    });
}

// An interrupted collective counts as a call, not as bytes.
TEST_P(RecoveryTest, GoesOnCountingTraffic) {
    on_all_ranks([&](Communicator& comm) {
        if (comm.rank() == 0) {
            return;
        }
        const auto expect_counted = [&](std::int64_t calls) {
            const auto before = comm.traffic();
            static_cast<void>(comm.allreduce(1.0, ReduceOp::sum));
            EXPECT_EQ(comm.traffic().calls, before.calls + 1);
            EXPECT_EQ(comm.traffic().bytes_sent, before.bytes_sent + 8);
            EXPECT_EQ(comm.traffic().bytes_received, before.bytes_received + 8 * (comm.size() - 1));
            EXPECT_EQ(before.calls, calls);
            EXPECT_GE(comm.traffic().seconds, before.seconds);
        };
        EXPECT_THROW(static_cast<void>(comm.allreduce(1.0, ReduceOp::sum)), PeerFailed);
        EXPECT_EQ(comm.traffic().bytes_sent, 0);
        EXPECT_EQ(comm.traffic().bytes_received, 0);
        EXPECT_EQ(comm.recover(), std::vector<int>{0});
        expect_counted(1);
        expect_counted(2);
    });
}

// Rounds of the same work with other numbers of ranks; who dies where is drawn.
TEST_P(RecoveryTest, RedoesARoundThatWasInterrupted) {
    constexpr std::int64_t rounds = 60;
    std::mt19937 generator(7);
    for (int run = 0; run < 5; ++run) {
        const auto victim = static_cast<int>(generator() % static_cast<unsigned>(ranks()));
        const auto last_round = static_cast<std::int64_t>(generator() % rounds);
        on_all_ranks([&](Communicator& comm) {
            bool is_whole = true;
            std::vector<std::int64_t> results(rounds, -1);
            for (std::int64_t round = 0; round < rounds;) {
                try {
                    if (is_whole && comm.rank() == victim && round == last_round) {
                        return;
                    }
                    // Three items, whoever has them.
                    const auto layout = Layout::blocks(3, 1, comm.size());
                    std::vector<std::int64_t> own;
                    for (std::int64_t i = 0; i < layout.count(comm.rank()); ++i) {
                        own.push_back(round * (layout.offset(comm.rank()) + i + 1));
                    }
                    std::vector<std::int64_t> all(3);
                    comm.allgatherv<std::int64_t>(own, all, layout);
                    comm.barrier();
                    results[at(round++)] = all[0] + all[1] + all[2];
                } catch (const PeerFailed& error) {
                    EXPECT_EQ(error.rank(), victim);
                    expect_recovered(comm, {victim});
                    is_whole = false;
                    round = comm.allreduce(round, ReduceOp::min);
                }
            }
            for (std::int64_t round = 0; round < rounds; ++round) {
                EXPECT_EQ(results[at(round)], 6 * round);
            }
            EXPECT_EQ(is_whole, comm.size() == ranks());
        });
    }
}

TEST_P(CommunicatorTest, SaysWhenItCannotRecover) {
    on_all_ranks([](Communicator& comm) {
        if (comm.can_recover()) {
            return;
        }
        EXPECT_EQ(comm_error_of([&] { comm.recover(); }),
                  std::string(comm.backend()) + " cannot go on without the lost rank");
        EXPECT_FALSE(comm.is_broken());
        comm.barrier();
    });
}

// A launched world may have too few ranks, or a backend that cannot recover.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RecoveryTest);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RecoveryOfThreeTest);
INSTANTIATE_TEST_SUITE_P(Recover, RecoveryTest, testing::ValuesIn(backends_of(2)), name_of_backend);
INSTANTIATE_TEST_SUITE_P(Recover,
                         RecoveryOfThreeTest,
                         testing::ValuesIn(backends_of(3)),
                         name_of_backend);
INSTANTIATE_TEST_SUITE_P(Recover,
                         CommunicatorTest,
                         testing::ValuesIn(all_backends()),
                         name_of_backend);

}  // namespace
}  // namespace lockstep::comm
