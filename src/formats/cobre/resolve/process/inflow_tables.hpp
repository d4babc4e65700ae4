#pragma once

#include "lockstep/sddp/process_data.hpp"

#include "formats/cobre/read/raw/case.hpp"
#include "formats/cobre/resolve/lookup.hpp"

namespace lockstep::formats::cobre {

/// Statistics, coefficients and annual components of the inflow model as the files give them.
void resolve_inflow_tables(const raw::Case& raw, const Resolver& resolver, sddp::ProcessData& out);
/// Regimes of the inflow, by node.
std::vector<sddp::NodeInflow> resolve_node_inflows(const raw::Case& raw,
                                                   const sddp::PolicyGraph& graph,
                                                   const Resolver& resolver);

}  // namespace lockstep::formats::cobre
