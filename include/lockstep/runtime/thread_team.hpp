#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "lockstep/base/index.hpp"

namespace lockstep::runtime {

/// CPUs that this process may use: the affinity mask, cut by the cgroup's CPU quota (rounded up),
/// at least 1.
int usable_cpus();

class ThreadPool;

/// The threads of this rank: the one that calls, and others that wait for it, first spinning
/// briefly, then asleep.
///
/// Items are handed out one by one (dynamic schedule), so which thread runs an item varies from run
/// to run: results go into slots by item, never by thread. A call returns as soon as all items are
/// done; it does not wait for threads that had no part in them. Not thread-safe: one call at a
/// time.
class ThreadTeam {
public:
    /// Starts the threads, which end with the team.
    /// @param threads  >= 1
    /// @throws InputError  less than 1, or more than the system allows
    explicit ThreadTeam(int threads);
    ~ThreadTeam();
    ThreadTeam(ThreadTeam&& other) noexcept;
    ThreadTeam& operator=(ThreadTeam&& other) noexcept;

    [[nodiscard]] int size() const noexcept { return threads_; }

    /// body(item, thread) for every item in [0, count), each once. All items run even if some
    /// throw; then the exception of the lowest item is rethrown.
    /// @throws AssertionError  called from inside a body
    template <typename F>
    void parallel_for(std::ptrdiff_t count, F&& body) {
        run(
            count,
            [](void* context, std::ptrdiff_t item, int thread) {
                (*static_cast<std::remove_reference_t<F>*>(context))(item, thread);
            },
            const_cast<void*>(static_cast<const void*>(&body)));
    }

    /// body(thread) once on every thread of the team. The exception of the lowest thread is
    /// rethrown once all are done.
    /// @throws AssertionError  called from inside a body
    template <typename F>
    void on_each_thread(F&& body) {
        run_on_each(
            [](void* context, std::ptrdiff_t, int thread) {
                (*static_cast<std::remove_reference_t<F>*>(context))(thread);
            },
            const_cast<void*>(static_cast<const void*>(&body)));
    }

    /// fold(fold(start, body(0)), body(1)) …: bodies in parallel, fold in item order on the calling
    /// thread.
    template <typename T, typename F, typename G>
    T ordered_reduce(std::ptrdiff_t count, T start, F&& body, G&& fold) {
        struct Slot {  // an object of its own even where T is bool
            T value;
        };
        std::vector<Slot> slots(static_cast<std::size_t>(count), Slot{start});
        parallel_for(count, [&](std::ptrdiff_t item, int thread) {
            slots[at(item)].value = body(item, thread);
        });
        for (auto& slot : slots) {
            start = fold(std::move(start), std::move(slot.value));
        }
        return start;
    }

private:
    using Body = void (*)(void* context, std::ptrdiff_t item, int thread);
    void run(std::ptrdiff_t count, Body body, void* context);
    void run_on_each(Body body, void* context);

    int threads_;
    std::unique_ptr<ThreadPool> pool_;
};

/// One object a thread, each on cache lines of its own and built by its own thread.
template <typename T>
class PerThread {
public:
    /// make(thread) is called on each thread of `team`.
    template <typename F>
    PerThread(ThreadTeam& team, F&& make);

    T& operator[](int thread) noexcept { return *slots_[at(thread)].object; }
    const T& operator[](int thread) const noexcept { return *slots_[at(thread)].object; }
    [[nodiscard]] int size() const noexcept { return static_cast<int>(slots_.size()); }

private:
    struct alignas(128) Slot {
        std::unique_ptr<T> object;
    };
    std::vector<Slot> slots_;
};

template <typename T>
template <typename F>
PerThread<T>::PerThread(ThreadTeam& team, F&& make)
    : slots_(static_cast<std::size_t>(team.size())) {
    team.on_each_thread(
        [&](int thread) { slots_[at(thread)].object = std::make_unique<T>(make(thread)); });
}

/// Contiguous block of `rank` when `count` items are split over `size` ranks: sizes differ by at
/// most one, the first blocks are the longer ones. Legal for fewer items than ranks: blocks may be
/// empty.
struct BlockRange {
    std::ptrdiff_t begin = 0;
    std::ptrdiff_t end = 0;
    [[nodiscard]] std::ptrdiff_t size() const noexcept { return end - begin; }
};
/// @throws AssertionError  count < 0 or rank outside [0, size)
BlockRange block_of(std::ptrdiff_t count, int rank, int size);

}  // namespace lockstep::runtime
