#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "lockstep/base/waiting.hpp"

namespace lockstep::runtime {

/// Threads that wait for calls: they spin briefly, then sleep.
///
/// Whoever calls works too, as thread 0, and does not wait for a thread that has not woken in time
/// for an item. So a machine that is busy with something else delays a call by the items that its
/// threads hold, not by every thread.
class ThreadPool {
public:
    using Body = void (*)(void* context, std::ptrdiff_t item, int thread);

    /// Starts threads 1 to `threads` - 1.
    /// @throws std::system_error  the system allows no more threads
    explicit ThreadPool(int threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    /// body(context, item, thread) for items in [0, count), handed out one by one. The body does
    /// not throw.
    void run(std::ptrdiff_t count, Body body, void* context);
    /// body(context, thread, thread) on every thread, each on its own.
    void run_on_each(Body body, void* context);

private:
    struct Call {
        Body body = nullptr;
        void* context = nullptr;
        std::ptrdiff_t count = 0;
        bool is_on_each = false;
    };
    void open(const Call& call);
    void close();
    void wait_for_last();
    void work(int thread);
    void serve(int thread);
    [[nodiscard]] bool enter(std::uint32_t number);
    void leave();
    void shut_down();

    // Number of the latest call, whether it is closed, and how many threads are in it besides the
    // caller's, in one word: a thread enters the call that it was woken for or none.
    static constexpr std::uint64_t closed_bit = std::uint64_t{1} << 31;
    static constexpr std::uint64_t inside_mask = closed_bit - 1;

    Call call_;  // written while nobody is inside
    alignas(128) std::atomic<std::uint64_t> gate_ = closed_bit;
    alignas(128) Awaited calls_;  // idle threads wait for the next
    std::atomic<bool> is_ending_ = false;
    alignas(128) Awaited finished_;  // the latest call that the last thread has left
    alignas(128) std::atomic<std::ptrdiff_t> next_item_ = 0;
    alignas(128) std::atomic<std::uint32_t> still_to_come_ = 0;  // in a call on each thread
    alignas(128) std::vector<std::thread> threads_;              // last: they use all of the above
};

}  // namespace lockstep::runtime
