#pragma once

#include <cstdint>

#include "lockstep/rl/solve.hpp"

namespace lockstep::app {

/// Rows that are computed where they are needed are kept nevertheless up to this size.
constexpr auto most_bytes_of_usual_rows = std::int64_t{1} << 30;

/// How a process is solved. The process and the options alone decide it, so that results depend
/// neither on the number of ranks nor on the memory of a machine.
struct Arrangement {
    rl::SolveOptions options;
    bool keeps_rows = true;     ///< in memory where one rank works; else it computes them
    bool is_divisible = false;  ///< among ranks, each of which keeps the rows of its states
};

/// @param is_computed  whether rows need not be stored
Arrangement arrangement_of(const rl::SolveOptions& options,
                           const rl::RowFacts& facts,
                           int states,
                           bool is_computed);

}  // namespace lockstep::app
