#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "comm/backends.hpp"
#include "comm/shm/chunks.hpp"
#include "comm/shm/control.hpp"
#include "comm/shm/group.hpp"
#include "comm/shm/room.hpp"
#include "comm/shm/segment.hpp"
#include "conformance/comm/fixture.hpp"

namespace lockstep::comm {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;
using Clock = std::chrono::steady_clock;

std::string prefix() {
    return fmt::format("lockstep-unit-{}-", getpid());
}

std::string new_name() {
    static std::atomic<int> names = 0;
    return fmt::format("/{}{}", prefix(), names++);
}

ShmConfig config_of(const std::string& name, int rank, int size) {
    return {.name = name, .rank = rank, .size = size, .timeout_ms = 20'000};
}

ShmHeader& header_of(const ShmSegment& segment) {
    return *static_cast<ShmHeader*>(static_cast<void*>(segment.bytes().data()));
}

std::vector<std::string> leftovers() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
        if (entry.path().filename().string().starts_with(prefix())) {
            names.push_back(entry.path().filename());
        }
    }
    return names;
}

/// Runs the body on threads that are ranks; `change` may alter each one's configuration.
void on_ranks(int ranks,
              const std::function<void(Communicator&)>& body,
              const std::function<void(ShmConfig&)>& change = {}) {
    const auto name = new_name();
    const auto configure = [&](int rank) {
        CommConfig config;
        config.backend = BackendKind::shm;
        config.shm = config_of(name, rank, ranks);
        if (change) {
            change(config.shm);
        }
        return config;
    };
    run_connected(ranks, configure, body);
}

class ShmTest : public testing::Test {
protected:
    void TearDown() override { EXPECT_THAT(leftovers(), testing::IsEmpty()); }
};

// ---- Start ----

// Of two that end all, as a signal's listener and the thread that hears of it, and above what the
// end of a rank looks like to the others.
TEST(ShmRoomTest, TheFirstAbortIsTheCause) {
    const auto name = new_name();
    const auto room = ShmRoom::create(name, {2, 4096});
    room->break_for({ShmCause::Kind::died, 1, 0});
    room->break_for({ShmCause::Kind::aborted, 1, 143});
    room->break_for({ShmCause::Kind::aborted, 0, 71});
    room->break_for({ShmCause::Kind::left, 1, 0});
    ShmSegment::remove(name);

    EXPECT_EQ(room->cause().kind, ShmCause::Kind::aborted);
    EXPECT_EQ(room->cause().rank, 1);
    EXPECT_EQ(room->cause().code, 143);
}

TEST_F(ShmTest, RemovesItsNameOnceAllHaveCome) {
    on_ranks(3, [](Communicator& comm) {
        EXPECT_THAT(leftovers(), testing::IsEmpty());
        comm.barrier();
    });
}

TEST_F(ShmTest, RejectsConfigurationsThatCannotBe) {
    const auto message = [](const ShmConfig& config) {
        return comm_error_of([&] { make_shm(config); });
    };
    EXPECT_EQ(message(config_of("name", 0, 1)),
              "shm: name is 'name', must be a '/' and then up to 199 characters without '/'");
    EXPECT_THAT(message(config_of("/a/b", 0, 1)), HasSubstr("'/a/b'"));
    EXPECT_EQ(message(config_of("/name", 2, 2)), "shm: rank is 2, must be 0 to 1");
    EXPECT_EQ(message(config_of("/name", 0, 0)), "shm: size is 0, must be 1 to 4096");
}

TEST_F(ShmTest, NamesTheRanksThatDoNotCome) {
    auto config = config_of(new_name(), 0, 3);
    config.timeout_ms = 50;
    EXPECT_EQ(comm_error_of([&] { make_shm(config); }),
              fmt::format("rank 0: 1 of 3 ranks came to shared memory '{}' within 50 ms; missing: "
                          "1, 2",
                          config.name));
}

TEST_F(ShmTest, SaysThatRankZeroDoesNotCome) {
    auto config = config_of(new_name(), 1, 2);
    config.timeout_ms = 50;
    EXPECT_THAT(comm_error_of([&] { make_shm(config); }),
                StartsWith("rank 1: rank 0 did not come to shared memory"));
}

/// The room of a name, once so many ranks are there.
ShmSegment room_with(const std::string& name, std::uint32_t ranks) {
    for (;;) {
        auto segment = ShmSegment::open(name);
        if (segment && header_of(*segment).phase != static_cast<std::uint32_t>(ShmPhase::made) &&
            header_of(*segment).entered >= ranks) {
            return std::move(*segment);
        }
        std::this_thread::yield();
    }
}

