#pragma once

#include <string>
#include <vector>

#include "lockstep/comm/communicator.hpp"
#include "lockstep/lp/solver.hpp"

namespace lockstep::app {

// Where and when something ran: never part of a result.

/// The present in ISO 8601, UTC, to the second.
std::string utc_now();

/// Distinct host names, of the lowest rank first.
std::vector<std::string> host_names(const comm::Communicator& ranks);

/// "HiGHS 1.15.1" as this build knows it.
std::string solver_version(lp::SolverKind kind);

}  // namespace lockstep::app
