#include "runtime/thread_pool.hpp"

#include "runtime/forked.hpp"

namespace lockstep::runtime {

ThreadPool::ThreadPool(int threads) {
    if (threads > 1) {
        note_threads();
    }
    try {
        for (int thread = 1; thread < threads; ++thread) {
            threads_.emplace_back([this, thread] { serve(thread); });
        }
    } catch (...) {
        shut_down();
        throw;
    }
}

ThreadPool::~ThreadPool() {
    shut_down();
}

void ThreadPool::shut_down() {
    is_ending_ = true;
    calls_.set(calls_.value() + 1);
    for (auto& thread : threads_) {
        thread.join();
    }
}

void ThreadPool::run(std::ptrdiff_t count, Body body, void* context) {
    open({body, context, count, false});
    work(0);
    close();
}

// Whoever comes last finishes the call, so that it is closed with nobody to come.
void ThreadPool::run_on_each(Body body, void* context) {
    if (threads_.empty()) {
        return body(context, 0, 0);
    }
    still_to_come_ = static_cast<std::uint32_t>(threads_.size());
    open({body, context, 0, true});
    body(context, 0, 0);
    wait_for_last();
}

void ThreadPool::open(const Call& call) {
    call_ = call;
    next_item_.store(0, std::memory_order_relaxed);
    const auto number = calls_.value() + 1;
    gate_.store(std::uint64_t{number} << 32, std::memory_order_release);
    calls_.set(number);
}

void ThreadPool::close() {
    if ((gate_.fetch_or(closed_bit, std::memory_order_acq_rel) & inside_mask) != 0) {
        wait_for_last();
    }
}

void ThreadPool::wait_for_last() {
    const auto number = calls_.value();
    for (auto seen = finished_.value(); seen != number;) {
        seen = finished_.wait_while(seen);
    }
}

void ThreadPool::work(int thread) {
    for (auto item = next_item_.fetch_add(1); item < call_.count; item = next_item_.fetch_add(1)) {
        call_.body(call_.context, item, thread);
    }
}

void ThreadPool::serve(int thread) {
    std::uint32_t call = 0;
    for (;;) {
        call = calls_.wait_while(call);
        if (is_ending_) {
            return;
        }
        if (!enter(call)) {
            continue;
        }
        if (call_.is_on_each) {
            call_.body(call_.context, thread, thread);
        } else {
            work(thread);
        }
        leave();
    }
}

bool ThreadPool::enter(std::uint32_t number) {
    auto gate = gate_.load(std::memory_order_acquire);
    while (gate >> 32 == number && (gate & closed_bit) == 0) {
        if (gate_.compare_exchange_weak(gate, gate + 1, std::memory_order_acq_rel)) {
            return true;
        }
    }
    return false;
}

void ThreadPool::leave() {
    if (call_.is_on_each && --still_to_come_ == 0) {
        gate_.fetch_or(closed_bit, std::memory_order_acq_rel);
    }
    const auto gate = gate_.fetch_sub(1, std::memory_order_acq_rel);
    if ((gate & closed_bit) != 0 && (gate & inside_mask) == 1) {
        finished_.set(static_cast<std::uint32_t>(gate >> 32));
    }
}

}  // namespace lockstep::runtime
