#include "lockstep/runtime/survival.hpp"

namespace lockstep::runtime {
namespace {

// Sections are few, steps many: one number orders both.
constexpr std::int64_t steps_of_section = std::int64_t{1} << 40;

Survival::Place lowest(comm::Communicator& ranks, const Survival::Place& mine) {
    const auto number =
        ranks.allreduce(mine.section * steps_of_section + mine.step, comm::ReduceOp::min);
    return {number / steps_of_section, number % steps_of_section};
}

}  // namespace

Survival::Place Survival::recover(comm::Communicator& ranks, const comm::PeerFailed& failure) {
    if (!told_ || !ranks.can_recover()) {
        throw failure;
    }
    std::string cause = failure.what();
    for (;;) {
        told_({ranks.recover(), cause, ranks.size()});
        try {
            return lowest(ranks, place_);
        } catch (const comm::PeerFailed& another) {
            cause = another.what();  // a survivor went away as well
        }
    }
}

}  // namespace lockstep::runtime
