#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"

#include "conformance/comm/fixture.hpp"

namespace lockstep::comm {
namespace {

using Bytes = std::vector<std::byte>;

// The bytes of message number `number` from one rank to another: up to 40, sometimes none.
Bytes letter(int from, int to, std::uint32_t number) {
    Bytes bytes(number * 13 % 41);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] =
            static_cast<std::byte>(static_cast<std::size_t>(from * 16 + to * 64) + number + i);
    }
    return bytes;
}

// Posts and, while there is no room, takes what comes, so that ranks do not wait for each other.
class Correspondent {
public:
    explicit Correspondent(Mailbox& mailbox) : mailbox_(mailbox) {}

    void post(int to, std::uint32_t tag, std::span<const std::byte> bytes) {
        wait_until([&] { return mailbox_.post(to, tag, bytes) || collect(); });
    }
    // All that has come until there are `count`.
    const std::vector<Message>& receive(std::size_t count) {
        while (inbox_.size() < count) {
            inbox_.push_back(next_message(mailbox_));
        }
        return inbox_;
    }

private:
    bool collect() {
        if (auto message = mailbox_.poll()) {
            inbox_.push_back(std::move(*message));
        }
        return false;
    }

    Mailbox& mailbox_;
    std::vector<Message> inbox_;
};

// That the messages of each sender came in order, whole, with their tags.
void expect_letters(const Communicator& comm, const std::vector<Message>& inbox) {
    std::vector<std::uint32_t> next(static_cast<std::size_t>(comm.size()), 0);
    for (const auto& message : inbox) {
        ASSERT_GE(message.from, 0);
        ASSERT_LT(message.from, comm.size());
        auto& number = next[at(message.from)];
        ASSERT_EQ(message.tag, number);
        ASSERT_EQ(message.bytes, letter(message.from, comm.rank(), number));
        ++number;
    }
}

TEST_P(CommunicatorTest, FindsNothingInAnEmptyMailbox) {
    on_all_ranks([](Communicator& comm) {
        const auto mailbox = comm.open_mailbox(100);
        EXPECT_FALSE(mailbox->poll().has_value());
        comm.barrier();
        EXPECT_FALSE(mailbox->poll().has_value());
        comm.barrier();
    });
}

TEST_P(CommunicatorTest, KeepsTheOrderOfMessagesBetweenAnyTwoRanks) {
    on_all_ranks([](Communicator& comm) {
        constexpr std::uint32_t messages_a_round = 50;
        const auto mailbox = comm.open_mailbox(1000);
        Correspondent correspondent(*mailbox);
        std::uint32_t number = 0;
        repeat(comm, 10, [&](std::uint64_t) {
            const auto end = number + messages_a_round;
            for (; number < end; ++number) {
                for (int to = 0; to < comm.size(); ++to) {
                    correspondent.post(to, number, letter(comm.rank(), to, number));
                }
            }
            const auto expected = end * static_cast<std::size_t>(comm.size());
            EXPECT_EQ(correspondent.receive(expected).size(), expected);
        });
        expect_letters(comm, correspondent.receive(0));
        comm.barrier();
        EXPECT_FALSE(mailbox->poll().has_value());
        comm.barrier();
    });
}

TEST_P(CommunicatorTest, DeliversMessagesToTheirSender) {
    on_all_ranks([](Communicator& comm) {
        const auto mailbox = comm.open_mailbox(100);
        for (std::uint32_t number = 0; number < 3; ++number) {
            EXPECT_TRUE(
                mailbox->post(comm.rank(), number, letter(comm.rank(), comm.rank(), number)));
        }
        for (std::uint32_t number = 0; number < 3; ++number) {
            const auto message = next_message(*mailbox);
            EXPECT_EQ(message.from, comm.rank());
            EXPECT_EQ(message.tag, number);
            EXPECT_EQ(message.bytes, letter(comm.rank(), comm.rank(), number));
        }
        comm.barrier();
    });
}

