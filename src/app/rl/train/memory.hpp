#pragma once

#include <cstdint>

#include "lockstep/rl/learn/options.hpp"

namespace lockstep::app {

/// What a training holds at once on a rank, about: the table, the copies that threads play on, and
/// the result. [bytes]
std::int64_t memory_of_training(std::int64_t states,
                                std::int64_t actions,
                                const rl::LearnOptions& options,
                                int threads);

}  // namespace lockstep::app
