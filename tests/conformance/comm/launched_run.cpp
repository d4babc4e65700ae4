// A program that a launcher starts, for the ends that a test binary cannot have.
// usage: launched_run abort | kill | mismatch | one-throws | all-throw | recover | messages |
// connect | large
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/base/error.hpp"
#include "lockstep/comm/communicator.hpp"
#include "lockstep/comm/launch.hpp"

namespace lockstep::comm {
namespace {

constexpr int rounds = 300;
constexpr int last_round_of_victim = 100;

void require(bool holds, const char* what) {
    if (!holds) {
        throw AssertionError(what);
    }
}

[[noreturn]] void die() {
    std::raise(SIGKILL);
    std::abort();
}

// Every rank's number, gathered.
void gather(Communicator& comm, std::int64_t number) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(comm.size()), -1);
    const std::vector<std::int64_t> own{number};
    comm.allgatherv<std::int64_t>(own, all, Layout::blocks(comm.size(), 1, comm.size()));
    require(all == std::vector<std::int64_t>(all.size(), number), "gathered something else");
}

void abort_by_one(Communicator& comm) {
    if (comm.rank() == 1) {
        comm.abort(7);
    }
    comm.barrier();
}

void kill_one(Communicator& comm) {
    if (comm.rank() == 1) {
        die();
    }
    comm.barrier();
}

void call_differently(Communicator& comm) {
    std::vector<double> values(3);
    if (comm.rank() == 1) {
        comm.broadcast<double>(values, 0);
    } else {
        comm.barrier();
    }
}

void throw_on_one(Communicator& comm) {
    if (comm.rank() == 1) {
        throw InputError("rank 1 has its own trouble");
    }
    comm.barrier();
}

void throw_on_all(Communicator&) {
    throw InputError("the same trouble everywhere");
}

// Parts whose bytes no `int` counts, by one call and in pieces.
void gather_much(Communicator& comm) {
    const auto gather_parts = [&]<typename T>(std::size_t length, T value) {
        const std::vector<T> own(length, value);
        std::vector<T> all(length * static_cast<std::size_t>(comm.size()));
        comm.allgatherv<T>(
            own, all, Layout::blocks(comm.size(), static_cast<std::int64_t>(length), comm.size()));
        for (std::size_t rank = 0; rank * length < all.size(); ++rank) {
            require(all[rank * length] == rank + 1 && all[(rank + 1) * length - 1] == rank + 1,
                    "gathered something else");
        }
    };
    gather_parts((std::size_t{1} << 27) + 3, static_cast<std::uint64_t>(comm.rank()) + 1);
    gather_parts((std::size_t{1} << 30) + 3, static_cast<std::uint8_t>(comm.rank() + 1));
}

// Filled by the writer, in part by each rank, and again; many come and go.
void share(Communicator& comm) {
    const auto node = comm.split_local();
    for (std::size_t bytes = 1; bytes < 100'000; bytes += 999) {
        const auto region = node->create_region(bytes);
        require(region->is_shared(), "one node shares no memory");
        require(region->is_writer() == (node->rank() == 0), "another rank writes");
        for (auto& byte : region->writer_span()) {
            require(std::exchange(byte, std::byte{7}) == std::byte{0}, "memory is not zeroed");
        }
        region->fence();
        for (const auto byte : region->view()) {
            require(byte == std::byte{7}, "the writer's bytes have not come");
        }
        region->begin_update();
        const auto ranks = static_cast<std::size_t>(node->size());
        const auto own = static_cast<std::size_t>(node->rank());
        for (auto& byte : region->partition_span(bytes * own / ranks, bytes * (own + 1) / ranks)) {
            byte = static_cast<std::byte>(own + 1);
        }
        region->fence();
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            for (std::size_t i = bytes * rank / ranks; i < bytes * (rank + 1) / ranks; ++i) {
                require(region->view()[i] == static_cast<std::byte>(rank + 1),
                        "a part is not there");
            }
        }
    }
}

