#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/rl/rows.hpp"
#include "lockstep/runtime/thread_team.hpp"

#include "rl/solve/sweeps/sweep.hpp"

namespace lockstep::rl {

/// Bounds that differ from values by multiples of a weight of each state, where they are proven:
/// equations (7) to (9).
struct WeightedBounds {
    bool is_proven = false;
    double low = 0;                    ///< lower bound = value - low·weight
    double high = 0;                   ///< upper bound = value + high·weight
    double half_width = 0;             ///< in the worst state
    std::vector<double> weight;        ///< [states] > 0
    std::vector<std::int32_t> choice;  ///< the policy that attains the lower bound, as jacobi_sweep
    std::int64_t sweeps = 0;           ///< that it took
};

/// Tries to prove bounds about v for gamma = 1, in a process where no policy idles or earns for
/// ever.
/// @param change  what a Jacobi sweep makes of v
/// @param budget  sweeps that it may take
WeightedBounds weighted_bounds(const RowSource& source,
                               const RowFacts& facts,
                               std::span<const double> v,
                               const Change& change,
                               std::int64_t budget,
                               runtime::ThreadTeam& team);

}  // namespace lockstep::rl
