#pragma once

#include "lockstep/rl/learn/options.hpp"
#include "lockstep/rl/learn/report.hpp"
#include "lockstep/rl/learn/world.hpp"
#include "lockstep/runtime/team.hpp"

namespace lockstep::rl {

/// Whether the ranks of a node hold the table once, if they have room for shared memory.
bool can_share_table(const LearnOptions& options) noexcept;

/// Learns action values from play.
///
/// In every mode but hogwild and server with staleness the table is the same bits for any number of
/// threads and ranks, on any backend, and after going on from a checkpoint.
/// @param resume_from  what on_checkpoint() was given, of the same world and options; nullptr:
///        from the start
/// @throws InputError  options; a checkpoint of something else
/// @throws CommError  a rank was lost and the others cannot go on
/// Collective.
LearnResult learn(const World& world,
                  const LearnOptions& options,
                  runtime::Team& team,
                  LearnObserver& observer,
                  const runtime::EngineState* resume_from = nullptr);

}  // namespace lockstep::rl
