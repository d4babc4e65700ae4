#pragma once

#include <optional>

#include "lockstep/runtime/sample_statistics.hpp"

#include "sddp/passes/engine.hpp"
#include "sddp/passes/trajectories.hpp"

namespace lockstep::sddp {

/// What the present policy costs, estimated from paths that are drawn by the weights of the risk
/// measures (docs/sddp-theory.md, section 6).
///
/// Along a path all outcomes that may follow are solved at each state. What their measure exceeds
/// the future cost by that the LP before took is where the cuts are wrong: summed over the path,
/// and added to the bound of the cuts, it has the expectation of the path's cost, but no spread
/// where the cuts are right. Without risk it is an unbiased estimate of the expected cost, thus an
/// upper bound up to its interval; under a risk measure it is one of the cost under the weights
/// that the cuts give, which does not exceed that of the policy.
/// @param paths     >= 1
/// @param estimate  out: mean, deviation and interval [$]
/// @return  a stage LP without an answer, if any; `estimate` then says nothing
/// @pre  require_fit(engine.model, …)
/// Collective.
/// @par Source  importance sampling of risk measures: [KozmikMorton2015]; the control variate:
/// [HendersonGlynn2002]
std::optional<Failure> estimate_policy_cost(Engine& engine,
                                            int iteration,
                                            int paths,
                                            Trajectories& trajectories,
                                            runtime::Sample& estimate);

}  // namespace lockstep::sddp
