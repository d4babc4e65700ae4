#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/comm/communicator.hpp"

#include "conformance/comm/fixture.hpp"

namespace lockstep::comm {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

using Body = std::function<void(Communicator&)>;

void run(int ranks, const Body& body, TcpConfig config = {}, int nodes = 0) {
    config.size = ranks;
    run_over_tcp(config, body, nodes);
}

void sleep_ms(int milliseconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

std::int64_t sum_of_ranks(Communicator& comm) {
    return comm.allreduce<std::int64_t>(comm.rank() + 1, ReduceOp::sum);
}

// What each rank throws when it makes its call.
std::vector<std::string> messages_of(int ranks, const Body& call) {
    std::vector<std::string> messages(static_cast<std::size_t>(ranks));
    run(ranks, [&](Communicator& comm) {
        messages[at(comm.rank())] = comm_error_of([&] { call(comm); });
    });
    return messages;
}

TEST(TcpTest, NamesBothCallsOnAllRanksWhenRanksMakeDifferentOnes) {
    for (int ranks = 2; ranks <= 4; ++ranks) {
        const auto messages = messages_of(ranks, [](Communicator& comm) {
            std::vector<double> values(4);
            if (comm.rank() == comm.size() - 1) {
                comm.broadcast<double>(values, 1);
            } else {
                comm.barrier();
            }
        });
        EXPECT_THAT(messages,
                    testing::Each("ranks make different calls: rank 0 is in barrier (collective "
                                  "0), rank " +
                                  std::to_string(ranks - 1) +
                                  " in broadcast of 4 8-byte elements from rank 1 (collective "
                                  "0)"));
    }
}

TEST(TcpTest, NoticesLargeDataAmongSmallCalls) {
    for (int odd = 0; odd < 3; ++odd) {
        const auto messages = messages_of(3, [odd](Communicator& comm) {
            const std::vector<double> send(50'000);
            std::vector<double> receive(150'000);
            if (comm.rank() == odd) {
                comm.allgatherv<double>(send, receive, Layout::blocks(3, 50'000, 3));
            } else {
                comm.barrier();
            }
        });
        for (const auto& message : messages) {
            EXPECT_THAT(message, HasSubstr("ranks make different calls"));
        }
    }
}

TEST(TcpTest, NoticesAMakingAmongCalls) {
    for (int ranks = 2; ranks <= 3; ++ranks) {
        const auto messages = messages_of(ranks, [](Communicator& comm) {
            if (comm.rank() == 1) {
                static_cast<void>(comm.split_local());
            } else {
                comm.barrier();
            }
        });
        for (const auto& message : messages) {
            EXPECT_THAT(message,
                        AllOf(HasSubstr("rank 0 is in barrier"),
                              HasSubstr("rank 1 in the making of something shared")));
        }
    }
}

TEST(TcpTest, NamesARankThatEndsWhileOthersWait) {
    for (int ended = 0; ended < 3; ++ended) {
        run(3, [ended](Communicator& comm) {
            comm.barrier();
            if (comm.rank() == ended) {
                return;
            }
            try {
                comm.barrier();
                ADD_FAILURE() << "the barrier ended";
            } catch (const PeerFailed& failure) {
                EXPECT_EQ(failure.rank(), ended);
                EXPECT_EQ(failure.what(),
                          "rank " + std::to_string(ended) + " (" + comm.host(ended) +
                              ") ended while rank " + std::to_string(comm.rank()) +
                              " waits in barrier (collective 1)");
            }
        });
    }
}

TEST(TcpTest, CompletesTheLastCollectiveBeforeARankEnds) {
    for (int repetition = 0; repetition < 20; ++repetition) {
        run(4, [](Communicator& comm) { EXPECT_EQ(sum_of_ranks(comm), 10); });
    }
}

TEST(TcpTest, GathersTheSameByStarAndRing) {
    for (const auto algorithm : {TcpConfig::Algorithm::star, TcpConfig::Algorithm::ring}) {
        TcpConfig config;
        config.algorithm = algorithm;
        run(
            4,
            [](Communicator& comm) {
                // Parts of very different sizes, one of them empty.
                const Layout layout({0, 3, 300'000, 50'000}, {7, 400'000, 10, 300'020});
                const auto count = static_cast<std::size_t>(layout.count(comm.rank()));
                const std::vector<std::int64_t> send(count, comm.rank());
                std::vector<std::int64_t> receive(400'010, -1);
                comm.allgatherv<std::int64_t>(send, receive, layout);
                std::vector<std::int64_t> expected(receive.size(), -1);
                for (int rank = 0; rank < comm.size(); ++rank) {
                    std::fill_n(expected.begin() + layout.offset(rank), layout.count(rank), rank);
                }
                EXPECT_EQ(receive, expected);
            },
            config);
    }
}

TEST(TcpTest, BroadcastsLargeDataFromEveryRoot) {
    for (int ranks = 2; ranks <= 4; ++ranks) {
        run(ranks, [](Communicator& comm) {
            for (int root = 0; root < comm.size(); ++root) {
                std::vector<std::int64_t> buffer(200'000, comm.rank());
                comm.broadcast<std::int64_t>(buffer, root);
                EXPECT_EQ(buffer, std::vector<std::int64_t>(buffer.size(), root));
            }
        });
    }
}

TEST(TcpTest, WaitsForASlowRankAndMeasuresIt) {
    TcpConfig config;
    config.heartbeat_ms = 10;
    config.dead_after_ms = 100;
    run(
        3,
        [](Communicator& comm) {
            if (comm.rank() == 1) {
                sleep_ms(400);
            }
            EXPECT_EQ(sum_of_ranks(comm), 6);
            if (comm.rank() != 1) {
                EXPECT_GT(comm.traffic().wait_seconds, 0.2);
            }
        },
        config);
}

TEST(TcpTest, GivesUpAfterTheTimeThatWasAskedFor) {
    TcpConfig config;
    config.timeout_ms = 100;
    run(
        3,
        [](Communicator& comm) {
            if (comm.rank() == 1) {
                sleep_ms(400);
                EXPECT_THROW(comm.barrier(), CommError);
            } else {
                EXPECT_THAT(comm_error_of([&] { comm.barrier(); }),
                            HasSubstr("took longer than 100 ms (LOCKSTEP_TCP_TIMEOUT_MS)"));
            }
        },
        config);
}

TEST(TcpTest, GroupsTheRanksOfANode) {
    run(4, [](Communicator& comm) {
        const auto node = comm.split_local();
        EXPECT_EQ(node->size(), 4);
        EXPECT_EQ(node->rank(), comm.rank());
        EXPECT_FALSE(node->can_recover());
        EXPECT_EQ(sum_of_ranks(*node), 10);
        EXPECT_EQ(sum_of_ranks(comm), 10);
        const auto again = node->split_local();
        EXPECT_EQ(sum_of_ranks(*again), 10);
        const auto region = node->create_region(100);
        EXPECT_EQ(region->is_shared(), is_built(BackendKind::shm));
        EXPECT_EQ(region->is_writer(), !region->is_shared() || node->rank() == 0);
    });
}

bool has_node_memory() {
    std::ifstream maps("/proc/self/maps");
    const std::string all(std::istreambuf_iterator<char>(maps), {});
    return all.find("/dev/shm/lockstep-tcp.") != std::string::npos;
}

TEST(TcpTest, GathersByNodesWhereThatIsWished) {
    if (!is_built(BackendKind::shm)) {
        GTEST_SKIP() << "this build shares no memory";
    }
    TcpConfig config;
    for (const auto gather :
         {NodeConfig::Gather::flat, NodeConfig::Gather::automatic, NodeConfig::Gather::by_nodes}) {
        config.nodes.gather = gather;
        run(
            4,
            [&](Communicator& comm) {
                EXPECT_EQ(has_node_memory(), gather != NodeConfig::Gather::flat);
                // More than the memory that a node shares, with gaps.
                const Layout layout({0, 400'000, 300'000, 50'000}, {7, 400'010, 10, 300'020});
                const auto count = static_cast<std::size_t>(layout.count(comm.rank()));
                const std::vector<std::int64_t> send(count, comm.rank());
                std::vector<std::int64_t> receive(900'000, -1);
                comm.allgatherv<std::int64_t>(send, receive, layout);
                std::vector<std::int64_t> expected(receive.size(), -1);
                for (int rank = 1; rank < comm.size(); ++rank) {
                    std::fill_n(expected.begin() + layout.offset(rank), layout.count(rank), rank);
                }
                EXPECT_EQ(receive, expected);
                comm.barrier();
            },
            config,
            2);
    }
}

TEST(TcpTest, NoticesOtherCallsWhereItGathersByNodes) {
    TcpConfig config;
    config.nodes.gather = NodeConfig::Gather::by_nodes;
    for (int odd = 0; odd < 4; ++odd) {
        run(
            4,
            [odd](Communicator& comm) {
                EXPECT_THAT(comm_error_of([&] {
                                if (comm.rank() == odd) {
                                    comm.barrier();
                                } else {
                                    sum_of_ranks(comm);
                                }
                            }),
                            HasSubstr("ranks make different calls"));
            },
            config,
            2);
    }
}

TEST(TcpTest, SecretsTravelAsProofsOnly) {
    TcpConfig config;
    config.token = "correct horse battery staple";
    run(
        3, [](Communicator& comm) { EXPECT_EQ(sum_of_ranks(*comm.split_local()), 6); }, config);
}

std::vector<std::byte> text_of(int from, int to, int number) {
    return std::vector<std::byte>(static_cast<std::size_t>(number),
                                  static_cast<std::byte>(16 * from + to));
}

TEST(TcpMailboxTest, CarriesMessagesBetweenAllRanksInOrder) {
    run(4, [](Communicator& comm) {
        constexpr int each = 20;
        const auto mailbox = comm.open_mailbox(1000);
        for (int number = 0; number < each; ++number) {
            for (int to = 0; to < comm.size(); ++to) {
                ASSERT_TRUE(mailbox->post(
                    to, static_cast<std::uint32_t>(number), text_of(comm.rank(), to, number)));
            }
        }
        std::vector<int> seen(4, 0);
        for (int i = 0; i < each * comm.size(); ++i) {
            const Message message = next_message(*mailbox);
            const int number = seen[at(message.from)]++;
            EXPECT_EQ(message.tag, static_cast<std::uint32_t>(number));
            EXPECT_EQ(message.bytes, text_of(message.from, comm.rank(), number));
        }
        EXPECT_FALSE(mailbox->poll());
        comm.barrier();
    });
}

TEST(TcpMailboxTest, HasNoMoreRoomThanWasAskedFor) {
    run(2, [](Communicator& comm) {
        const auto mailbox = comm.open_mailbox(100);
        const std::vector<std::byte> sixty(60);
        for (int to = 0; to < 2; ++to) {
            EXPECT_TRUE(mailbox->post(to, 1, sixty));
            EXPECT_FALSE(mailbox->post(to, 2, sixty));
            EXPECT_TRUE(mailbox->post(to, 3, std::span(sixty).first(40)));
        }
        comm.barrier();  // nobody polls before both have filled the room
        for (int i = 0; i < 4; ++i) {
            static_cast<void>(next_message(*mailbox));
        }
        comm.barrier();
        for (int to = 0; to < 2; ++to) {
            EXPECT_TRUE(mailbox->post(to, 2, sixty));
        }
        EXPECT_THAT(comm_error_of([&] {
                        static_cast<void>(mailbox->post(0, 1, std::vector<std::byte>(101)));
                    }),
                    HasSubstr("a message of 101 bytes, the mailbox holds 100"));
        EXPECT_THROW(static_cast<void>(mailbox->post(2, 1, sixty)), CommError);
        comm.barrier();
    });
}

// The sender says no more: its background thread sends what the kernel did not take.
TEST(TcpMailboxTest, DeliversALargeMessageWhoseSenderIsBusy) {
    run(2, [](Communicator& comm) {
        constexpr std::size_t large = 20'000'000;
        const auto mailbox = comm.open_mailbox(large);
        if (comm.rank() == 0) {
            ASSERT_TRUE(mailbox->post(1, 7, std::vector<std::byte>(large, std::byte{5})));
        } else {
            EXPECT_EQ(next_message(*mailbox).bytes, std::vector<std::byte>(large, std::byte{5}));
        }
        comm.barrier();
    });
}

TEST(TcpMailboxTest, DeliversWhatWasPostedBeforeTheEnd) {
    run(2, [](Communicator& comm) {
        const auto mailbox = comm.open_mailbox(100);
        if (comm.rank() == 0) {
            ASSERT_TRUE(mailbox->post(1, 7, std::vector<std::byte>(10)));
            return;
        }
        sleep_ms(20);
        EXPECT_EQ(next_message(*mailbox).tag, 7U);
        EXPECT_THROW(static_cast<void>(next_message(*mailbox)), PeerFailed);
        try {
            for (int attempt = 0; attempt < 1000; ++attempt) {
                static_cast<void>(mailbox->post(0, 8, {}));
                sleep_ms(1);
            }
            ADD_FAILURE() << "posted to a rank that has ended";
        } catch (const PeerFailed& failure) {
            EXPECT_EQ(failure.rank(), 0);
        }
    });
}

// Runs collectives until one fails, then recovers.
std::vector<int> recover_from_loss(Communicator& comm) {
    try {
        while (true) {
            comm.barrier();
        }
    } catch (const PeerFailed&) {
        return comm.recover();
    }
}

TEST(TcpRecoveryTest, SurvivorsGoOnWithoutAnyRank) {
    for (int ranks = 2; ranks <= 4; ++ranks) {
        for (int ended = 0; ended < ranks; ++ended) {
            run(ranks, [&](Communicator& comm) {
                comm.barrier();
                const int before = comm.rank();
                if (before == ended) {
                    return;
                }
                EXPECT_TRUE(comm.can_recover());
                EXPECT_THAT(recover_from_loss(comm), ElementsAre(ended));
                EXPECT_FALSE(comm.is_broken());
                EXPECT_EQ(comm.size(), ranks - 1);
                EXPECT_EQ(comm.rank(), before - (before > ended ? 1 : 0));
                EXPECT_EQ(sum_of_ranks(comm), ranks * (ranks - 1) / 2);
                EXPECT_EQ(sum_of_ranks(*comm.split_local()), ranks * (ranks - 1) / 2);
                std::vector<double> large(100'000, comm.rank());
                comm.broadcast<double>(large, comm.size() - 1);
                EXPECT_EQ(large.front(), comm.size() - 1);
            });
        }
    }
}

TEST(TcpRecoveryTest, SurvivorsGoOnAfterSeveralLosses) {
    run(4, [](Communicator& comm) {
        comm.barrier();
        const int before = comm.rank();
        if (before == 0) {
            return;
        }
        recover_from_loss(comm);
        comm.barrier();
        if (before == 3) {
            return;
        }
        EXPECT_THAT(recover_from_loss(comm), ElementsAre(2));
        comm.barrier();
        if (before == 1) {
            return;
        }
        EXPECT_THAT(recover_from_loss(comm), ElementsAre(0));
        EXPECT_EQ(comm.size(), 1);
        EXPECT_EQ(sum_of_ranks(comm), 1);
        EXPECT_THAT(comm.recover(), ElementsAre());
    });
}

TEST(TcpRecoveryTest, SurvivorsGoOnAfterTwoLossesAtOnce) {
    for (const auto& [first, second] : {std::pair(0, 1), std::pair(1, 3), std::pair(0, 3)}) {
        run(4, [first = first, second = second](Communicator& comm) {
            comm.barrier();
            const int before = comm.rank();
            if (before == first || before == second) {
                return;
            }
            // One of them may be noticed a recovery later.
            while (comm.size() > 2) {
                recover_from_loss(comm);
            }
            EXPECT_EQ(sum_of_ranks(comm), 3);
        });
    }
}

TEST(TcpRecoveryTest, WaitsForASurvivorThatIsSlow) {
    for (int slow = 0; slow < 3; ++slow) {
        run(4, [slow](Communicator& comm) {
            comm.barrier();
            const int before = comm.rank();
            if (before == 3) {
                return;
            }
            if (before == slow) {
                sleep_ms(300);
            }
            EXPECT_THAT(recover_from_loss(comm), ElementsAre(3));
            EXPECT_EQ(sum_of_ranks(comm), 6);
        });
    }
}

TEST(TcpRecoveryTest, ALeaderThatDiesWhileItIsWaitedForIsLostAsWell) {
    for (int ended = 0; ended < 2; ++ended) {
        run(4, [ended](Communicator& comm) {
            comm.barrier();
            const int before = comm.rank();
            if (before == 3) {
                return;
            }
            if (before == ended) {
                sleep_ms(200);  // the others are waiting for this one by now
                return;
            }
            while (comm.size() > 2) {
                recover_from_loss(comm);
            }
            EXPECT_EQ(sum_of_ranks(comm), 3);
        });
    }
}

TEST(TcpRecoveryTest, WhatWasMadeBeforeStaysBroken) {
    run(3, [](Communicator& comm) {
        const auto node = comm.split_local();
        const auto mailbox = comm.open_mailbox(100);
        comm.barrier();
        if (comm.rank() == 2) {
            return;
        }
        recover_from_loss(comm);
        EXPECT_THAT(comm_error_of([&] { node->barrier(); }),
                    HasSubstr("was made before a rank was lost"));
        EXPECT_THAT(comm_error_of([&] { static_cast<void>(mailbox->post(0, 1, {})); }),
                    HasSubstr("was made before a rank was lost"));
        const auto again = comm.open_mailbox(100);
        ASSERT_TRUE(again->post(1 - comm.rank(), 3, {}));
        EXPECT_EQ(next_message(*again).tag, 3U);
        comm.barrier();
    });
}

// Rank 1 waits in a part of the run for a rank that has gone to recover the whole.
TEST(TcpRecoveryTest, WakesWhoWaitsInAPart) {
    run(3, [](Communicator& comm) {
        const auto node = comm.split_local();
        comm.barrier();
        if (comm.rank() == 2) {
            return;
        }
        if (comm.rank() == 1) {
            EXPECT_THROW(node->barrier(), PeerFailed);
            EXPECT_THAT(comm.recover(), ElementsAre(2));
        } else {
            EXPECT_THAT(recover_from_loss(comm), ElementsAre(2));
        }
        EXPECT_EQ(sum_of_ranks(comm), 3);
    });
}

// Rank 1 waits on a node of its own and rank 3's, of which nobody is lost, for one that recovers.
TEST(TcpRecoveryTest, WakesWhoWaitsOnANodeThatLostNobody) {
    run(
        4,
        [](Communicator& comm) {
            const auto node = comm.split_local();
            const auto mailbox = node->open_mailbox(10);
            comm.barrier();
            const int before = comm.rank();
            if (before == 2) {
                return;
            }
            if (before == 1) {
                EXPECT_THROW(node->barrier(), PeerFailed);
                EXPECT_THROW(static_cast<void>(next_message(*mailbox)), PeerFailed);
                EXPECT_THAT(comm.recover(), ElementsAre(2));
            } else {
                EXPECT_THAT(recover_from_loss(comm), ElementsAre(2));
            }
            EXPECT_THROW(node->barrier(), CommError);
            EXPECT_THAT(comm_error_of([&] { static_cast<void>(mailbox->poll()); }),
                        HasSubstr("was made before a rank was lost"));
            EXPECT_EQ(sum_of_ranks(comm), 6);
        },
        {},
        2);
}

TEST(TcpRecoveryTest, DoesNotWaitForeverForASurvivor) {
    TcpConfig config;
    config.recover_timeout_ms = 200;
    const std::array reasons{"does not bring the survivors together, but is not dead",
                             "did not come, but is not dead"};
    for (const int absent : {0, 1}) {
        std::atomic<bool> has_given_up = false;
        const auto says = AllOf(HasSubstr("recover: the survivors did not meet within 200 ms "
                                          "(LOCKSTEP_TCP_RECOVER_TIMEOUT_MS): rank " +
                                          std::to_string(absent) + " ("),
                                HasSubstr(reasons[at(absent)]));
        run(
            3,
            [&](Communicator& comm) { expect_no_meeting(comm, absent, has_given_up, says); },
            config);
    }
}

}  // namespace
}  // namespace lockstep::comm
