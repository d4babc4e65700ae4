#pragma once

#include <cstdint>

#include "lockstep/runtime/team.hpp"

namespace lockstep::runtime {

/// Work in rounds of which a lost rank takes at most the one under way with it.
///
/// A round is pending until every rank has all of it; the exchange that confirms it makes it final.
/// Survivors of a lost rank meet at the lowest place among them: they do the pending round again,
/// or confirm it again.
class Rounds {
public:
    virtual ~Rounds() = default;
    Rounds() = default;
    Rounds(const Rounds&) = delete;
    Rounds& operator=(const Rounds&) = delete;

    /// A round begins: keep what drop() needs.
    virtual void begin(std::int64_t round) = 0;
    /// The round up to its last exchange; what it changes can be dropped. Collective.
    virtual void work() = 0;
    /// An exchange among all ranks that have the round; may come again. Collective.
    virtual void confirm() = 0;
    /// The pending round is final. Follows confirm(), once a round.
    virtual void commit() = 0;
    /// Whether no round follows; may be asked again after the same round. Collective.
    virtual bool is_over() = 0;
    /// Forgets the pending round.
    virtual void drop() = 0;
    /// The number of ranks has changed; nothing is pending but what confirm() may still make final.
    virtual void repartition() = 0;
};

/// Runs rounds until they are over, on whatever ranks survive. A section of team.survival.
/// @param done  number of the last round that is final already
/// Collective.
void run_rounds(Team& team, std::int64_t done, Rounds& rounds);

}  // namespace lockstep::runtime
