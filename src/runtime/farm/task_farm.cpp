#include "lockstep/runtime/task_farm.hpp"

#include <utility>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "runtime/farm/batch_run.hpp"
#include "runtime/farm/dispatcher.hpp"

namespace lockstep::runtime {
namespace {

constexpr std::chrono::milliseconds slice{100};

}  // namespace

std::string_view to_string(TaskStatus status) noexcept {
    switch (status) {
        case TaskStatus::done:
            return "done";
        case TaskStatus::failed:
            return "failed";
        case TaskStatus::crashed:
            return "crashed";
        case TaskStatus::timed_out:
            return "timed out";
        default:
            return "cancelled";
    }
}

TaskResult TaskFuture::get() {
    while (!wait_for(slice)) {
    }
    return dispatcher_->take(ticket_);
}

bool TaskFuture::wait_for(std::chrono::milliseconds limit) {
    if (!dispatcher_->knows(ticket_)) {
        throw AssertionError("the result of a task that was taken before");
    }
    const auto end = Dispatcher::Clock::now() + limit;
    auto left = limit;
    do {
        if (dispatcher_->has_ended(ticket_)) {
            return true;
        }
        dispatcher_->advance(left);
        left = std::chrono::ceil<std::chrono::milliseconds>(end - Dispatcher::Clock::now());
    } while (left.count() > 0);
    return dispatcher_->has_ended(ticket_);
}

void TaskFuture::cancel() {
    dispatcher_->cancel(ticket_);
}

TaskFarm::TaskFarm(std::string_view backend,
                   std::unique_ptr<Workers> workers,
                   const FarmOptions& options)
    : backend_(backend),
      dispatcher_(std::make_unique<Dispatcher>(std::move(workers), options.grace)) {}

TaskFarm::~TaskFarm() {
    try {
        shutdown(Wait::no);
    } catch (const std::exception&) {  // workers that are gone need no end
    }
}

int TaskFarm::workers() const {
    return dispatcher_->living_workers();
}

void TaskFarm::run(const TaskBatch& batch, const FarmObserver& observer) {
    BatchRun(*dispatcher_, batch, observer).run();
}

std::vector<TaskResult> TaskFarm::map(const TaskBatch& batch) {
    std::vector<TaskResult> results(static_cast<std::size_t>(batch.count));
    FarmObserver observer;
    observer.on_result = [&](TaskResult&& result) {
        results[at(result.number)] = std::move(result);
        return true;
    };
    run(batch, observer);
    return results;
}

TaskFuture TaskFarm::submit(TaskRequest request) {
    Job job;
    job.number = submitted_;
    job.function = std::move(request.function);
    job.cost = request.cost;
    job.priority = request.priority;
    job.policy = request.policy;
    job.input = [input = std::move(request.input)] { return input; };
    const auto ticket = dispatcher_->add(std::move(job));
    ++submitted_;
    dispatcher_->serve_idle_workers();
    return {*dispatcher_, ticket};
}

void TaskFarm::shutdown(Wait wait) {
    if (dispatcher_->is_closed()) {
        return;
    }
    if (wait == Wait::no) {
        dispatcher_->cancel_all();
    }
    while (!dispatcher_->is_idle()) {
        dispatcher_->advance(slice);
    }
    dispatcher_->close();
}

}  // namespace lockstep::runtime
