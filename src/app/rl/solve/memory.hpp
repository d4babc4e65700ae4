#pragma once

#include <cstdint>

#include "lockstep/formats/rl/environment_record.hpp"

#include "app/rl/solve/arrangement.hpp"
#include "app/rl/subject.hpp"

namespace lockstep::app {

/// What solving a process holds at once on a rank, about: values and bounds of all states, and rows
/// where they are kept. [bytes]
/// @param ranks  among which the rows are divided
std::int64_t memory_of_solving(const rl::RowFacts& facts,
                               const formats::rl::EnvironmentRecord& process,
                               const Arrangement& arrangement,
                               int ranks = 1);

/// What it holds at least, before its rows have been read. [bytes]
std::int64_t least_memory_of_solving(const Subject& subject);

}  // namespace lockstep::app
