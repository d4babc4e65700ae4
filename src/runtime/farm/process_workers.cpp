#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <poll.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "runtime/farm/fork_server.hpp"
#include "runtime/farm/process.hpp"
#include "runtime/farm/workers.hpp"

namespace lockstep::runtime {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int most_failed_starts = 3;  // one after the other

/// A worker's place: the process that works there now, and what it has to do.
struct Desk {
    std::unique_ptr<WorkerProcess> process;
    Clock::time_point started;
    bool is_ready = false;
    bool is_busy = false;
    bool should_stop = false;
    std::int64_t ticket = 0;
    Bytes task;  // kept until the process is ready for it
};

class ProcessWorkers final : public Workers {
public:
    ProcessWorkers(TaskFunctions functions,
                   std::vector<std::string> command,
                   const FarmOptions& options)
        : functions_(std::move(functions)),
          command_(std::move(command)),
          start_limit_(options.start_limit),
          is_forking_(options.workers > 1),
          desks_(at(options.workers)) {}

    [[nodiscard]] int size() const override { return static_cast<int>(desks_.size()); }
    [[nodiscard]] bool has_function(const std::string& name) const override {
        return functions_.contains(name);
    }
    void start(int worker, Assignment assignment) override;
    std::optional<Report> wait(milliseconds limit) override;
    void ask_to_stop(int worker) override;
    void kill(int worker) override {
        if (desks_[at(worker)].process) {
            desks_[at(worker)].process->kill();
        }
    }
    void close() override;

private:
    void spawn(Desk& desk);
    void start_server();
    [[nodiscard]] bool try_spawn(Desk& desk);
    void give(Desk& desk);
    void exchange(milliseconds limit);
    void listen(int worker);
    void listen_to_server();
    void spawn_for_waiting();
    void bury_server();
    void hear(int worker, Frame&& frame);
    void bury(int worker);
    void crash(int worker, const std::string& how);
    [[nodiscard]] bool is_too_late(Clock::time_point started) const {
        return Clock::now() > started + start_limit_;
    }
    [[nodiscard]] bool is_server_starting() const {
        return server_ && server_->state() == ForkServer::State::starting;
    }

