#include "lockstep/runtime/thread_team.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <mutex>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

#include "runtime/forked.hpp"
#include "runtime/thread_pool.hpp"

namespace lockstep::runtime {
namespace {

thread_local bool is_in_body = false;

/// Runs bodies and keeps the exception of the lowest item, since none may leave a thread.
class ExceptionCollector {
public:
    template <typename F>
    void run(std::ptrdiff_t item, F&& body) noexcept {
        is_in_body = true;
        try {
            body();
        } catch (...) {
            keep(item, std::current_exception());
        }
        is_in_body = false;
    }

    void rethrow() const {
        if (exception_) {
            std::rethrow_exception(exception_);
        }
    }

private:
    void keep(std::ptrdiff_t item, std::exception_ptr exception) {
        const std::lock_guard lock(mutex_);
        if (item < item_) {
            item_ = item;
            exception_ = std::move(exception);
        }
    }
    std::mutex mutex_;
    std::ptrdiff_t item_ = std::numeric_limits<std::ptrdiff_t>::max();
    std::exception_ptr exception_;
};

/// A body whose exceptions are collected, as the pool calls it.
template <typename Body>
struct Guarded {
    Body body;
    void* context;
    ExceptionCollector exceptions = {};

    static void call(void* self, std::ptrdiff_t item, int thread) noexcept {
        auto& guarded = *static_cast<Guarded*>(self);
        guarded.exceptions.run(item, [&] { guarded.body(guarded.context, item, thread); });
    }
};

std::unique_ptr<ThreadPool> start(int threads) {
    try {
        return std::make_unique<ThreadPool>(threads);
    } catch (const std::system_error& error) {
        throw InputError(
            fmt::format("threads is {}, more than the system allows: {}", threads, error.what()));
    }
}

void refuse_nesting() {
    if (is_in_body) {
        throw AssertionError("parallel_for was called from inside the body of another one");
    }
}

}  // namespace

ThreadTeam::ThreadTeam(int threads) : threads_(threads) {
    if (threads < 1) {
        throw InputError(fmt::format("threads is {}, must be 1 or more", threads));
    }
    require_unforked();
    pool_ = start(threads);
}

ThreadTeam::~ThreadTeam() = default;
ThreadTeam::ThreadTeam(ThreadTeam&& other) noexcept = default;
ThreadTeam& ThreadTeam::operator=(ThreadTeam&& other) noexcept = default;

void ThreadTeam::run(std::ptrdiff_t count, Body body, void* context) {
    refuse_nesting();
    Guarded<Body> guarded{body, context};
    if (threads_ == 1 || count == 1) {
        for (std::ptrdiff_t item = 0; item < count; ++item) {
            guarded.call(&guarded, item, 0);
        }
    } else if (count > 0) {
        require_unforked();
        pool_->run(count, &Guarded<Body>::call, &guarded);
    }
    guarded.exceptions.rethrow();
}

void ThreadTeam::run_on_each(Body body, void* context) {
    refuse_nesting();
    Guarded<Body> guarded{body, context};
    pool_->run_on_each(&Guarded<Body>::call, &guarded);
    guarded.exceptions.rethrow();
}

BlockRange block_of(std::ptrdiff_t count, int rank, int size) {
    if (count < 0 || rank < 0 || rank >= size) {
        throw AssertionError(
            fmt::format("block_of: no block {} of {} for {} items", rank, size, count));
    }
    const std::ptrdiff_t shortest = count / size;
    const std::ptrdiff_t longer = count % size;
    const std::ptrdiff_t begin = rank * shortest + std::min<std::ptrdiff_t>(rank, longer);
    return {begin, begin + shortest + (rank < longer ? 1 : 0)};
}

}  // namespace lockstep::runtime
