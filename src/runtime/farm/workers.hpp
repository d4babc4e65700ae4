#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/runtime/task_farm.hpp"

namespace lockstep::runtime {

using Bytes = std::vector<std::byte>;

/// One attempt at a task, for one worker.
struct Assignment {
    std::int64_t ticket = 0;  ///< of the farm
    std::int64_t number = 0;  ///< of the caller
    std::chrono::milliseconds time_limit{0};
    std::string function;
    Bytes input;
};

/// How an attempt ended.
struct Report {
    enum class Kind : std::uint8_t { done, failed, stopped, crashed };
    int worker = 0;
    std::int64_t ticket = 0;
    Kind kind = Kind::done;
    Bytes output;
    std::string error;
};

/// Those who run tasks, each one at a time: what a backend of the farm is.
class Workers {
public:
    virtual ~Workers() = default;
    Workers() = default;
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    /// Numbered from 0, the dead included.
    [[nodiscard]] virtual int size() const = 0;
    [[nodiscard]] virtual bool is_alive(int /*worker*/) const { return true; }
    [[nodiscard]] virtual bool has_function(const std::string& name) const = 0;

    /// Of a busy worker: whether its task runs, so that its time counts; until then it waits.
    [[nodiscard]] virtual bool has_begun(int /*worker*/) const { return true; }

    /// To a worker that is alive and idle. Does not wait.
    virtual void start(int worker, Assignment assignment) = 0;
    /// The next attempt that has ended, of those that began; waits for it at most for `limit`.
    virtual std::optional<Report> wait(std::chrono::milliseconds limit) = 0;
    /// Asks a busy worker to stop.
    virtual void ask_to_stop(int worker) = 0;
    /// Ends a busy worker that does not stop, whose attempt then crashes, where that is possible.
    virtual void kill(int /*worker*/) {}
    /// All are idle: they go.
    virtual void close() = 0;
};

/// Runs an attempt here. Throws nothing.
Report run_task(const TaskFunctions& functions,
                const Assignment& assignment,
                int worker,
                const std::atomic<bool>& stop) noexcept;

/// @throws InputError  less than one
void check_workers(const FarmOptions& options);

}  // namespace lockstep::runtime