// Every rank fills the room to the next one, which then takes all in order; some are never taken.
void post(Communicator& comm) {
    const auto mailbox = comm.open_mailbox(64);
    const int next = (comm.rank() + 1) % comm.size();
    const int previous = (comm.rank() + comm.size() - 1) % comm.size();
    const std::vector<std::byte> bytes(16, static_cast<std::byte>(comm.rank()));
    for (std::uint32_t tag = 0; tag < 4; ++tag) {
        require(mailbox->post(next, UINT32_MAX - tag, bytes), "there is no room");
    }
    require(!mailbox->post(next, 0, bytes), "more than the room is under way");
    comm.barrier();  // whoever takes makes room
    for (std::uint32_t tag = 0; tag < 4;) {
        if (const auto message = mailbox->poll()) {
            require(message->from == previous && message->tag == UINT32_MAX - tag++,
                    "another message came");
            require(message->bytes == std::vector<std::byte>(16, static_cast<std::byte>(previous)),
                    "other bytes came");
        }
    }
    while (!mailbox->post(next, 1, {}) || !mailbox->post(next, 2, bytes)) {
        static_cast<void>(mailbox->poll());
    }
}

// What the survivors do: the interrupted round again, with regions and messages of the new ranks.
void go_on(Communicator& comm, int victim, std::int64_t& round) {
    const int before = comm.size();
    require(comm.recover() == std::vector<int>{victim}, "another rank is lost");
    require(comm.size() == before - 1 && !comm.is_broken(), "the survivors are not whole");
    round = comm.allreduce(round, ReduceOp::min);
    const auto node = comm.split_local();
    const auto region = node->create_region(10'000);
    for (auto& byte : region->writer_span()) {
        byte = std::byte{5};
    }
    region->fence();
    require(region->view()[9'999] == std::byte{5}, "the region is not shared");
}

void survive(Communicator& comm, int victim) {
    const auto node = comm.split_local();
    const auto region = node->create_region(100);
    const auto mailbox = comm.open_mailbox(100);
    bool is_whole = true;
    for (std::int64_t round = 0; round < rounds;) {
        try {
            if (is_whole && comm.rank() == victim && round == last_round_of_victim) {
                die();
            }
            gather(comm, round++);
        } catch (const PeerFailed& error) {
            require(is_whole && error.rank() == victim, "another rank failed");
            --round;
            is_whole = false;
            go_on(comm, victim, round);
        }
    }
    require(!is_whole, "nobody was lost");
    std::printf("rank %d of %d survived\n", comm.rank(), comm.size());
}

void survive_each(Communicator& comm) {
    survive(comm, comm.size() - 1);
    survive(comm, 0);
}

// One survivor hears of the loss by its mailbox, while the others wait in a collective of another
// communicator.
void hear_by_mail(Communicator& comm) {
    const int victim = comm.size() - 1;
    const auto node = comm.split_local();
    const auto mailbox = comm.open_mailbox(100);
    std::int64_t round = 0;
    gather(comm, round++);
    if (comm.rank() == victim) {
        die();
    }
    try {
        while (comm.rank() == 0) {
            static_cast<void>(mailbox->poll());
        }
        gather(*node, round);
        throw AssertionError("nobody was lost");
    } catch (const PeerFailed&) {
        go_on(comm, victim, round);
    }
    gather(comm, round);
    std::printf("rank %d of %d survived\n", comm.rank(), comm.size());
}

using Body = std::function<void(Communicator&)>;

const std::map<std::string_view, Body>& bodies() {
    static const std::map<std::string_view, Body> all{{"abort", abort_by_one},
                                                      {"kill", kill_one},
                                                      {"mismatch", call_differently},
                                                      {"one-throws", throw_on_one},
                                                      {"all-throw", throw_on_all},
                                                      {"recover", survive_each},
                                                      {"messages", hear_by_mail},
                                                      {"share", share},
                                                      {"post", post},
                                                      {"large", gather_much},
                                                      {"connect", [](Communicator&) {}}};
    return all;
}

}  // namespace
}  // namespace lockstep::comm

int main(int count, char** arguments) {
    using namespace lockstep::comm;
    try {
        const auto comm = connect(choose_backend([](std::string_view name) {
            const char* value = std::getenv(std::string(name).c_str());
            return value == nullptr ? std::optional<std::string>()
                                    : std::optional<std::string>(value);
        }));
        bodies().at(count == 2 ? arguments[1] : "")(*comm);
        if (comm->rank() == 0) {
            std::puts("reached the end");
        }
        return 0;
    } catch (const lockstep::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return error.exit_code();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 70;
    }
}