TEST_P(CommunicatorTest, KeepsEveryTag) {
    on_all_ranks([](Communicator& comm) {
        const std::vector<std::uint32_t> tags{0, 1, 255, 256, 65'536, 0x7fffffff, 0xffffffff};
        const auto mailbox = comm.open_mailbox(100);
        Correspondent correspondent(*mailbox);
        for (const auto tag : tags) {
            correspondent.post((comm.rank() + 1) % comm.size(), tag, {});
        }
        const auto& inbox = correspondent.receive(tags.size());
        for (std::size_t i = 0; i < tags.size(); ++i) {
            EXPECT_EQ(inbox[i].tag, tags[i]);
        }
        comm.barrier();
    });
}

TEST_P(CommunicatorTest, DeliversMessagesWithoutBytes) {
    on_all_ranks([](Communicator& comm) {
        for (const auto room : std::vector<std::size_t>{0, 100}) {
            const auto mailbox = comm.open_mailbox(room);
            Correspondent correspondent(*mailbox);
            for (std::uint32_t number = 0; number < 100; ++number) {
                correspondent.post((comm.rank() + 1) % comm.size(), number, {});
            }
            const auto& inbox = correspondent.receive(100);
            for (std::uint32_t number = 0; number < 100; ++number) {
                EXPECT_EQ(inbox[number].tag, number);
                EXPECT_TRUE(inbox[number].bytes.empty());
                EXPECT_EQ(inbox[number].from, (comm.rank() + comm.size() - 1) % comm.size());
            }
            comm.barrier();
        }
    });
}

TEST_P(CommunicatorTest, TakesAMessageThatFillsTheRoomAndNoneAbove) {
    on_all_ranks([](Communicator& comm) {
        const auto mailbox = comm.open_mailbox(64);
        const Bytes large(65);
        const auto message =
            comm_error_of([&] { static_cast<void>(mailbox->post(comm.size() - 1, 0, large)); });
        EXPECT_EQ(message, "post: a message of 65 bytes, the mailbox holds 64");
        EXPECT_FALSE(comm.is_broken());

        Correspondent correspondent(*mailbox);
        const Bytes exact(64, std::byte{9});
        for (int to = 0; to < comm.size(); ++to) {
            correspondent.post(to, 5, exact);
        }
        for (const auto& received : correspondent.receive(static_cast<std::size_t>(comm.size()))) {
            EXPECT_EQ(received.bytes, exact);
        }
        comm.barrier();
    });
}

TEST_P(CommunicatorTest, RefusesAReceiverThatIsNoRank) {
    on_all_ranks([](Communicator& comm) {
        const auto mailbox = comm.open_mailbox(64);
        for (const int to : {-1, comm.size(), 1 << 30}) {
            EXPECT_EQ(comm_error_of([&] { static_cast<void>(mailbox->post(to, 0, {})); }),
                      "post: receiver is rank " + std::to_string(to) + ", must be 0 to " +
                          std::to_string(comm.size() - 1));
        }
        EXPECT_FALSE(mailbox->poll().has_value());
        EXPECT_FALSE(comm.is_broken());
        comm.barrier();
    });
}

TEST_P(CommunicatorTest, HasNoRoomUntilTheReceiverPolls) {
    on_all_ranks([](Communicator& comm) {
        const auto mailbox = comm.open_mailbox(1000);
        const int to = (comm.rank() + 1) % comm.size();
        const Bytes bytes(300, static_cast<std::byte>(comm.rank()));
        std::uint32_t posted = 0;
        while (posted < 1000 && mailbox->post(to, posted, bytes)) {
            ++posted;
        }
        EXPECT_GE(posted, 3) << "three of 300 bytes fit in 1000";
        EXPECT_LT(posted, 20) << "1000 bytes of room never end";
        comm.barrier();
        EXPECT_FALSE(mailbox->post(to, posted, bytes));
        comm.barrier();

        Correspondent correspondent(*mailbox);
        correspondent.post(to, posted, bytes);
        const auto from_before =
            static_cast<std::byte>((comm.rank() + comm.size() - 1) % comm.size());
        const auto& inbox = correspondent.receive(posted + 1);
        for (std::uint32_t number = 0; number <= posted; ++number) {
            EXPECT_EQ(inbox[number].tag, number);
            EXPECT_EQ(inbox[number].bytes, Bytes(300, from_before));
        }
        comm.barrier();
    });
}

// A receiver that does not poll costs only those who write to it.
TEST_P(CommunicatorTest, HasRoomForOneReceiverWhileAnotherIsFull) {
    on_all_ranks([](Communicator& comm) {
        const auto mailbox = comm.open_mailbox(100);
        const int to = (comm.rank() + 1) % comm.size();
        const Bytes bytes(100);
        std::size_t posted = 0;
        while (posted < 100 && mailbox->post(to, 0, bytes)) {
            ++posted;
        }
        if (comm.size() > 1) {
            EXPECT_TRUE(mailbox->post(comm.rank(), 1, bytes));
            ++posted;
        }
        comm.barrier();
        Correspondent correspondent(*mailbox);
        correspondent.receive(posted);
        comm.barrier();
    });
}

TEST_P(CommunicatorTest, DeliversLargeMessages) {
    on_all_ranks([](Communicator& comm) {
        constexpr std::size_t room = std::size_t{1} << 20;
        const auto mailbox = comm.open_mailbox(room);
        Correspondent correspondent(*mailbox);
        const auto large = [](std::uint32_t number) {
            return Bytes(number % 4 == 3 ? room : 300'001, static_cast<std::byte>(number));
        };
        for (std::uint32_t number = 0; number < 12; ++number) {
            correspondent.post((comm.rank() + 1) % comm.size(), number, large(number));
        }
        const auto& inbox = correspondent.receive(12);
        for (std::uint32_t number = 0; number < 12; ++number) {
            EXPECT_TRUE(inbox[number].bytes == large(number)) << "message " << number;
        }
        comm.barrier();
    });
}

TEST_P(CommunicatorTest, DeliversAGreatManySmallMessages) {
    on_all_ranks([](Communicator& comm) {
        constexpr std::uint32_t messages_a_round = 500;
        const auto mailbox = comm.open_mailbox(4096);
        Correspondent correspondent(*mailbox);
        const Bytes bytes(8, static_cast<std::byte>(comm.rank()));
        std::uint32_t posted = 0;
        repeat(comm, 10, [&](std::uint64_t) {
            const auto end = posted + messages_a_round;
            for (; posted < end; ++posted) {
                correspondent.post((comm.rank() + 1) % comm.size(), posted, bytes);
            }
            EXPECT_EQ(correspondent.receive(end).size(), end);
        });
        std::uint32_t number = 0;
        for (const auto& message : correspondent.receive(0)) {
            ASSERT_EQ(message.tag, number++);
        }
        comm.barrier();
    });
}

TEST_P(CommunicatorTest, KeepsMailboxesApart) {
    on_all_ranks([](Communicator& comm) {
        const auto first = comm.open_mailbox(100);
        const auto second = comm.open_mailbox(100);
        const int to = (comm.rank() + 1) % comm.size();
        EXPECT_TRUE(first->post(to, 1, {}));
        EXPECT_TRUE(second->post(to, 2, {}));
        EXPECT_EQ(next_message(*second).tag, 2);
        EXPECT_EQ(next_message(*first).tag, 1);
        comm.barrier();
        EXPECT_FALSE(first->poll().has_value());
        EXPECT_FALSE(second->poll().has_value());
        comm.barrier();
    });
}

TEST_P(CommunicatorTest, LetsMessagesAndCollectivesAlternate) {
    on_all_ranks([](Communicator& comm) {
        const auto mailbox = comm.open_mailbox(10'000);
        Correspondent correspondent(*mailbox);
        for (std::uint32_t round = 0; round < 100; ++round) {
            for (int to = 0; to < comm.size(); ++to) {
                correspondent.post(to, round, letter(comm.rank(), to, round));
            }
            ASSERT_EQ(comm.allreduce(std::uint32_t{1}, ReduceOp::sum),
                      static_cast<std::uint32_t>(comm.size()));
            if (round % 4 == 0) {
                correspondent.receive(round * static_cast<std::size_t>(comm.size()) / 2);
            }
            std::vector<std::uint32_t> number{round};
            comm.broadcast<std::uint32_t>(number, static_cast<int>(round) % comm.size());
        }
        expect_letters(comm, correspondent.receive(100 * static_cast<std::size_t>(comm.size())));
        comm.barrier();
    });
}

// Rank 0 hands out numbers to whoever asks, the others square them: a task farm in small.
TEST_P(CommunicatorTest, ServesATaskFarm) {
    on_all_ranks([](Communicator& comm) {
        constexpr std::uint32_t tasks = 200;
        const auto mailbox = comm.open_mailbox(64);
        Correspondent correspondent(*mailbox);
        constexpr std::uint32_t stop = 0xffffffff;
        if (comm.rank() > 0) {
            correspondent.post(0, stop, {});
            for (auto task = next_message(*mailbox); task.tag != stop;
                 task = next_message(*mailbox)) {
                correspondent.post(0, task.tag * task.tag, {});
            }
        } else {
            std::uint64_t sum = 0;
            std::uint32_t next = 0;
            for (int working = comm.size() - 1; working > 0;) {
                const auto reply = next_message(*mailbox);
                sum += reply.tag == stop ? 0 : reply.tag;
                const bool is_end = next == tasks;
                working -= is_end ? 1 : 0;
                correspondent.post(reply.from, is_end ? stop : next++, {});
            }
            if (comm.size() > 1) {
                EXPECT_EQ(sum, std::uint64_t{199} * 200 * 399 / 6);
            }
        }
        comm.barrier();
    });
}

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

TEST_P(CommunicatorTest, WaitsNoLongerThanItMay) {
    on_all_ranks([](Communicator& comm) {
        const auto mailbox = comm.open_mailbox(100);
        for (const auto limit : {0ms, 1ms, 250ms}) {
            const auto start = Clock::now();
            EXPECT_FALSE(mailbox->wait(limit).has_value());
            EXPECT_GE(Clock::now() - start, limit);
            EXPECT_LT(Clock::now() - start, limit + 10s);
        }
        comm.barrier();
    });
}

TEST_P(CommunicatorTest, WakesForAMessageThatComesWhileItWaits) {
    on_all_ranks([](Communicator& comm) {
        const auto mailbox = comm.open_mailbox(100);
        const auto start = Clock::now();
        std::this_thread::sleep_for(comm.rank() == 0 ? 30ms : 0ms);
        if (comm.rank() == 0) {
            for (int to = 0; to < comm.size(); ++to) {
                EXPECT_TRUE(mailbox->post(to, 7, letter(0, to, 1)));
            }
        }
        const auto message = mailbox->wait(20s);
        EXPECT_TRUE(message && message->from == 0 && message->tag == 7 &&
                    message->bytes == letter(0, comm.rank(), 1));
        EXPECT_LT(Clock::now() - start, 15s);
        comm.barrier();
    });
}

// One message goes around; each rank sleeps until it comes.
TEST_P(CommunicatorTest, PassesAMessageAroundBetweenRanksThatWait) {
    on_all_ranks([](Communicator& comm) {
        constexpr std::uint32_t laps = 100;
        const auto mailbox = comm.open_mailbox(100);
        const int next = (comm.rank() + 1) % comm.size();
        for (std::uint32_t lap = 0; lap < laps; ++lap) {
            if (comm.rank() == 0) {
                EXPECT_TRUE(mailbox->post(next, lap, {}));
            }
            const auto message = mailbox->wait(20s);
            ASSERT_TRUE(message.has_value());
            ASSERT_EQ(message->tag, lap);
            if (comm.rank() != 0) {
                EXPECT_TRUE(mailbox->post(next, lap, {}));
            }
        }
        comm.barrier();
    });
}

// CPU time of this thread: what waiting must not use.
std::chrono::nanoseconds thread_time() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

TEST_P(CommunicatorTest, SleepsWhileItWaits) {
    on_all_ranks([](Communicator& comm) {
        const auto mailbox = comm.open_mailbox(100);
        const auto before = thread_time();
        EXPECT_FALSE(mailbox->wait(500ms).has_value());
        EXPECT_LT(thread_time() - before, 100ms);
        comm.barrier();
    });
}

TEST_P(CommunicatorTest, RefusesToForgetWhatIsNoRank) {
    on_all_ranks([](Communicator& comm) {
        const auto mailbox = comm.open_mailbox(100);
        for (const int rank : {-1, comm.size()}) {
            EXPECT_EQ(comm_error_of([&] { mailbox->forget(rank); }),
                      "forget: rank " + std::to_string(rank) + ", must be 0 to " +
                          std::to_string(comm.size() - 1));
        }
        comm.barrier();
    });
}

TEST_P(CommunicatorTest, TellsOfALossWhileItWaitsAndGoesOnOnceItIsForgotten) {
    if (is_world()) {
        GTEST_SKIP() << "the ranks are needed for the next test";
    }
    if (ranks() < 3) {
        GTEST_SKIP() << "two survivors have to write to each other";
    }
    std::atomic<int> quiet = 0;
    std::atomic<int> done = 0;
    on_all_ranks([&](Communicator& comm) {
        const int last = comm.size() - 1;
        const auto mailbox = comm.open_mailbox(100);
        comm.barrier();
        if (comm.rank() == last) {
            EXPECT_TRUE(mailbox->post(0, 1, {}));
            return;
        }
        if (comm.rank() == 0) {
            const auto message = mailbox->wait(20s);
            EXPECT_TRUE(message && message->tag == 1);
        }
        try {
            static_cast<void>(mailbox->wait(20s));
            ADD_FAILURE() << "no loss was told";
        } catch (const PeerFailed& error) {
            EXPECT_EQ(error.rank(), last);
        }
        mailbox->forget(last);
        EXPECT_FALSE(mailbox->wait(50ms).has_value());
        ++quiet;
        wait_until([&] { return quiet == last; });
        for (int to = 0; to < last; ++to) {
            EXPECT_TRUE(mailbox->post(to, 2, {}));
        }
        for (int from = 0; from < last; ++from) {
            const auto message = mailbox->wait(20s);
            EXPECT_TRUE(message && message->tag == 2);
        }
        ++done;
        wait_until([&] { return done == last; });  // nobody goes before all have heard the others
    });
}

// Not where the ranks are needed for the next test.
TEST_P(CommunicatorTest, DeliversWhatAFailedRankSentBeforeItSaysSo) {
    if (is_world()) {
        GTEST_SKIP() << "the ranks are needed for the next test";
    }
    on_all_ranks([](Communicator& comm) {
        const int last = comm.size() - 1;
        const auto mailbox = comm.open_mailbox(100);
        comm.barrier();
        if (comm.rank() == last) {
            for (int to = 0; to < last; ++to) {
                EXPECT_TRUE(mailbox->post(to, 1, {}) && mailbox->post(to, 2, {}));
            }
            return;
        }
        EXPECT_EQ(next_message(*mailbox).tag, 1);
        EXPECT_EQ(next_message(*mailbox).tag, 2);
        try {
            next_message(*mailbox);
            ADD_FAILURE() << "a message of nobody";
        } catch (const PeerFailed& error) {
            EXPECT_GE(error.rank(), 0);  // those who noticed leave as well
        }
    });
}

TEST_P(CommunicatorTest, RefusesToPostToARankThatIsGone) {
    if (is_world()) {
        GTEST_SKIP() << "the ranks are needed for the next test";
    }
    on_all_ranks([](Communicator& comm) {
        const int last = comm.size() - 1;
        const auto mailbox = comm.open_mailbox(100);
        comm.barrier();
        if (comm.rank() == last) {
            return;
        }
        try {
            wait_until([&] { return mailbox->post(last, 1, {}) && false; });
        } catch (const PeerFailed& error) {
            EXPECT_EQ(error.rank(), last);
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Mailbox,
                         CommunicatorTest,
                         testing::ValuesIn(flat_backends()),
                         name_of_backend);

}  // namespace
}  // namespace lockstep::comm