/// Rank 0 of three waits for the others while `body` runs; then rank 2 comes and goes.
void while_rank_zero_waits(const std::string& name, const std::function<void()>& body) {
    std::string message;
    std::jthread waiting(
        [&] { message = comm_error_of([&] { make_shm(config_of(name, 0, 3)); }); });
    room_with(name, 1);
    body();
    ShmRoom::join(name, 2, {3, ShmConfig().buffer_bytes})->leave();
    waiting.join();
    // Where rank 1 is there too, all had come for a moment.
    EXPECT_THAT(message, AnyOf(HasSubstr("gave up: "), StartsWith("rank 2 on ")));
}

TEST_F(ShmTest, RejectsARankOfARunOfAnotherSize) {
    const auto name = new_name();
    while_rank_zero_waits(name, [&] {
        EXPECT_EQ(
            comm_error_of([&] { make_shm(config_of(name, 1, 2)); }),
            fmt::format("rank 1 was started as one of 2 ranks, but rank 0 made '{}' for 3", name));
    });
}

TEST_F(ShmTest, RejectsBuffersOfAnotherSize) {
    const auto name = new_name();
    while_rank_zero_waits(name, [&] {
        auto config = config_of(name, 1, 3);
        config.buffer_bytes = 4096;
        EXPECT_THAT(comm_error_of([&] { make_shm(config); }),
                    StartsWith("rank 1 was started with buffers of 4096 bytes"));
    });
}

TEST_F(ShmTest, RejectsARankThatIsThereAlready) {
    const auto name = new_name();
    std::jthread first;
    while_rank_zero_waits(name, [&] {
        first = std::jthread(
            [&] { EXPECT_NE(comm_error_of([&] { make_shm(config_of(name, 1, 3)); }), ""); });
        room_with(name, 2);
        EXPECT_EQ(comm_error_of([&] { make_shm(config_of(name, 1, 3)); }),
                  fmt::format("rank 1 of '{}' is there already: another process was started as the "
                              "same rank",
                              name));
        EXPECT_THAT(comm_error_of([&] { make_shm(config_of(name, 0, 3)); }),
                    AllOf(HasSubstr("is in use by another rank 0"), HasSubstr(name)));
    });
}

TEST_F(ShmTest, RejectsAnotherBuildOfTheProgram) {
    const auto name = new_name();
    while_rank_zero_waits(name, [&] {
        const auto segment = room_with(name, 1);
        header_of(segment).abi ^= 1;
        EXPECT_THAT(comm_error_of([&] { make_shm(config_of(name, 1, 3)); }),
                    HasSubstr("is of another build of this program"));
        header_of(segment).abi ^= 1;
    });
}

TEST_F(ShmTest, LeavesMemoryOfOthersAlone) {
    const auto name = new_name();
    const ShmNameGuard guard(name);
    auto segment = ShmSegment::create(name, 1 << 16);
    std::memset(segment->bytes().data(), 7, segment->bytes().size());
    EXPECT_EQ(
        comm_error_of([&] { make_shm(config_of(name, 0, 1)); }),
        fmt::format("shared memory '{}' is in use by another program: every run needs a name of "
                    "its own",
                    name));
    EXPECT_TRUE(ShmSegment::open(name).has_value());
}

/// A process that dies while it waits for other ranks under `name`.
void die_at_start(const std::string& name, bool is_made) {
    const auto process = fork();
    if (process == 0) {
        if (is_made) {
            std::thread([name] { make_shm(config_of(name, 0, 2)); }).detach();
            room_with(name, 1);
        } else {
            close(shm_open(name.c_str(), O_CREAT | O_RDWR, 0600));
        }
        kill(getpid(), SIGKILL);
    }
    waitpid(process, nullptr, 0);
}

TEST_F(ShmTest, TakesANameOverThatADeadProcessLeft) {
    for (const bool is_made : {true, false}) {
        const auto name = new_name();
        die_at_start(name, is_made);
        ASSERT_FALSE(leftovers().empty());
        run_connected(
            2,
            [&](int rank) {
                CommConfig config;
                config.backend = BackendKind::shm;
                config.shm = config_of(name, rank, 2);
                return config;
            },
            [](Communicator& comm) { EXPECT_EQ(comm.allreduce(1, ReduceOp::sum), 2); });
    }
}

