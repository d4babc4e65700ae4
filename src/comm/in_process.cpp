#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/comm/communicator.hpp"

namespace lockstep::comm {
namespace {

/// Where the threads of a run meet.
class Hub {
public:
    explicit Hub(int ranks)
        : stamps_(static_cast<std::size_t>(ranks)), sources_(static_cast<std::size_t>(ranks)) {}

    [[nodiscard]] int size() const noexcept { return static_cast<int>(sources_.size()); }

    /// One collective of `rank`: shows its bytes to all ranks, runs `take` once everyone has shown
    /// his, and returns when everyone has taken. Every rank compares the calls, so that all throw
    /// or none.
    template <typename F>
    void exchange(int rank, const CallStamp& stamp, std::span<const std::byte> source, F&& take) {
        stamps_[static_cast<std::size_t>(rank)] = stamp;
        sources_[static_cast<std::size_t>(rank)] = source;
        wait_for_all(rank, stamp);
        check_stamps(stamps_);
        take();
        wait_for_all(rank, stamp);
    }

    [[nodiscard]] std::span<const std::byte> source(int rank) const {
        return sources_[static_cast<std::size_t>(rank)];
    }

    /// `rank` takes part no longer: who waits for it, now or later, throws with this reason.
    void leave(int rank, const std::string& reason) {
        const std::lock_guard lock(mutex_);
        if (gone_.empty())
            gone_ = fmt::format("rank {} {}", rank, reason);
        changed_.notify_all();
    }

private:
    void wait_for_all(int rank, const CallStamp& stamp) {
        std::unique_lock lock(mutex_);
        const std::uint64_t round = round_;
        if (gone_.empty() && ++waiting_ == size()) {
            waiting_ = 0;
            ++round_;
            changed_.notify_all();
            return;
        }
        changed_.wait(lock, [&] { return round_ != round || !gone_.empty(); });
        // A round that is complete counts even if somebody left right after it.
        if (round_ == round)
            throw CommError(
                fmt::format("{} while rank {} waits in {}", gone_, rank, to_string(stamp)));
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t round_ = 0;
    int waiting_ = 0;
    std::string gone_;  // who left first and why
    std::vector<CallStamp> stamps_;
    std::vector<std::span<const std::byte>> sources_;
};

void copy_to(std::span<const std::byte> source, std::span<std::byte> target, std::int64_t start) {
    if (!source.empty())  // an empty part may start anywhere
        std::ranges::copy(source, target.begin() + start);
}

class InProcessCommunicator final : public Communicator {
public:
    InProcessCommunicator(Hub& hub, int rank) : hub_(hub), rank_(rank) {}

    [[nodiscard]] int rank() const noexcept override { return rank_; }
    [[nodiscard]] int size() const noexcept override { return hub_.size(); }
    [[nodiscard]] std::string_view backend() const noexcept override { return "in-process"; }
    [[noreturn]] void abort(int code) override { std::_Exit(code); }

protected:
    void do_allgatherv(const CallStamp& stamp,
                       std::span<const std::byte> send,
                       std::span<std::byte> receive,
                       const Layout& layout) override {
        hub_.exchange(rank_, stamp, send, [&] {
            for (int rank = 0; rank < size(); ++rank)
                copy_to(hub_.source(rank), receive, layout.offset(rank) * stamp.width);
        });
    }
    void do_broadcast(const CallStamp& stamp, std::span<std::byte> buffer, int root) override {
        hub_.exchange(rank_, stamp, buffer, [&] {
            if (rank_ != root)
                copy_to(hub_.source(root), buffer, 0);
        });
    }
    void do_barrier(const CallStamp& stamp) override {
        hub_.exchange(rank_, stamp, {}, [] {});
    }

private:
    Hub& hub_;
    int rank_;
};

/// How a rank's body ended.
struct Outcome {
    std::exception_ptr exception;
    bool is_comm_error = false;
};

Outcome run_rank(Hub& hub, int rank, const std::function<void(Communicator&)>& body) {
    InProcessCommunicator communicator(hub, rank);
    try {
        body(communicator);
        hub.leave(rank, "ended");
        return {};
    } catch (const CommError& error) {
        hub.leave(rank, fmt::format("failed ({})", error.what()));
        return {std::current_exception(), true};
    } catch (const std::exception& error) {
        hub.leave(rank, fmt::format("failed ({})", error.what()));
        return {std::current_exception(), false};
    } catch (...) {
        hub.leave(rank, "failed");
        return {std::current_exception(), false};
    }
}

void rethrow_most_telling(const std::vector<Outcome>& outcomes) {
    for (const Outcome& outcome : outcomes)
        if (outcome.exception && !outcome.is_comm_error)
            std::rethrow_exception(outcome.exception);
    for (const Outcome& outcome : outcomes)
        if (outcome.exception)
            std::rethrow_exception(outcome.exception);
}

}  // namespace

void run_in_process(int ranks, const std::function<void(Communicator&)>& body) {
    if (ranks < 1)
        throw InputError(fmt::format("ranks is {}, must be 1 or more", ranks));
    Hub hub(ranks);
    std::vector<Outcome> outcomes(static_cast<std::size_t>(ranks));
    {
        std::vector<std::jthread> threads;
        try {
            for (int rank = 0; rank < ranks; ++rank)
                threads.emplace_back([&, rank] {
                    outcomes[static_cast<std::size_t>(rank)] = run_rank(hub, rank, body);
                });
        } catch (...) {
            hub.leave(static_cast<int>(threads.size()), "could not be started");
            throw;
        }
    }
    rethrow_most_telling(outcomes);
}

}  // namespace lockstep::comm
