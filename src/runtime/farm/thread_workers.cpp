#include "runtime/farm/thread_workers.hpp"

#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

namespace lockstep::runtime {

ThreadWorkers::ThreadWorkers(TaskFunctions functions, int threads)
    : functions_(std::move(functions)), reports_(at(threads)) {
    for (int worker = 0; worker < threads; ++worker) {
        desks_.push_back(std::make_unique<Desk>());
    }
    try {
        for (int worker = 0; worker < threads; ++worker) {
            threads_.emplace_back([this, worker] { serve(worker); });
        }
    } catch (const std::system_error& error) {
        close();
        throw InputError(
            fmt::format("workers is {}, more than the system allows: {}", threads, error.what()));
    }
}

ThreadWorkers::~ThreadWorkers() {
    close();
}

void ThreadWorkers::serve(int worker) {
    auto& desk = *desks_[at(worker)];
    while (const auto assignment = desk.inbox.pop()) {
        reports_.push(run_task(functions_, *assignment, worker, desk.stop));
    }
}

void ThreadWorkers::start(int worker, Assignment assignment) {
    auto& desk = *desks_[at(worker)];
    desk.stop = false;
    desk.inbox.push(std::move(assignment));
}

std::optional<Report> ThreadWorkers::wait(std::chrono::milliseconds limit) {
    return reports_.pop_within(limit);
}

void ThreadWorkers::ask_to_stop(int worker) {
    desks_[at(worker)]->stop = true;
}

void ThreadWorkers::close() {
    for (const auto& desk : desks_) {
        desk->stop = true;
        desk->inbox.close();
    }
    for (auto& thread : threads_) {
        thread.join();
    }
    threads_.clear();
}

std::unique_ptr<TaskFarm> make_thread_farm(TaskFunctions functions, const FarmOptions& options) {
    check_workers(options);
    return std::make_unique<TaskFarm>(
        "threads", std::make_unique<ThreadWorkers>(std::move(functions), options.workers), options);
}

}  // namespace lockstep::runtime
