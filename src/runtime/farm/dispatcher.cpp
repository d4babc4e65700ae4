#include "runtime/farm/dispatcher.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

namespace lockstep::runtime {
namespace {

using std::chrono::milliseconds;

double seconds_since(Dispatcher::Clock::time_point start) {
    return std::chrono::duration<double>(Dispatcher::Clock::now() - start).count();
}

TaskStatus status_of(const Report& report, bool is_late, bool is_cancelled, bool has_limit) {
    if (report.kind == Report::Kind::done) {
        return TaskStatus::done;
    }
    if (is_late || (report.kind == Report::Kind::stopped && !is_cancelled && has_limit)) {
        return TaskStatus::timed_out;
    }
    if (is_cancelled) {
        return TaskStatus::cancelled;
    }
    return report.kind == Report::Kind::crashed ? TaskStatus::crashed : TaskStatus::failed;
}

}  // namespace

Dispatcher::Dispatcher(std::unique_ptr<Workers> workers, milliseconds grace)
    : workers_(std::move(workers)), grace_(grace) {}

int Dispatcher::living_workers() const {
    int living = 0;
    for (int worker = 0; worker < workers_->size(); ++worker) {
        living += workers_->is_alive(worker) ? 1 : 0;
    }
    return living;
}

Dispatcher::Place Dispatcher::place_of(const Job& job, std::int64_t ticket) {
    return {-job.priority, -job.cost, ticket};
}

std::int64_t Dispatcher::add(Job job) {
    if (is_closed_) {
        throw AssertionError("a task for a farm that was shut down");
    }
    if (!workers_->has_function(job.function)) {
        throw InputError(fmt::format("the farm knows no function \"{}\"", job.function));
    }
    const auto ticket = next_ticket_++;
    queue_.insert(place_of(job, ticket));
    jobs_.emplace(ticket, Entry{std::move(job)});
    return ticket;
}

void Dispatcher::advance(milliseconds limit) {
    serve_idle_workers();
    if (running_.empty()) {
        return;
    }
    if (auto report = workers_->wait(until_next_deadline(limit))) {
        receive(std::move(*report));
    }
    keep_time();
    serve_idle_workers();
}

void Dispatcher::serve_idle_workers() {
    for (int worker = 0; worker < workers_->size() && !queue_.empty(); ++worker) {
        if (!running_.contains(worker) && workers_->is_alive(worker)) {
            begin(worker, std::get<std::int64_t>(*queue_.begin()));
        }
    }
    if (!queue_.empty() && running_.empty() && living_workers() == 0) {
        throw CommError("task farm: no worker is left");
    }
}

void Dispatcher::begin(int worker, std::int64_t ticket) {
    auto& entry = jobs_.at(ticket);
    Assignment assignment{ticket,
                          entry.job.number,
                          entry.job.policy.time_limit,
                          entry.job.function,
                          entry.job.input()};
    workers_->start(worker, std::move(assignment));
    queue_.erase(place_of(entry.job, ticket));
    ++entry.attempts;
    running_[worker] = {ticket, Clock::now(), workers_->has_begun(worker), {}, false, false};
}

void Dispatcher::ask_to_stop(int worker, Attempt& attempt) {
    if (!attempt.stop_asked) {
        attempt.stop_asked = Clock::now();
        workers_->ask_to_stop(worker);
    }
}

// Where tasks wait for a worker of their own, that does not count.
void Dispatcher::note_begin(int worker, Attempt& attempt) const {
    if (!attempt.has_begun && workers_->has_begun(worker)) {
        attempt.has_begun = true;
        attempt.start = Clock::now();
    }
}

// Of those whose time is up, and those who do not stop though they were asked.
void Dispatcher::keep_time() {
    const auto now = Clock::now();
    for (auto& [worker, attempt] : running_) {
        note_begin(worker, attempt);
        const auto limit = jobs_.at(attempt.ticket).job.policy.time_limit;
        if (limit.count() > 0 && attempt.has_begun && now >= attempt.start + limit) {
            attempt.is_late = true;
            ask_to_stop(worker, attempt);
        }
        if (attempt.stop_asked && !attempt.is_killed && now >= *attempt.stop_asked + grace_) {
            attempt.is_killed = true;
            workers_->kill(worker);
        }
    }
}

milliseconds Dispatcher::until_next_deadline(milliseconds limit) const {
    auto end = Clock::now() + limit;
    for (const auto& [worker, attempt] : running_) {
        const auto time_limit = jobs_.at(attempt.ticket).job.policy.time_limit;
        if (time_limit.count() > 0 && attempt.has_begun && !attempt.is_late) {
            end = std::min<Clock::time_point>(end, attempt.start + time_limit);
        }
        if (attempt.stop_asked && !attempt.is_killed) {
            end = std::min<Clock::time_point>(end, *attempt.stop_asked + grace_);
        }
    }
    return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(end - Clock::now()));
}

