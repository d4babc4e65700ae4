#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lockstep/base/bytes.hpp"

#include "sddp/cuts/cut_pool.hpp"
#include "sddp/stage/stage_solver.hpp"

namespace lockstep::sddp {

/// Where a simulation starts at a stage: what training's last forward pass ended with.
struct SimulationStart {
    std::vector<int> working_set;    ///< cuts, ascending
    std::vector<StoredBasis> bases;  ///< of the first trajectories
};

/// Trajectories whose bases a policy carries, at most: a deterministic problem has but one path,
/// and for others the calmest path is a better start than that of any trajectory.
inline constexpr int most_start_bases = 1;

void pack(const SimulationStart& start, ByteWriter& out);

/// @throws InputError  the bytes are not those of a start
SimulationStart unpack_simulation_start(std::span<const std::byte> bytes);

/// Whether the start is one of this stage LP and this pool: another choice of options makes other
/// LPs, and cuts may have been left out.
bool fits(const SimulationStart& start, const StageLp& stage, const CutPool& pool);

}  // namespace lockstep::sddp
