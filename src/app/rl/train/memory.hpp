#pragma once

#include <cstdint>
#include <string>

#include "lockstep/rl/learn/options.hpp"

namespace lockstep::app {

/// What a training holds at once on a rank, about: the table, the copies that threads play on, and
/// the result. [bytes]
std::int64_t memory_of_training(std::int64_t states,
                                std::int64_t actions,
                                const rl::LearnOptions& options,
                                int threads);

/// Refuses what cannot fit before it is begun.
/// @param name  of the environment
/// @param machine  memory there is; 0: not known
/// @throws InputError  more than the machine has, and what to do
void require_memory(const std::string& name, std::int64_t bytes, std::int64_t machine);

/// Memory of this machine, 0 where it does not say. [bytes]
std::int64_t memory_of_machine();

}  // namespace lockstep::app
