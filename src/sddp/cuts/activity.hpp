#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/comm/communicator.hpp"

#include "sddp/cuts/cut_pool.hpp"

namespace lockstep::sddp {

/// Which cuts supported an optimum in an iteration: for each stage a bit a cut, a map a thread.
/// Union does not depend on order.
class Activity {
public:
    Activity(int stages, int threads);

    /// A stage begins, whose LPs may hold so many cuts; none has been active yet.
    void begin(int stage, int cuts);
    /// What a thread has seen at a stage.
    [[nodiscard]] std::span<std::uint64_t> of(int stage, int thread) noexcept;

    /// Marks in the pools what any thread of any rank saw as active in `iteration`. Collective.
    void exchange(std::span<CutPool> pools, int iteration, comm::Communicator& ranks);

private:
    struct Maps {
        std::size_t words = 0;            // of a thread
        std::vector<std::uint64_t> bits;  // [threads × words]
    };
    [[nodiscard]] std::vector<std::uint32_t> own_numbers(
        std::span<const std::uint32_t> first) const;

    int threads_;
    std::vector<Maps> stages_;
};

}  // namespace lockstep::sddp
