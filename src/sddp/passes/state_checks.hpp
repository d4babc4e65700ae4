#pragma once

#include <cstddef>
#include <span>

#include "lockstep/sddp/observer.hpp"

#include "sddp/cuts/cut_pool.hpp"
#include "sddp/model/model.hpp"
#include "sddp/stage/stage_solver.hpp"

namespace lockstep::sddp {

// What comes out of a file is believed only after these: bytes may be those that were written
// (their digest says so) and still not what this program would have written. All throw InputError:
// what was found and what is allowed.

/// Numbers of iterations, of trajectories of each, and of cuts that training can have made.
struct StateLimits {
    int iterations = 0;
    int trajectories = 0;
};

/// Cuts but for their slopes. Stages after which there is no cost have none.
void check_cuts(const CutPool& pool, const StateLimits& limits, bool is_last_stage);

/// Slopes as bytes of doubles.
void check_slopes(std::span<const std::byte> slopes);

/// A basis of a stage's LP with rows of some of `cuts` cuts; or none.
void check_basis(const StoredBasis& basis, const StageLp& stage, int cuts);

/// Iterations 1, 2, … of the problem, the last one `iteration`.
void check_history(std::span<const IterationReport> history, int iteration, const Model& model);

}  // namespace lockstep::sddp
