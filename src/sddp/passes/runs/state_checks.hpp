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

/// Cuts of so many iterations, those that training began with included, but for their slopes.
/// Stages after which there is no cost have none.
void check_cuts(const CutPool& pool, int iterations, bool is_last_stage);

/// Of which outcomes cuts are: of those that the LP tells apart, or of all together.
void check_outcomes(const CutPool& pool, const StageLp& stage);

/// Slopes as bytes of doubles.
void check_slopes(std::span<const std::byte> slopes);

/// A basis of a stage's LP with rows of some of `cuts` cuts; or none.
void check_basis(const StoredBasis& basis, const StageLp& stage, int cuts);

/// Bounds of the iterations before a training, fewer than `iteration`.
void check_earlier(std::span<const double> bounds, int iteration);

/// The iterations after the `earlier` ones, of the problem, the last one `iteration`.
void check_history(std::span<const IterationReport> history,
                   int earlier,
                   int iteration,
                   const Model& model);

}  // namespace lockstep::sddp
