#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lockstep/comm/communicator.hpp"

namespace lockstep::runtime {

/// Ranks that went away under way, and what the others were doing.
struct Loss {
    std::vector<int> ranks;  ///< as numbered before
    std::string cause;       ///< names rank, host and operation
    int survivors = 0;
};

/// How the survivors of a lost rank go on together.
///
/// A job is a row of sections, a section a row of steps; every rank notes the step that it has
/// reached before it enters the collective that ends the step. No rank can then be more than one
/// collective ahead of another, and the lowest place among the survivors is one to which all can
/// return: results do not depend on the number of ranks, so what is done again has the same bits.
class Survival {
public:
    struct Place {
        std::int64_t section = 0;
        std::int64_t step = 0;
        friend auto operator<=>(const Place&, const Place&) = default;
    };

    /// A lost rank ends the job.
    Survival() = default;
    /// Survivors go on where the backend lets them; `told` hears of every loss, on every survivor.
    explicit Survival(std::function<void(const Loss&)> told) : told_(std::move(told)) {}

    /// The next section begins, at step 0. Equal on all ranks.
    void enter() noexcept {
        ++place_.section;
        place_.step = 0;
    }
    void reach(std::int64_t step) noexcept { place_.step = step; }
    [[nodiscard]] const Place& place() const noexcept { return place_; }

    /// For the handler of a PeerFailed: makes the survivors a communicator and returns the lowest
    /// place that any of them has reached. Collective over the survivors.
    /// @throws PeerFailed  `failure` again, where nobody can or may go on
    Place recover(comm::Communicator& ranks, const comm::PeerFailed& failure);

private:
    std::function<void(const Loss&)> told_;
    Place place_;
};

/// Runs a section whose body may be done again from its start, until all survivors have done it.
/// Collective.
template <typename F>
void run_section(comm::Communicator& ranks, Survival& survival, F&& body) {
    survival.enter();
    for (;;) {
        try {
            survival.reach(0);
            body();
            survival.reach(1);
            ranks.barrier();
            return;
        } catch (const comm::PeerFailed& failure) {
            const auto done = Survival::Place{survival.place().section, 1};
            if (survival.recover(ranks, failure) >= done) {
                return;
            }
        }
    }
}

}  // namespace lockstep::runtime
