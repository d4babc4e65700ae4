#include "runtime/farm/batch_run.hpp"

#include <algorithm>
#include <utility>

namespace lockstep::runtime {
namespace {

constexpr std::chrono::milliseconds slice{100};  // between questions whether to stop

}  // namespace

BatchRun::BatchRun(Dispatcher& dispatcher, const TaskBatch& batch, const FarmObserver& observer)
    : dispatcher_(dispatcher), batch_(batch), observer_(observer) {
    progress_.total = batch.count;
}

void BatchRun::run() {
    try {
        while (lowest_ < batch_.count) {
            advance();
        }
    } catch (...) {
        abandon();
        throw;
    }
}

void BatchRun::advance() {
    admit();
    dispatcher_.advance(slice);
    if (!is_cancelled_ && observer_.stop_requested && observer_.stop_requested()) {
        cancel_rest();
    }
    hand_over();
}

std::int64_t BatchRun::bound() const {
    return batch_.window > 0 ? std::min(batch_.count, lowest_ + batch_.window) : batch_.count;
}

void BatchRun::admit() {
    for (const auto end = bound(); next_ < end && !is_cancelled_; ++next_) {
        add(next_);
    }
}

void BatchRun::add(std::int64_t number) {
    Job job;
    job.number = number;
    job.function = batch_.function;
    job.cost = batch_.cost ? batch_.cost(number) : 0;
    job.priority = batch_.priority ? batch_.priority(number) : 0;
    job.policy = batch_.policy;
    job.input = [this, number] { return batch_.input(number); };
    job.on_end = [this, number](TaskResult&& result) {
        tickets_.erase(number);
        ready_.emplace(number, std::move(result));
    };
    tickets_[number] = dispatcher_.add(std::move(job));
}

void BatchRun::cancel_rest() {
    is_cancelled_ = true;
    for (; next_ < batch_.count; ++next_) {
        ready_.emplace(next_, TaskResult{next_, TaskStatus::cancelled, {}, "cancelled", 0, 0});
    }
    const auto under_way = tickets_;
    for (const auto& [number, ticket] : under_way) {
        dispatcher_.cancel(ticket);
    }
}

// An error is on its way out; nothing may call back into this object later.
void BatchRun::abandon() noexcept {
    try {
        is_cancelled_ = true;
        const auto under_way = tickets_;
        for (const auto& [number, ticket] : under_way) {
            dispatcher_.drop(ticket);
        }
        for (const auto& [number, ticket] : under_way) {
            while (dispatcher_.knows(ticket)) {
                dispatcher_.advance(slice);
            }
        }
    } catch (...) {  // the workers are gone: the first error says why
    }
}

void BatchRun::hand_over() {
    for (auto next = ready_.begin(); next != ready_.end(); next = ready_.begin()) {
        if (batch_.in_order && next->first != lowest_) {
            return;
        }
        auto result = std::move(next->second);
        ready_.erase(next);
        hand_over(std::move(result));
    }
}

void BatchRun::hand_over(TaskResult&& result) {
    ahead_.insert(result.number);
    while (ahead_.erase(lowest_) > 0) {
        ++lowest_;
    }
    ++(result.status == TaskStatus::done ? progress_.done : progress_.failed);
    const bool goes_on = !observer_.on_result || observer_.on_result(std::move(result));
    if (observer_.on_progress) {
        progress_.running = dispatcher_.running();
        progress_.seconds =
            std::chrono::duration<double>(Dispatcher::Clock::now() - start_).count();
        observer_.on_progress(progress_);
    }
    if (!goes_on && !is_cancelled_) {
        cancel_rest();
    }
}

}  // namespace lockstep::runtime