// A thread of its own may have its own view of the file systems.
TEST_F(ShmTest, SaysWhatToEnlargeWhenSharedMemoryIsFull) {
    std::string problem;
    std::string message;
    std::jthread([&] {
        if (unshare(CLONE_NEWNS) != 0 ||
            mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
            mount("none", "/dev/shm", "tmpfs", 0, "size=1m") != 0) {
            problem = std::strerror(errno);
            return;
        }
        try {
            make_shm(config_of(new_name(), 0, 1));
        } catch (const IoError& error) {
            message = error.what();
        }
        EXPECT_THAT(leftovers(), testing::IsEmpty());
        auto config = config_of(new_name(), 0, 1);
        config.buffer_bytes = 4096;
        const auto comm = make_shm(config);
        EXPECT_THROW(static_cast<void>(comm->create_region(2 << 20)), IoError);
        EXPECT_THAT(leftovers(), testing::IsEmpty());
        EXPECT_FALSE(comm->is_broken());
        EXPECT_EQ(comm->create_region(4096)->size(), 4096U);
    }).join();
    if (!problem.empty()) {
        GTEST_SKIP() << "cannot mount a small /dev/shm: " << problem;
    }
    EXPECT_THAT(message, AllOf(HasSubstr("No space left"), HasSubstr("docker run --shm-size=4g")));
}

// ---- Collectives ----

