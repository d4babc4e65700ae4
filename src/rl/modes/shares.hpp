#pragma once

#include <cstdint>

namespace lockstep::rl {

/// Of `total` transitions, those of a worker: even, the first workers get what is left over.
constexpr std::int64_t share_of(std::int64_t total, std::int64_t worker, std::int64_t workers) {
    return total / workers + static_cast<std::int64_t>(worker < total % workers);
}

}  // namespace lockstep::rl
