#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "lockstep/runtime/task_farm.hpp"

#include "runtime/farm/workers.hpp"

namespace lockstep::runtime {

/// A task as the queue knows it.
struct Job {
    std::int64_t number = 0;
    std::string function;
    double cost = 0;
    int priority = 0;
    TaskPolicy policy;
    std::function<Bytes()> input;                   ///< for each attempt
    std::function<void(TaskResult&&)> on_end = {};  ///< none: the result is kept until it is taken
};

/// Which job runs when and how it ends: order, retries, time limits and cancelling, for all
/// backends alike.
class Dispatcher {
public:
    using Clock = std::chrono::steady_clock;

    Dispatcher(std::unique_ptr<Workers> workers, std::chrono::milliseconds grace);

    [[nodiscard]] int living_workers() const;

    /// Queues it. @returns its ticket
    std::int64_t add(Job job);
    /// Gives idle workers what is queued.
    void serve_idle_workers();
    /// The same, and waits for something to happen, at most for `limit`.
    void advance(std::chrono::milliseconds limit);
    /// What has ended since, by ticket.
    [[nodiscard]] bool has_ended(std::int64_t ticket) const { return ended_.contains(ticket); }
    /// Has not ended, or was not taken.
    [[nodiscard]] bool knows(std::int64_t ticket) const {
        return jobs_.contains(ticket) || ended_.contains(ticket);
    }
    [[nodiscard]] TaskResult take(std::int64_t ticket);

    void cancel(std::int64_t ticket);
    void cancel_all();
    /// Cancels it, and nobody hears of its end.
    void drop(std::int64_t ticket);
    [[nodiscard]] bool is_idle() const noexcept { return jobs_.empty(); }
    [[nodiscard]] int running() const noexcept { return static_cast<int>(running_.size()); }

    /// Nothing runs any more. Workers go.
    void close();
    [[nodiscard]] bool is_closed() const noexcept { return is_closed_; }

private:
    struct Entry {
        Job job;
        int attempts = 0;
        int failed = 0;
        int crashed = 0;
        int timed_out = 0;
        bool is_cancelled = false;
    };
    struct Attempt {
        std::int64_t ticket = 0;
        Clock::time_point start;
        bool has_begun = false;
        std::optional<Clock::time_point> stop_asked;
        bool is_late = false;
        bool is_killed = false;
    };
    // Priority and cost negated, ticket.
    using Place = std::tuple<int, double, std::int64_t>;

    static Place place_of(const Job& job, std::int64_t ticket);
    void begin(int worker, std::int64_t ticket);
    void ask_to_stop(int worker, Attempt& attempt);
    void keep_time();
    void note_begin(int worker, Attempt& attempt) const;
    [[nodiscard]] std::chrono::milliseconds until_next_deadline(
        std::chrono::milliseconds limit) const;
    void receive(Report&& report);
    [[nodiscard]] bool may_retry(Entry& entry, TaskStatus status) const;
    void end(std::int64_t ticket, TaskStatus status, Report&& report, double seconds);

    std::unique_ptr<Workers> workers_;
    std::chrono::milliseconds grace_;
    std::int64_t next_ticket_ = 0;
    std::map<std::int64_t, Entry> jobs_;  // that have not ended, by ticket
    std::set<Place> queue_;
    std::map<int, Attempt> running_;            // by worker
    std::map<std::int64_t, TaskResult> ended_;  // by ticket, until they are taken
    bool is_closed_ = false;
};

}  // namespace lockstep::runtime
