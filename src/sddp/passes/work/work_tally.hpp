#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/comm/communicator.hpp"
#include "lockstep/sddp/work.hpp"

namespace lockstep::sddp {

/// Work of an iteration by stage, and by opening in the backward pass: a place for each, a set of
/// places for each thread. Sums do not depend on who did what.
class WorkTally {
public:
    /// @param openings   [stages]
    /// @param is_cyclic  whether the backward pass comes to the first stage, too
    WorkTally(std::span<const int> openings, bool is_cyclic, int threads);

    void add_forward(int thread, int stage, const PhaseReport& work) noexcept {
        add(threads_[at(thread)], static_cast<std::size_t>(stage), work);
    }
    /// @param stage  not the first, unless in a circle
    void add_backward(int thread, int stage, int opening, const PhaseReport& work) noexcept {
        add(threads_[at(thread)], first_[at(stage)] + static_cast<std::size_t>(opening), work);
    }

    /// All work since the last call, at whatever place.
    PhaseReport take_total();
    /// An iteration begins.
    void clear();
    /// Counts of all ranks, times of this one. Collective.
    [[nodiscard]] WorkTable exchange(comm::Communicator& ranks) const;

private:
    struct alignas(64) Thread {
        std::vector<PhaseReport> work;  // [places]
        PhaseReport total;
    };
    static void add(Thread& thread, std::size_t place, const PhaseReport& work) noexcept;
    [[nodiscard]] PhaseReport own(std::size_t place) const;

    std::vector<WorkRow> places_;     // in row order, without work
    std::vector<std::size_t> first_;  // [stages], place of the first opening
    std::vector<Thread> threads_;
};

}  // namespace lockstep::sddp
