// A rank that a test can kill: connects as its environment says and repeats one collective call.
//
// comm_worker CALL ROUNDS [--items N] [--pause-us N] [--recover] [--die-in-recovery RANK]
//             [--abort-in-recovery RANK] [--abort-at ROUND RANK]
//
// CALL is allgatherv, broadcast, allreduce, barrier or mixed. Says "running" on stderr once all
// ranks have gone some rounds. At the end "sum S ranks R" on stdout, where S depends on ROUNDS and
// the items only. When a rank is lost: ends with exit code 71, or recovers and repeats the round.
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "lockstep/base/error.hpp"
#include "lockstep/comm/communicator.hpp"
#include "lockstep/comm/launch.hpp"

namespace {

using lockstep::comm::Communicator;
using lockstep::comm::Layout;
using Numbers = std::vector<std::uint64_t>;

constexpr std::int64_t warm_up = 10;
constexpr unsigned abort_pause_us = 200'000;  // the others recover by then

struct Options {
    std::string call;
    std::int64_t rounds = 0;
    std::int64_t items = 24;
    unsigned pause_us = 0;
    bool recover = false;
    int die_in_recovery = -1;
    int abort_in_recovery = -1;
    std::int64_t abort_at = -1;
    int abort_rank = -1;
};

std::optional<std::string> variable(std::string_view name) {
    const char* value = std::getenv(std::string(name).c_str());
    return value == nullptr ? std::optional<std::string>() : std::optional<std::string>(value);
}

std::int64_t number(std::span<char*>& words) {
    if (words.empty()) {
        throw lockstep::UsageError("a number is missing");
    }
    const auto value = std::stoll(words.front());
    words = words.subspan(1);
    return value;
}

Options parse(std::span<char*> words) {
    if (words.size() < 2) {
        throw lockstep::UsageError("comm_worker CALL ROUNDS [options]");
    }
    Options options;
    options.call = words.front();
    words = words.subspan(1);
    options.rounds = number(words);
    while (!words.empty()) {
        const std::string_view name = words.front();
        words = words.subspan(1);
        if (name == "--items") {
            options.items = number(words);
        } else if (name == "--pause-us") {
            options.pause_us = static_cast<unsigned>(number(words));
        } else if (name == "--recover") {
            options.recover = true;
        } else if (name == "--die-in-recovery") {
            options.die_in_recovery = static_cast<int>(number(words));
        } else if (name == "--abort-in-recovery") {
            options.abort_in_recovery = static_cast<int>(number(words));
        } else if (name == "--abort-at") {
            options.abort_at = number(words);
            options.abort_rank = static_cast<int>(number(words));
        } else {
            throw lockstep::UsageError(fmt::format("unknown option {}", name));
        }
    }
    return options;
}

std::uint64_t sum_of(const Numbers& numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0});
}

/// What each round works on: item i of round t is (t + 1) (i + 1), whoever computes it.
class Rounds {
public:
    Rounds(Communicator& comm, const Options& options) : comm_(comm), options_(options) {}

    std::uint64_t run(std::int64_t round) {
        std::string_view call = options_.call;
        if (call == "mixed") {
            constexpr std::string_view calls[] = {
                "allgatherv", "broadcast", "allreduce", "barrier"};
            call = calls[round % 4];
        }
        if (call == "allgatherv") {
            return gather(round);
        }
        if (call == "broadcast") {
            return broadcast(round);
        }
        if (call == "allreduce") {
            return comm_.allreduce(sum_of(own_items(round)), lockstep::comm::ReduceOp::sum);
        }
        if (call != "barrier") {
            throw lockstep::UsageError(fmt::format("unknown call {}", call));
        }
        comm_.barrier();
        return sum_of(items(round, 0, options_.items));
    }

private:
    static Numbers items(std::int64_t round, std::int64_t begin, std::int64_t end) {
        Numbers numbers;
        for (std::int64_t item = begin; item < end; ++item) {
            numbers.push_back(static_cast<std::uint64_t>((round + 1) * (item + 1)));
        }
        return numbers;
    }
    [[nodiscard]] Layout layout() const { return Layout::blocks(options_.items, 1, comm_.size()); }
    [[nodiscard]] Numbers own_items(std::int64_t round) const {
        const auto blocks = layout();
        const auto begin = blocks.offset(comm_.rank());
        return items(round, begin, begin + blocks.count(comm_.rank()));
    }

    std::uint64_t gather(std::int64_t round) {
        Numbers all(static_cast<std::size_t>(options_.items));
        comm_.allgatherv<std::uint64_t>(own_items(round), all, layout());
        return sum_of(all);
    }
    std::uint64_t broadcast(std::int64_t round) {
        const auto root = static_cast<int>(round % comm_.size());
        auto buffer = comm_.rank() == root ? items(round, 0, options_.items)
                                           : Numbers(static_cast<std::size_t>(options_.items));
        comm_.broadcast<std::uint64_t>(buffer, root);
        return sum_of(buffer);
    }

    Communicator& comm_;
    const Options& options_;
};

class Worker {
public:
    Worker(Communicator& comm, Options options)
        : comm_(comm), options_(std::move(options)), first_rank_(comm.rank()) {}

    void run() {
        for (;;) {
            try {
                run_rounds();
                return;
            } catch (const lockstep::comm::PeerFailed& loss) {
                if (!options_.recover) {
                    throw;
                }
                fmt::print(stderr, "{}\n", loss.what());
                recover();
            }
        }
    }
    [[nodiscard]] std::uint64_t sum() const { return sum_of(sums_); }

private:
    void run_rounds() {
        // After a loss some may be one round ahead.
        round_ = comm_.allreduce(round_, lockstep::comm::ReduceOp::min);
        sums_.resize(static_cast<std::size_t>(round_));
        Rounds rounds(comm_, options_);
        for (; round_ < options_.rounds; ++round_) {
            if (round_ == options_.abort_at && comm_.rank() == options_.abort_rank) {
                comm_.abort(9);
            }
            sums_.push_back(rounds.run(round_));
            if (round_ == warm_up) {
                fmt::print(stderr, "running\n");
            }
            if (options_.pause_us > 0) {
                ::usleep(options_.pause_us);
            }
        }
    }
    void recover() {
        if (first_rank_ == options_.die_in_recovery) {
            std::raise(SIGKILL);
        }
        if (first_rank_ == options_.abort_in_recovery) {
            ::usleep(abort_pause_us);
            comm_.abort(9);
        }
        for (const int rank : comm_.recover()) {
            fmt::print(stderr, "lost rank {}\n", rank);
        }
    }

    Communicator& comm_;
    Options options_;
    int first_rank_;
    std::int64_t round_ = 0;
    Numbers sums_;
};

}  // namespace

int main(int argc, char** argv) {
    try {
        const auto options = parse(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
        const auto comm = lockstep::comm::connect(lockstep::comm::choose_backend(variable));
        Worker worker(*comm, options);
        worker.run();
        fmt::print("sum {} ranks {}\n", worker.sum(), comm->size());
        return 0;
    } catch (const lockstep::Error& error) {
        fmt::print(stderr, "{}\n", error.what());
        return error.exit_code();
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 70;
    }
}
