#pragma once

#include "lockstep/app/observer.hpp"
#include "lockstep/app/sddp/run.hpp"

#include "app/sddp/prepare.hpp"

namespace lockstep::app {

/// What a run of a case tells at its start: sizes, options, stopping rules.
RunFacts start_facts(const CaseRequest& request,
                     const Prepared& prepared,
                     bool trains,
                     bool simulates);

}  // namespace lockstep::app
