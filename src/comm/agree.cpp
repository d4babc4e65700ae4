#include <array>
#include <exception>
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
    if (!exception)
        return {};
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

// The lowest rank that failed and why; collective.
Reason first_reason(Communicator& communicator, const std::exception_ptr& own, int& rank) {
    rank = communicator.allreduce(own ? communicator.rank() : communicator.size(), ReduceOp::min);
    if (rank == communicator.size())
        return {};
    return broadcast(communicator, reason_of(own), rank);
}

}  // namespace

void agree(Communicator& communicator, const std::function<void()>& body) {
    const std::exception_ptr own = exception_of(body);
    int rank = 0;
    Reason reason;
    const std::exception_ptr exchange =
        exception_of([&] { reason = first_reason(communicator, own, rank); });
    // The own error says more than that the others could not be told of it.
    if (own)
        std::rethrow_exception(own);
    if (exchange)
        std::rethrow_exception(exchange);
    if (rank < communicator.size())
        throw Error(fmt::format("rank {}: {}", rank, reason.message),
                    static_cast<int>(reason.exit_code));
}

bool is_equal_on_all(Communicator& communicator, const Digest& digest) {
    auto lowest = digest;
    auto highest = digest;
    communicator.allreduce(std::span<std::uint64_t>(lowest), ReduceOp::min);
    communicator.allreduce(std::span<std::uint64_t>(highest), ReduceOp::max);
    return lowest == highest;
}

}  // namespace lockstep::comm
