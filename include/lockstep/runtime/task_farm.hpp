#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/comm/communicator.hpp"

namespace lockstep::runtime {

/// What a task knows of its farm.
class TaskContext {
public:
    using Clock = std::chrono::steady_clock;
    TaskContext(std::int64_t number,
                int worker,
                Clock::time_point end,
                const std::atomic<bool>& stop)
        : number_(number), worker_(worker), end_(end), stop_(stop) {}

    /// Of the task, as the caller numbers it.
    [[nodiscard]] std::int64_t number() const noexcept { return number_; }
    /// One of those of this process, from 0; for memory that is used again from task to task.
    [[nodiscard]] int worker() const noexcept { return worker_; }
    /// Its time is up, or nobody wants its result any more: throw TaskStopped soon. A task that may
    /// take long asks now and then.
    [[nodiscard]] bool should_stop() const noexcept { return stop_ || Clock::now() >= end_; }

private:
    std::int64_t number_;
    int worker_;
    Clock::time_point end_;
    const std::atomic<bool>& stop_;
};

/// Ends a task that should stop.
class TaskStopped : public std::exception {
public:
    [[nodiscard]] const char* what() const noexcept override { return "the task was stopped"; }
};

/// Bytes in, bytes out: a pure function of the input and the task's number, so that its result does
/// not tell who ran it. Runs on several threads at once.
using TaskFunction =
    std::function<std::vector<std::byte>(std::span<const std::byte> input, const TaskContext&)>;

/// By name, since a closure cannot be sent to another process: each process that works has the
/// same names.
using TaskFunctions = std::map<std::string, TaskFunction, std::less<>>;

enum class TaskStatus : std::uint8_t {
    done,
    failed,     ///< its function threw
    crashed,    ///< the process or rank that ran it ended
    timed_out,  ///< its time was up
    cancelled   ///< before it began, or it stopped because it was told to
};
std::string_view to_string(TaskStatus status) noexcept;

struct TaskResult {
    std::int64_t number = 0;
    TaskStatus status = TaskStatus::done;
    std::vector<std::byte> output;  ///< where done
    std::string error;              ///< why not, where not done
    int attempts = 0;               ///< begun; 0 when it was cancelled before
    double seconds = 0;             ///< of the last attempt, as the farm saw it
};

/// What becomes of a task that does not end well.
struct TaskPolicy {
    /// Of one attempt; 0: none. The task should stop then; a worker process that does not is
    /// killed after FarmOptions::grace, elsewhere the farm waits for it.
    std::chrono::milliseconds time_limit{0};
    int retries_of_failed = 0;
    int retries_of_crashed = 1;
    int retries_of_timed_out = 0;
};

/// Tasks of one kind, numbered from 0. Those of higher priority begin first; of these the most
/// costly, as "longest processing time first" has it [Graham1969]; of these the lowest number.
struct TaskBatch {
    std::string function;
    std::int64_t count = 0;
    /// Called on the caller's thread when a task is about to begin, again for each retry.
    std::function<std::vector<std::byte>(std::int64_t number)> input;
    std::function<double(std::int64_t number)> cost = {};   ///< in any unit; none: equal
    std::function<int(std::int64_t number)> priority = {};  ///< none: equal
    TaskPolicy policy = {};
    /// Results come in order of number, not as they are ready.
    bool in_order = true;
    /// Bounds memory: no task begins that is so many numbers, or more, above the lowest one whose
    /// result has not been handed over. 0: no bound.
    std::int64_t window = 0;
};

struct FarmProgress {
    std::int64_t done = 0;
    std::int64_t failed = 0;  ///< ended in any other way
    std::int64_t running = 0;
    std::int64_t total = 0;
    double seconds = 0;  ///< since the batch began
};

/// Who watches a batch. All are called on the caller's thread.
struct FarmObserver {
    /// Each result once. @returns false to cancel what is left, whose results still come
    std::function<bool(TaskResult&&)> on_result = {};
    std::function<void(const FarmProgress&)> on_progress = {};  ///< after each result
    /// Asked several times a second; true cancels what is left.
    std::function<bool()> stop_requested = {};
};

struct TaskRequest {
    std::string function;
    std::vector<std::byte> input = {};
    double cost = 0;
    int priority = 0;
    TaskPolicy policy = {};
};

struct FarmOptions {
    int workers = 1;  ///< threads, processes, or threads of each rank
    /// For a worker process that was told to stop, before it is killed.
    std::chrono::milliseconds grace{10'000};
    /// For a worker process to come up.
    std::chrono::milliseconds start_limit{120'000};
};

class Dispatcher;
class Workers;

/// A result that will come. The farm must outlive it; it makes progress while its caller waits.
class TaskFuture {
public:
    /// Waits for it; once.
    [[nodiscard]] TaskResult get();
    /// @returns whether it has come
    [[nodiscard]] bool wait_for(std::chrono::milliseconds limit);
    /// Of a task that has begun: asks it to stop.
    void cancel();

private:
    friend class TaskFarm;
    TaskFuture(Dispatcher& dispatcher, std::int64_t ticket)
        : dispatcher_(&dispatcher), ticket_(ticket) {}
    Dispatcher* dispatcher_;
    std::int64_t ticket_;
};

/// Runs independent tasks on workers: in any order, on any of them, with results by number.
///
/// One shared queue, from which idle workers are served. A worker that dies costs its task an
/// attempt, never the farm. All calls come from one thread.
class TaskFarm {
public:
    TaskFarm(std::string_view backend,
             std::unique_ptr<Workers> workers,
             const FarmOptions& options);
    /// As shutdown(Wait::no).
    ~TaskFarm();
    TaskFarm(const TaskFarm&) = delete;
    TaskFarm& operator=(const TaskFarm&) = delete;

    /// "sequential", "threads", "processes" or "ranks".
    [[nodiscard]] std::string_view backend() const noexcept { return backend_; }
    /// Those that live.
    [[nodiscard]] int workers() const;

    /// All tasks of a batch. Returns when all have ended, however they did. What `observer` or
    /// `batch.input` throws cancels the batch and comes out.
    /// @throws InputError  no such function, in this process; BackendError  worker processes do not
    ///         come up; CommError  no rank is left to work; AssertionError  after shutdown()
    void run(const TaskBatch& batch, const FarmObserver& observer);
    /// The results, by number.
    /// @throws as run()
    [[nodiscard]] std::vector<TaskResult> map(const TaskBatch& batch);

    /// Queues one task, whose number counts the calls of submit().
    /// @throws as run()
    TaskFuture submit(TaskRequest request);

    enum class Wait { no, yes };
    /// Ends the workers. yes: after all tasks; no: cancels what has not begun, asks the rest to
    /// stop, kills worker processes that do not. Later calls do nothing.
    void shutdown(Wait wait);

private:
    std::string_view backend_;
    std::unique_ptr<Dispatcher> dispatcher_;
    std::int64_t submitted_ = 0;
};

/// In the calling thread, one after the other: what the others must equal.
std::unique_ptr<TaskFarm> make_sequential_farm(TaskFunctions functions);

/// Threads of this process. A task that neither ends nor stops when asked keeps shutdown() waiting.
/// @throws InputError  workers < 1
std::unique_ptr<TaskFarm> make_thread_farm(TaskFunctions functions, const FarmOptions& options);

/// Processes of this machine, which live for many tasks and start when first needed; one that is
/// killed is replaced.
/// @param command  program and arguments that end in serve_tasks() with the same functions
/// @throws InputError  workers < 1, or no command
std::unique_ptr<TaskFarm> make_process_farm(TaskFunctions functions,
                                            std::vector<std::string> command,
                                            const FarmOptions& options);

/// Where a worker process finds the connection to its farm.
constexpr int task_descriptor = 3;
/// A worker process: runs what its farm sends until that hangs up. Ignores SIGINT, SIGTERM and
/// SIGHUP, which are for the farm's process to obey, and ends at once when that is gone.
/// @returns what main() should
int serve_tasks(const TaskFunctions& functions, int descriptor = task_descriptor);

/// Threads of all ranks: `body` runs on rank 0 with the farm, the others serve it and return when
/// it has ended. Over shm and tcp the farm goes on without a rank that is lost, whose loss the next
/// collective tells; over MPI the loss comes out of the farm. Collective.
/// @throws what `body` throws, on rank 0; PeerFailed  rank 0 is gone; InputError  workers < 1
void run_rank_farm(comm::Communicator& ranks,
                   const TaskFunctions& functions,
                   const FarmOptions& options,
                   const std::function<void(TaskFarm&)>& body);

}  // namespace lockstep::runtime