    TaskFunctions functions_;
    std::vector<std::string> command_;
    milliseconds start_limit_;
    // Processes are forked by the first one, which alone loads the program, unless it is the only
    // one or cannot fork.
    bool is_forking_;
    std::shared_ptr<ForkServer> server_;
    Clock::time_point server_started_;
    std::vector<Desk> desks_;
    std::deque<Report> reports_;
    int failed_starts_ = 0;
};

// Without a process the desk waits until the server is ready.
void ProcessWorkers::spawn(Desk& desk) {
    desk.started = Clock::now();
    desk.is_ready = false;
    if (!is_forking_) {
        desk.process = std::make_unique<WorkerProcess>(command_);
        return;
    }
    if (server_ && server_->state() == ForkServer::State::ready) {
        try {
            desk.process = std::make_unique<WorkerProcess>(server_);
            return;
        } catch (const BackendError&) {
            // Something killed it: another one takes its place.
        }
    }
    if (!is_server_starting()) {
        start_server();
    }
}

void ProcessWorkers::start_server() {
    server_ = std::make_shared<ForkServer>(command_);
    server_started_ = Clock::now();
}

void ProcessWorkers::spawn_for_waiting() {
    for (auto& desk : desks_) {
        if (desk.is_busy && !desk.process) {
            spawn(desk);
        }
    }
}

void ProcessWorkers::listen_to_server() {
    switch (server_->listen()) {
        case ForkServer::State::starting:
            return;
        case ForkServer::State::ready:
            failed_starts_ = 0;
            return spawn_for_waiting();
        case ForkServer::State::gone:
            return bury_server();
        case ForkServer::State::unable:
            break;
    }
    is_forking_ = false;
    const auto waiting = std::ranges::find_if(
        desks_, [](const Desk& desk) { return desk.is_busy && !desk.process; });
    if (waiting != desks_.end()) {
        waiting->process = server_->take();
        waiting->is_ready = true;
        give(*waiting);
    }
    server_.reset();
    spawn_for_waiting();
}

void ProcessWorkers::bury_server() {
    const auto end = server_->end();
    server_.reset();
    if (++failed_starts_ < most_failed_starts) {
        return start_server();
    }
    for (int worker = 0; worker < size(); ++worker) {
        if (!desks_[at(worker)].process) {
            crash(worker, end);
        }
    }
    throw BackendError(
        fmt::format("worker processes do not come up ({}): {}", command_.front(), end));
}

bool ProcessWorkers::try_spawn(Desk& desk) {
    try {
        spawn(desk);
        return true;
    } catch (const BackendError&) {
        return false;
    }
}

void ProcessWorkers::start(int worker, Assignment assignment) {
    auto& desk = desks_[at(worker)];
    if (desk.process) {
        listen(worker);  // it may have died while it was idle
    }
    desk.should_stop = false;
    desk.ticket = assignment.ticket;
    desk.task = pack(assignment);
    if (!desk.process) {
        spawn(desk);
    }
    desk.is_busy = true;
    if (desk.is_ready) {
        give(desk);
    }
}

void ProcessWorkers::give(Desk& desk) {
    desk.process->say(FrameKind::task, desk.task);
    desk.task = {};
    if (desk.should_stop) {
        desk.process->say(FrameKind::stop, pack(desk.ticket));
    }
}

void ProcessWorkers::ask_to_stop(int worker) {
    auto& desk = desks_[at(worker)];
    desk.should_stop = true;
    if (desk.process && desk.is_ready) {
        desk.process->say(FrameKind::stop, pack(desk.ticket));
    }
}

std::optional<Report> ProcessWorkers::wait(milliseconds limit) {
    const auto end = Clock::now() + limit;
    for (auto left = limit; reports_.empty() && left.count() >= 0;) {
        exchange(left);
        left = std::chrono::ceil<milliseconds>(end - Clock::now());
        if (left.count() == 0) {
            break;
        }
    }
    if (reports_.empty()) {
        return {};
    }
    auto report = std::move(reports_.front());
    reports_.pop_front();
    return report;
}

void ProcessWorkers::exchange(milliseconds limit) {
    std::vector<pollfd> entries;
    std::vector<int> workers;
    for (int worker = 0; worker < size(); ++worker) {
        if (const auto& process = desks_[at(worker)].process) {
            const int output = process->has_output() ? POLLOUT : 0;
            entries.push_back({process->fd(), static_cast<short>(POLLIN | output), 0});
            workers.push_back(worker);
        }
    }
    const std::size_t processes = entries.size();
    if (is_server_starting()) {
        entries.push_back({server_->fd(), POLLIN, 0});
    }
    ::poll(entries.data(), entries.size(), static_cast<int>(limit.count()));
    if (entries.size() > processes) {
        if (is_too_late(server_started_)) {
            server_->kill();
        }
        if (entries.back().revents != 0) {
            listen_to_server();
        }
    }
    for (std::size_t i = 0; i < processes; ++i) {
        auto& desk = desks_[at(workers[i])];
        if (!desk.is_ready && is_too_late(desk.started)) {
            desk.process->kill();
        }
        if (entries[i].revents != 0) {
            desk.process->send();
            listen(workers[i]);
        }
    }
}

void ProcessWorkers::listen(int worker) {
    auto& process = *desks_[at(worker)].process;
    process.receive();
    while (auto frame = process.next()) {
        hear(worker, std::move(*frame));
    }
    if (process.is_gone()) {
        bury(worker);
    }
}

void ProcessWorkers::hear(int worker, Frame&& frame) {
    auto& desk = desks_[at(worker)];
    if (frame.kind == FrameKind::ready) {
        desk.is_ready = true;
        failed_starts_ = 0;
        if (desk.is_busy) {
            give(desk);
        }
    } else if (frame.kind == FrameKind::report) {
        auto report = unpack_report(frame.payload);
        report.worker = worker;
        desk.is_busy = false;
        reports_.push_back(std::move(report));
    } else {
        throw BackendError("a worker process says what no worker says");
    }
}

// One that was never ready has begun no task: another takes its place.
void ProcessWorkers::bury(int worker) {
    auto& desk = desks_[at(worker)];
    const auto end = desk.process->end();
    desk.process.reset();
    if (!std::exchange(desk.is_ready, false) && desk.is_busy) {
        if (++failed_starts_ < most_failed_starts && try_spawn(desk)) {
            return;
        }
        crash(worker, end);
        throw BackendError(
            fmt::format("worker processes do not come up ({}): {}", command_.front(), end));
    }
    crash(worker, end);
}

void ProcessWorkers::crash(int worker, const std::string& how) {
    auto& desk = desks_[at(worker)];
    if (std::exchange(desk.is_busy, false)) {
        reports_.push_back({worker, desk.ticket, Report::Kind::crashed, {}, how});
    }
}

void ProcessWorkers::close() {
    for (auto& desk : desks_) {
        if (desk.process) {
            desk.process->end();
            desk.process.reset();
        }
    }
    if (server_) {
        server_->end();
        server_.reset();
    }
}

}  // namespace

std::unique_ptr<TaskFarm> make_process_farm(TaskFunctions functions,
                                            std::vector<std::string> command,
                                            const FarmOptions& options) {
    check_workers(options);
    if (command.empty()) {
        throw InputError("worker processes need a command");
    }
    return std::make_unique<TaskFarm>(
        "processes",
        std::make_unique<ProcessWorkers>(std::move(functions), std::move(command), options),
        options);
}

}  // namespace lockstep::runtime