void Dispatcher::receive(Report&& report) {
    const auto attempt = running_.at(report.worker);
    running_.erase(report.worker);
    auto& entry = jobs_.at(attempt.ticket);
    const auto status = status_of(
        report, attempt.is_late, entry.is_cancelled, entry.job.policy.time_limit.count() > 0);
    if (!entry.is_cancelled && may_retry(entry, status)) {
        queue_.insert(place_of(entry.job, attempt.ticket));
    } else {
        end(attempt.ticket, status, std::move(report), seconds_since(attempt.start));
    }
}

bool Dispatcher::may_retry(Entry& entry, TaskStatus status) const {
    const auto& policy = entry.job.policy;
    switch (status) {
        case TaskStatus::failed:
            return entry.failed++ < policy.retries_of_failed;
        case TaskStatus::crashed:
            return entry.crashed++ < policy.retries_of_crashed;
        case TaskStatus::timed_out:
            return entry.timed_out++ < policy.retries_of_timed_out;
        default:
            return false;
    }
}

void Dispatcher::end(std::int64_t ticket, TaskStatus status, Report&& report, double seconds) {
    const auto entry = jobs_.extract(ticket);
    const auto& job = entry.mapped().job;
    TaskResult result{job.number,
                      status,
                      std::move(report.output),
                      std::move(report.error),
                      entry.mapped().attempts,
                      seconds};
    if (job.on_end) {
        job.on_end(std::move(result));
    } else {
        ended_.emplace(ticket, std::move(result));
    }
}

TaskResult Dispatcher::take(std::int64_t ticket) {
    const auto found = ended_.find(ticket);
    if (found == ended_.end()) {
        throw AssertionError("the result of a task that was taken before");
    }
    auto result = std::move(found->second);
    ended_.erase(found);
    return result;
}

void Dispatcher::cancel(std::int64_t ticket) {
    const auto found = jobs_.find(ticket);
    if (found == jobs_.end() || found->second.is_cancelled) {
        return;
    }
    found->second.is_cancelled = true;
    if (queue_.erase(place_of(found->second.job, ticket)) > 0) {
        Report report;
        report.error = "cancelled";
        return end(ticket, TaskStatus::cancelled, std::move(report), 0);
    }
    for (auto& [worker, attempt] : running_) {
        if (attempt.ticket == ticket) {
            ask_to_stop(worker, attempt);
        }
    }
}

void Dispatcher::drop(std::int64_t ticket) {
    if (const auto found = jobs_.find(ticket); found != jobs_.end()) {
        found->second.job.on_end = [](TaskResult&&) {};
        cancel(ticket);
    }
}

void Dispatcher::cancel_all() {
    std::vector<std::int64_t> tickets;
    for (const auto& [ticket, entry] : jobs_) {
        tickets.push_back(ticket);
    }
    for (const auto ticket : tickets) {
        cancel(ticket);
    }
}

void Dispatcher::close() {
    if (!std::exchange(is_closed_, true)) {
        workers_->close();
    }
}

}  // namespace lockstep::runtime
