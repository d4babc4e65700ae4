#pragma once

#include <cstdint>

#include "lockstep/rl/learn/options.hpp"

namespace lockstep::rl {

/// The visits by which a worker's step sizes go.
///
/// A mean of workers takes one step where they have taken many between them, and is so much less
/// noisy: its steps go by the visits of one worker, rounded up. Steps that are composed follow one
/// another, as do those of one learner, and go by all visits.
class Ages {
public:
    Ages(Combine rule, int workers)
        : workers_(rule == Combine::composition || rule == Combine::sum
                       ? 1
                       : static_cast<std::uint32_t>(workers)) {}

    /// @param visits  of all workers
    [[nodiscard]] std::uint32_t of(std::uint32_t visits) const noexcept {
        return visits / workers_ + static_cast<std::uint32_t>(visits % workers_ != 0);
    }

private:
    std::uint32_t workers_;
};

}  // namespace lockstep::rl
