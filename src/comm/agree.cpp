#include <array>
#include <exception>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/comm/communicator.hpp"

namespace lockstep::comm {
namespace {

std::exception_ptr exception_of(const std::function<void()>& body) {
    try {
        body();
    } catch (...) {
        return std::current_exception();
    }
    return {};
}

/// What one rank's failure means for the others.
struct Reason {
    std::int64_t exit_code = 70;
    std::string message = "unknown error";
};

Reason reason_of(const std::exception_ptr& exception) {
    if (!exception) {
        return {};
    }
    try {
        std::rethrow_exception(exception);
    } catch (const Error& error) {
        return {error.exit_code(), error.what()};
    } catch (const std::bad_alloc&) {
        return {71, "not enough memory"};
    } catch (const std::exception& error) {
        return {70, error.what()};
    } catch (...) {
        return {};
    }
}

Reason broadcast(Communicator& communicator, Reason reason, int root) {
    std::array<std::int64_t, 2> numbers{reason.exit_code,
                                        static_cast<std::int64_t>(reason.message.size())};
    communicator.broadcast(std::span<std::int64_t>(numbers), root);
    reason.message.resize(static_cast<std::size_t>(numbers[1]));
    communicator.broadcast(std::span<char>(reason.message), root);
    return {numbers[0], std::move(reason.message)};
}

/// What ranks exchange at the end of an agreement.
struct Outcome {
    int failed = 0;  // the lowest rank that failed; none: the number of ranks
    std::int64_t lowest = 0;
    Reason reason;
};

Outcome share(Communicator& communicator, const std::exception_ptr& own, std::int64_t number) {
    std::array<std::int64_t, 2> numbers{own ? communicator.rank() : communicator.size(), number};
    communicator.allreduce(std::span<std::int64_t>(numbers), ReduceOp::min);
    Outcome outcome{static_cast<int>(numbers[0]), numbers[1], {}};
    if (outcome.failed < communicator.size()) {
        outcome.reason = broadcast(communicator, reason_of(own), outcome.failed);
    }
    return outcome;
}

}  // namespace

std::int64_t agree_on_lowest(Communicator& communicator,
                             const std::function<std::int64_t()>& body) {
    std::int64_t number = std::numeric_limits<std::int64_t>::max();
    const std::exception_ptr own = exception_of([&] { number = body(); });
    Outcome outcome;
    const std::exception_ptr exchange =
        exception_of([&] { outcome = share(communicator, own, number); });
    // The own error says more than that the others could not be told of it.
    if (own) {
        std::rethrow_exception(own);
    }
    if (exchange) {
        std::rethrow_exception(exchange);
    }
    if (outcome.failed < communicator.size()) {
        throw Error(fmt::format("rank {}: {}", outcome.failed, outcome.reason.message),
                    static_cast<int>(outcome.reason.exit_code));
    }
    return outcome.lowest;
}

void agree(Communicator& communicator, const std::function<void()>& body) {
    agree_on_lowest(communicator, [&] {
        body();
        return std::int64_t{0};
    });
}

bool is_equal_on_all(Communicator& communicator, const Digest& digest) {
    auto lowest = digest;
    auto highest = digest;
    communicator.allreduce(std::span<std::uint64_t>(lowest), ReduceOp::min);
    communicator.allreduce(std::span<std::uint64_t>(highest), ReduceOp::max);
    return lowest == highest;
}

}  // namespace lockstep::comm
