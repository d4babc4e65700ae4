#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

#include "lockstep/base/error.hpp"

namespace lockstep::runtime {

/// A bounded queue between threads, for pipelines: load → fit → sample → write. Any number of
/// threads push and pop; values come out in the order in which they went in.
///
/// What is inside weighs no more than the capacity, in whatever unit the weights are (items,
/// bytes). A value that is heavier than that alone goes in once the channel is empty. Who waits
/// sleeps.
///
/// All calls are thread-safe. The order in which waiting threads get on is not given: results must
/// not depend on who pops what. It ends in one of two ways: close() when there is no more work, and
/// fail() when a stage of the pipeline broke, so that no other stage waits for ever.
template <typename T>
class Channel {
public:
    /// @param capacity  >= 1
    /// @throws AssertionError  0
    explicit Channel(std::size_t capacity) : capacity_(capacity) {
        if (capacity == 0) {
            throw AssertionError("a channel with room for nothing");
        }
    }
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    /// Waits for room.
    /// @returns false, and drops the value, when the channel is closed
    /// @throws what fail() was given
    bool push(T value, std::size_t weight = 1) {
        std::unique_lock lock(mutex_);
        has_room_.wait(lock, [&] { return is_closed_ || fits(weight); });
        return put(std::move(value), weight);
    }

    /// As push(), but does not wait: a value for which there is no room stays with the caller.
    /// @returns whether it went in
    bool try_push(T& value, std::size_t weight = 1) {
        const std::lock_guard lock(mutex_);
        return (is_closed_ || fits(weight)) && put(std::move(value), weight);
    }

    /// Waits for a value.
    /// @returns nothing when the channel is closed and empty
    /// @throws what fail() was given
    std::optional<T> pop() {
        std::unique_lock lock(mutex_);
        has_value_.wait(lock, [&] { return is_closed_ || !queue_.empty(); });
        return take();
    }

    /// As pop(), at most for `limit`; 0 does not wait.
    /// @returns nothing when none has come either
    std::optional<T> pop_within(std::chrono::milliseconds limit) {
        std::unique_lock lock(mutex_);
        has_value_.wait_for(lock, limit, [&] { return is_closed_ || !queue_.empty(); });
        return take();
    }

    /// No value goes in any more; those inside come out.
    void close() noexcept {
        const std::lock_guard lock(mutex_);
        end();
    }

    /// Closes the channel and drops what is inside: all who push or pop, now or later, throw this.
    /// The first failure counts.
    void fail(std::exception_ptr failure) {
        const std::lock_guard lock(mutex_);
        if (!failure_) {
            failure_ = std::move(failure);
            queue_.clear();
            weight_ = 0;
        }
        end();
    }

    [[nodiscard]] bool is_closed() const {
        const std::lock_guard lock(mutex_);
        return is_closed_;
    }
    /// Of what is inside at this moment.
    [[nodiscard]] std::size_t weight() const {
        const std::lock_guard lock(mutex_);
        return weight_;
    }
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

private:
    struct Item {
        T value;
        std::size_t weight;
    };

    [[nodiscard]] bool fits(std::size_t weight) const {
        return queue_.empty() || weight <= capacity_ - std::min(weight_, capacity_);
    }
    bool put(T&& value, std::size_t weight) {
        if (failure_) {
            std::rethrow_exception(failure_);
        }
        if (is_closed_) {
            return false;
        }
        queue_.push_back({std::move(value), weight});
        weight_ += weight;
        has_value_.notify_one();
        return true;
    }
    std::optional<T> take() {
        if (failure_) {
            std::rethrow_exception(failure_);
        }
        if (queue_.empty()) {
            return {};
        }
        std::optional<T> value(std::move(queue_.front().value));
        weight_ -= queue_.front().weight;
        queue_.pop_front();
        has_room_.notify_all();  // one leaves, several light ones may fit
        return value;
    }
    void end() noexcept {
        is_closed_ = true;
        has_room_.notify_all();
        has_value_.notify_all();
    }

    const std::size_t capacity_;
    mutable std::mutex mutex_;
    std::condition_variable has_room_;
    std::condition_variable has_value_;
    std::deque<Item> queue_;
    std::size_t weight_ = 0;
    bool is_closed_ = false;
    std::exception_ptr failure_;
};

}  // namespace lockstep::runtime
