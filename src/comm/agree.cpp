#include <exception>

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

}  // namespace

void agree(Communicator& communicator, const std::function<void()>& body) {
    const std::exception_ptr own = exception_of(body);
    int first_failed = communicator.size();
    const std::exception_ptr reduction = exception_of([&] {
        first_failed =
            communicator.allreduce(own ? communicator.rank() : communicator.size(), ReduceOp::min);
    });
    // The own error says more than that the others could not be told of it.
    if (own)
        std::rethrow_exception(own);
    if (reduction)
        std::rethrow_exception(reduction);
    if (first_failed < communicator.size())
        throw CommError(
            fmt::format("rank {} failed, so rank {} stops as well; the cause is in the "
                        "message of rank {}",
                        first_failed,
                        communicator.rank(),
                        first_failed));
}

}  // namespace lockstep::comm
