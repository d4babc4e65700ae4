#pragma once

#include "lockstep/app/doctor.hpp"

namespace lockstep::app {

/// Barrier and allgatherv of 8 B to 8 MB by powers of 8, medians. Collective.
void measure(comm::Communicator& ranks, BackendSeen& seen);

/// The same between two threads of this process over a backend of this machine.
BackendSeen measure_on_threads(comm::BackendKind kind);

}  // namespace lockstep::app
