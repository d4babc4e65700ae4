#include "lockstep/runtime/thread_team.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "lockstep/base/error.hpp"

namespace lockstep::runtime {
namespace {

thread_local bool is_in_body = false;

/// Runs bodies and keeps the exception of the lowest item, since none may leave an OpenMP region.
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
        if (exception_)
            std::rethrow_exception(exception_);
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

}  // namespace

namespace detail {

void parallel_for(int threads, std::ptrdiff_t count, Body body, void* context) {
    if (is_in_body)
        throw AssertionError("parallel_for was called from inside the body of another one");
    ExceptionCollector collector;
#ifdef _OPENMP
#pragma omp parallel num_threads(threads) if (threads > 1 && count > 1)
    {
        const int thread = omp_get_thread_num();
#pragma omp for schedule(dynamic, 1)
        for (std::ptrdiff_t item = 0; item < count; ++item)
            collector.run(item, [&] { body(context, item, thread); });
    }
#else
    static_cast<void>(threads);
    for (std::ptrdiff_t item = 0; item < count; ++item)
        collector.run(item, [&] { body(context, item, 0); });
#endif
    collector.rethrow();
}

}  // namespace detail

ThreadTeam::ThreadTeam(int threads) : threads_(threads) {
    if (threads < 1)
        throw InputError(fmt::format("threads is {}, must be 1 or more", threads));
}

BlockRange block_of(std::ptrdiff_t count, int rank, int size) {
    if (count < 0 || rank < 0 || rank >= size)
        throw AssertionError(
            fmt::format("block_of: no block {} of {} for {} items", rank, size, count));
    const std::ptrdiff_t shortest = count / size;
    const std::ptrdiff_t longer = count % size;
    const std::ptrdiff_t begin = rank * shortest + std::min<std::ptrdiff_t>(rank, longer);
    return {begin, begin + shortest + (rank < longer ? 1 : 0)};
}

}  // namespace lockstep::runtime
