#pragma once

#include <vector>

#include "lockstep/formats/cobre/case.hpp"

#include "formats/cobre/read/raw/case.hpp"
#include "formats/cobre/resolve/hydro/geometry.hpp"
#include "formats/cobre/resolve/hydro/plant_energy.hpp"
#include "formats/cobre/resolve/lookup.hpp"

namespace lockstep::formats::cobre {

// From what the files say to what the engine takes. Every function reports all mistakes that it
// finds and returns something of the right shape, so that the next one can go on.

Config resolve_config(const raw::Config& config, Problems& problems);
sddp::Calendar resolve_calendar(const raw::Stages& stages, Problems& problems);

/// The nodes of a case and how they follow each other; empty where it has none.
sddp::PolicyGraph resolve_policy_graph(const raw::Stages& stages, const Resolver& resolver);
/// What enumerated passes need, and how many paths they take.
void resolve_enumeration(const sddp::PolicyGraph& graph, const Resolver& resolver, Config& config);

/// Checks the references of a stage calendar that was resolved.
void check_transitions(const raw::Stages& stages, const Resolver& resolver);

void resolve_buses(const raw::Case& raw, const Resolver& resolver, sddp::System& system);
void resolve_lines(const raw::Case& raw, const Resolver& resolver, sddp::System& system);
void resolve_thermals(const raw::Case& raw, const Resolver& resolver, sddp::System& system);
/// What thermal plants decide ahead. @pre resolve_thermals
void resolve_deliveries(const raw::Case& raw, const Resolver& resolver, sddp::System& system);
void resolve_sources(const raw::Case& raw, const Resolver& resolver, sddp::System& system);

/// Topology, bounds, costs, groups and initial storage.
void resolve_hydros(const raw::Case& raw, const Resolver& resolver, sddp::System& system);
void resolve_contracts(const raw::Case& raw, const Resolver& resolver, sddp::System& system);
void resolve_batteries(const raw::Case& raw, const Resolver& resolver, sddp::System& system);
/// @pre resolve_hydros
void resolve_pumping_stations(const raw::Case& raw, const Resolver& resolver, sddp::System& system);
/// Productivities and planes, which are fitted where the case asks for it: `facts` gets the fits.
/// @pre resolve_hydros
std::vector<PlantEnergy> resolve_production(const raw::Case& raw,
                                            const std::vector<ReservoirCurve>& curves,
                                            const Resolver& resolver,
                                            sddp::System& system,
                                            CaseFacts& facts);
/// The lines of all evaporating plants; those that are not 0 go into `system`.
/// @pre resolve_hydros
std::vector<EvaporationLine> resolve_evaporation(const raw::Case& raw,
                                                 const std::vector<ReservoirCurve>& curves,
                                                 const Resolver& resolver,
                                                 sddp::System& system);
/// The terms of every constraint by name; the constraints go into `system`.
/// @pre everything else of `system` is resolved
std::vector<NamedTerms> resolve_generic(const raw::Case& raw,
                                        const std::vector<PlantEnergy>& plants,
                                        const Resolver& resolver,
                                        sddp::System& system);

/// Moments of loads that training takes from ready-made scenarios go into `system`.
/// @pre `system` is resolved
sddp::ProcessData resolve_process(const raw::Case& raw,
                                  const Resolver& resolver,
                                  sddp::System& system);

/// Refuses by name every feature that this version does not model.
void refuse_unsupported(const raw::Case& raw, Problems& problems);

/// Warns of costs whose order lets the dispatch prefer a violation to its remedy.
void check_penalty_order(const raw::Case& raw, Problems& problems);

/// Warns of what a study hardly means to lack: loads, inflows of a plant.
void check_completeness(const raw::Case& raw, Problems& problems);

/// The references between entities, in the files that have no errors so far. Where others have, the
/// rest of the case is not resolved, but these mistakes should not wait; where none has, resolving
/// takes a reference that leads nowhere for one that was told of.
void check_references(const raw::Case& raw, Problems& problems);

}  // namespace lockstep::formats::cobre
