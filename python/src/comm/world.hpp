#pragma once

#include <memory>
#include <string_view>

#include "lockstep/comm/communicator.hpp"

namespace lockstep::python {

/// The ranks that this process was started among, or itself alone.
///
/// A process meets its ranks once: transports whose names and ports are of one launch cannot be
/// joined again, so all calls use one communicator until the process ends. Alone, each call has one
/// of its own, so that threads need not wait for each other.
/// @param backend  as comm::choose_backend takes it
/// @throws as comm::choose_backend and comm::connect; UsageError  this process has met its ranks
///         over another backend; CommError  a forked child, which is no rank
std::shared_ptr<comm::Communicator> world(std::string_view backend = {});

/// What is kept, without meeting anybody: nullptr where nobody has been met.
std::shared_ptr<comm::Communicator> met_world();

/// Leaves the ranks, before Python and who else uses MPI end.
void leave_world();

}  // namespace lockstep::python