TEST_F(ShmTest, DividesPartsOfAnySizeIntoChunksThatFit) {
    for (const std::size_t buffer : {512U, 4096U, 1U << 20}) {
        for (const auto& sizes : std::vector<std::vector<std::size_t>>{
                 {0, 0}, {1, 0, 0}, {4095, 1}, {100'000, 0, 7}, {64, 64, 65, 63}}) {
            std::vector<ShmPart> parts;
            for (const auto size : sizes) {
                parts.push_back({.bytes = size});
            }
            const auto chunks = divide_into_chunks(parts, buffer);
            EXPECT_GE(chunks, 1U);
            std::size_t end = 0;
            for (const auto& part : parts) {
                EXPECT_GE(part.offset, end);
                end = part.offset + part.share;
                std::size_t sum = 0;
                for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
                    EXPECT_EQ(part.begin_of(chunk), sum);
                    sum += part.bytes_of(chunk);
                }
                EXPECT_EQ(sum, part.bytes);
            }
            EXPECT_LE(end, buffer);
        }
    }
}

void expect_right_transfers(Communicator& comm) {
    for (const std::int64_t length : {1, 100, 5'000, 100'000, 1'000'000}) {
        const auto layout = Layout::blocks(2 * comm.size() + 1, length, comm.size());
        std::vector<std::int32_t> all(static_cast<std::size_t>(layout.extent()));
        std::iota(all.begin(), all.end(), 0);
        const auto own =
            std::vector(all.begin() + layout.offset(comm.rank()),
                        all.begin() + layout.offset(comm.rank()) + layout.count(comm.rank()));
        std::vector<std::int32_t> received(all.size());
        comm.allgatherv<std::int32_t>(own, received, layout);
        EXPECT_EQ(received, all);

        std::vector<std::int32_t> buffer(all.size());
        const int root = static_cast<int>(length) % comm.size();
        comm.broadcast<std::int32_t>(comm.rank() == root ? all : buffer, root);
        EXPECT_TRUE(comm.rank() == root || buffer == all);
    }
}

TEST_F(ShmTest, MovesMoreThanTheStagingAreaHolds) {
    for (const bool single_copy : {false, true}) {
        for (int ranks = 1; ranks <= 3; ++ranks) {
            on_ranks(ranks, expect_right_transfers, [&](ShmConfig& config) {
                config.buffer_bytes = 8192;
                config.single_copy = single_copy;
            });
        }
    }
}

TEST_F(ShmTest, StagesWhereOneRankMustNotBeRead) {
    on_ranks(3, expect_right_transfers, [](ShmConfig& config) {
        config.single_copy = config.rank != 1;
    });
}

TEST_F(ShmTest, SpinsOrSleepsAsToldWithTheSameResult) {
    for (const int spin : {0, 1, 5000}) {
        on_ranks(
            2,
            [](Communicator& comm) {
                for (int round = 0; round < 500; ++round) {
                    EXPECT_EQ(comm.allreduce(round + comm.rank(), ReduceOp::sum), 2 * round + 1);
                }
            },
            [&](ShmConfig& config) { config.spin = spin; });
    }
}

TEST_F(ShmTest, NamesBothCallsWhenRanksMakeDifferentOnes) {
    on_ranks(3, [](Communicator& comm) {
        std::vector<double> values(4);
        const auto message = comm_error_of([&] {
            if (comm.rank() == 2) {
                comm.broadcast<double>(values, 1);
            } else {
                comm.barrier();
            }
        });
        EXPECT_EQ(message,
                  "ranks make different calls: rank 0 is in barrier (collective 0), rank 2 in "
                  "broadcast of 4 8-byte elements from rank 1 (collective 0)");
    });
}

TEST_F(ShmTest, CountsTheTimeUntilTheLastRankHasCome) {
    on_ranks(2, [](Communicator& comm) {
        comm.barrier();
        if (comm.rank() == 1) {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
        const auto before = comm.traffic().wait_seconds;
        comm.barrier();
        const auto waited = comm.traffic().wait_seconds - before;
        EXPECT_EQ(waited > 0.05, comm.rank() == 0) << waited;
    });
}

TEST_F(ShmTest, TellsWhichRankEndedWhileOthersWait) {
    on_ranks(3, [](Communicator& comm) {
        comm.barrier();
        if (comm.rank() == 1) {
            return;
        }
        const auto start = Clock::now();
        try {
            comm.barrier();
            ADD_FAILURE() << "passed without rank 1";
        } catch (const PeerFailed& loss) {
            EXPECT_EQ(loss.rank(), 1);
            EXPECT_EQ(loss.what(),
                      fmt::format("rank 1 on {} ended while rank {} waits in barrier (collective "
                                  "1)",
                                  own_host(),
                                  comm.rank()));
        }
        EXPECT_LT(Clock::now() - start, std::chrono::seconds(1));
    });
}

// The kernel tells the death of a thread as it does that of a process.
// Nobody wakes a rank that lies down after the other has gone. A busy machine may delay a try.
TEST_F(ShmTest, FindsARankThatIsGoneAlreadyBeforeItSleeps) {
    auto shortest = Clock::duration::max();
    for (int attempt = 0; attempt < 5; ++attempt) {
        on_ranks(
            2,
            [&](Communicator& comm) {
                if (comm.rank() == 1) {
                    return;
                }
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
                const auto start = Clock::now();
                EXPECT_THROW(comm.barrier(), PeerFailed);
                shortest = std::min(shortest, Clock::now() - start);
            },
            [](ShmConfig& config) { config.spin = 0; });
    }
    EXPECT_LT(shortest, std::chrono::milliseconds(50));
}

TEST_F(ShmTest, TellsWhichRankDiedWithoutAWord) {
    const auto name = new_name();
    std::unique_ptr<Communicator> outlives;
    std::jthread dies([&] { outlives = make_shm(config_of(name, 1, 2)); });
    const auto comm = make_shm(config_of(name, 0, 2));
    dies.join();
    EXPECT_THAT(comm_error_of([&] { comm->barrier(); }),
                HasSubstr("rank 1 on " + own_host() + " died while rank 0 waits"));
}

// ---- What is made from a communicator ----

TEST_F(ShmTest, SplitsIntoACommunicatorWithBarriersOfItsOwn) {
    on_ranks(3, [](Communicator& world) {
        const auto node = world.split_local();
        EXPECT_EQ(node->rank(), world.rank());
        EXPECT_EQ(node->size(), 3);
        for (int round = 0; round < 100; ++round) {
            EXPECT_EQ(node->allreduce(round, ReduceOp::max), round);
            EXPECT_EQ(world.allreduce(1, ReduceOp::sum), 3);
        }
        const auto deeper = node->split_local();
        EXPECT_EQ(deeper->allreduce(1, ReduceOp::sum), 3);
        EXPECT_THAT(leftovers(), testing::IsEmpty());
        world.barrier();
    });
}

TEST_F(ShmTest, MakesGroupsOfSomeRanks) {
    const auto name = new_name();
    on_ranks(4, [&](Communicator& world) {
        const std::vector<int> members =
            world.rank() % 3 == 0 ? std::vector{0, 3} : std::vector{1, 2};
        const auto group = make_shm_group(world, members, config_of(name, 0, 1)).communicator;
        EXPECT_EQ(group->size(), 2);
        EXPECT_EQ(group->rank(), world.rank() / 2);
        EXPECT_EQ(group->allreduce(world.rank(), ReduceOp::sum), 3);
        world.barrier();
    });
}

TEST_F(ShmTest, MakesGroupsOfRanksThatMeetOtherwise) {
    const auto name = new_name();
    run_in_process(3, [&](Communicator& world) {
        const auto members = world.rank() == 2 ? std::vector{2} : std::vector{0, 1};
        const auto group = make_shm_group(world, members, config_of(name, 0, 1)).communicator;
        EXPECT_EQ(group->size(), world.rank() == 2 ? 1 : 2);
        group->barrier();
        world.barrier();
    });
}

TEST_F(ShmTest, SharesOneMemory) {
    on_ranks(3, [](Communicator& comm) {
        const auto region = comm.create_region(1000);
        EXPECT_TRUE(region->is_shared());
        EXPECT_EQ(region->is_writer(), comm.rank() == 0);
        const auto own = static_cast<std::size_t>(comm.rank());
        for (const auto byte : region->partition_span(0, 1000)) {
            ASSERT_EQ(byte, std::byte{0});
        }
        comm.barrier();
        region->partition_span(own, own + 1)[0] = static_cast<std::byte>(own + 1);
        region->fence();
        for (std::size_t i = 0; i < 4; ++i) {
            EXPECT_EQ(region->view()[i], static_cast<std::byte>(i < 3 ? i + 1 : 0));
        }
        region->begin_update();
        if (comm.rank() == 0) {
            region->writer_span()[3] = std::byte{9};
        }
        region->fence();
        EXPECT_EQ(region->view()[3], std::byte{9});
        EXPECT_THAT(leftovers(), testing::IsEmpty());
        comm.barrier();
    });
}

TEST_F(ShmTest, MakesRegionsOfNothingAndManyRegions) {
    on_ranks(2, [](Communicator& comm) {
        EXPECT_EQ(comm.create_region(0)->size(), 0U);
        for (int i = 0; i < 100; ++i) {
            EXPECT_EQ(comm.create_region(10'000)->size(), 10'000U);
        }
    });
}

std::vector<std::byte> bytes_of(const std::string& text) {
    std::vector<std::byte> bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
}

Message wait_for_message(Mailbox& mailbox) {
    for (const auto start = Clock::now(); Clock::now() - start < std::chrono::seconds(20);) {
        if (auto message = mailbox.poll()) {
            return std::move(*message);
        }
    }
    throw CommError("no message came");
}

TEST_F(ShmTest, KeepsTheOrderOfMessagesUnderBackPressure) {
    constexpr std::uint32_t messages = 5000;
    on_ranks(3, [](Communicator& comm) {
        const auto mailbox = comm.open_mailbox(256);
        std::vector<std::uint32_t> next(3, 0);
        std::uint32_t sent = 0;
        std::uint32_t received = 0;
        const int to = (comm.rank() + 1) % 3;
        while (sent < messages || received < messages) {
            const std::vector<std::byte> payload(sent % 97, static_cast<std::byte>(sent));
            if (sent < messages && mailbox->post(to, sent, payload)) {
                ++sent;
            }
            if (received == messages) {
                continue;
            }
            if (const auto message = mailbox->poll()) {
                EXPECT_EQ(message->from, (comm.rank() + 2) % 3);
                EXPECT_EQ(message->tag, received);
                EXPECT_EQ(message->bytes,
                          std::vector<std::byte>(received % 97, static_cast<std::byte>(received)));
                ++received;
            }
        }
        comm.barrier();
    });
}

TEST_F(ShmTest, TakesMessagesUpToItsRoom) {
    on_ranks(2, [](Communicator& comm) {
        const auto mailbox = comm.open_mailbox(100);
        const std::vector<std::byte> full(100, std::byte{1});
        EXPECT_TRUE(mailbox->post(comm.rank(), 5, full));
        EXPECT_FALSE(mailbox->post(comm.rank(), 6, bytes_of("x")));
        EXPECT_EQ(wait_for_message(*mailbox).bytes, full);
        EXPECT_TRUE(mailbox->post(comm.rank(), 6, {}));
        EXPECT_EQ(wait_for_message(*mailbox).tag, 6U);
        EXPECT_EQ(comm_error_of([&] { static_cast<void>(mailbox->post(2, 0, full)); }),
                  "post: receiver is rank 2, must be 0 to 1");
        EXPECT_NE(comm_error_of(
                      [&] { static_cast<void>(mailbox->post(0, 0, std::vector<std::byte>(101))); }),
                  "");
        comm.barrier();
    });
}

TEST_F(ShmTest, DeliversWhatASenderPostedBeforeItEnded) {
    on_ranks(2, [](Communicator& comm) {
        const auto mailbox = comm.open_mailbox(100);
        if (comm.rank() == 1) {
            EXPECT_TRUE(mailbox->post(0, 1, bytes_of("first")));
            EXPECT_TRUE(mailbox->post(0, 2, bytes_of("second")));
            return;
        }
        EXPECT_EQ(wait_for_message(*mailbox).bytes, bytes_of("first"));
        EXPECT_EQ(wait_for_message(*mailbox).bytes, bytes_of("second"));
        EXPECT_THAT(comm_error_of([&] { wait_for_message(*mailbox); }), HasSubstr("rank 1 on"));
        EXPECT_THROW(static_cast<void>(mailbox->post(1, 3, {})), PeerFailed);
    });
}

// ---- Recovery ----

TEST_F(ShmTest, SurvivorsGoOnWithNewNumbers) {
    for (int leaver = 0; leaver < 4; ++leaver) {
        on_ranks(4, [&](Communicator& comm) {
            const int old_rank = comm.rank();
            comm.barrier();
            if (old_rank == leaver) {
                return;
            }
            EXPECT_THROW(comm.barrier(), PeerFailed);

            EXPECT_EQ(comm.recover(), std::vector{leaver});

            EXPECT_EQ(comm.size(), 3);
            EXPECT_EQ(comm.rank(), old_rank - (old_rank > leaver ? 1 : 0));
            EXPECT_EQ(comm.allreduce(old_rank, ReduceOp::sum), 6 - leaver);
            expect_right_transfers(comm);
            EXPECT_EQ(comm.create_region(100)->size(), 100U);
            EXPECT_EQ(comm.split_local()->size(), 3);
        });
    }
}

TEST_F(ShmTest, RecoversUntilOneIsLeft) {
    on_ranks(4, [](Communicator& comm) {
        // The lowest rank leaves each time.
        for (int size = 4; size > 1; --size) {
            EXPECT_EQ(comm.allreduce(1, ReduceOp::sum), size);
            if (comm.rank() == 0) {
                return;
            }
            EXPECT_THROW(comm.barrier(), PeerFailed);
            EXPECT_EQ(comm.recover(), std::vector{0});
        }
        EXPECT_EQ(comm.size(), 1);
        comm.barrier();
    });
}

TEST_F(ShmTest, DoesNotWaitForeverForASurvivor) {
    for (const int absent : {0, 1}) {
        std::atomic<bool> has_given_up = false;
        const auto says = fmt::format(
            "recover: the survivors did not meet within 100 ms "
            "(LOCKSTEP_SHM_RECOVER_TIMEOUT_MS); not dead, and not there: "
            "rank {}",
            absent);
        on_ranks(
            3,
            [&](Communicator& comm) { expect_no_meeting(comm, absent, has_given_up, says); },
            [](ShmConfig& config) { config.recover_timeout_ms = 100; });
    }
}

TEST_F(ShmTest, LeavesWhatWasMadeOnANodeBroken) {
    on_ranks(3, [](Communicator& comm) {
        const auto node = comm.split_local();
        const auto deeper = node->split_local();
        const auto mailbox = deeper->open_mailbox(100);
        if (comm.rank() == 2) {
            return;
        }
        EXPECT_THROW(comm.barrier(), PeerFailed);
        comm.recover();
        const auto expect_revoked = [](const std::function<void()>& call) {
            EXPECT_THAT(comm_error_of(call), HasSubstr("was made before a rank was lost"));
        };
        expect_revoked([&] { node->barrier(); });
        expect_revoked([&] { deeper->barrier(); });
        expect_revoked([&] { static_cast<void>(mailbox->post(0, 1, {})); });
        EXPECT_FALSE(node->can_recover());
        comm.barrier();
    });
}

TEST_F(ShmTest, KeepsOldMailboxesBroken) {
    on_ranks(3, [](Communicator& comm) {
        const auto mailbox = comm.open_mailbox(100);
        if (comm.rank() == 2) {
            return;
        }
        EXPECT_THROW(comm.barrier(), PeerFailed);
        comm.recover();
        EXPECT_THAT(comm_error_of([&] { static_cast<void>(mailbox->poll()); }),
                    HasSubstr("has recovered since"));
        comm.barrier();
    });
}

}  // namespace
}  // namespace lockstep::comm
