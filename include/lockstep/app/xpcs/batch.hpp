#pragma once

#include <string>
#include <vector>

#include "lockstep/app/observer.hpp"
#include "lockstep/app/xpcs/analyse.hpp"
#include "lockstep/comm/communicator.hpp"
#include "lockstep/formats/xpcs/batch.hpp"

namespace lockstep::app {

/// Many datasets, analysed alike.
struct BatchRequest {
    /// What to do with each. `run.input`: the configuration of all data files; empty: each input is
    /// a configuration with its own data. `run.output`: the folder of all results.
    XpcsRequest each;
    /// Files, folders of such, and patterns as *.h5.
    std::vector<std::string> inputs;
    int ahead = 2;  ///< datasets that may be in memory beside the one that is worked on
};

struct BatchOutcome {
    RunOutcome run;
    formats::xpcs::BatchRecord record;  ///< on every rank
};

/// Analyses datasets one after the other: while one is sampled the next is fitted, the one after it
/// read, and results of the one before written. Each has its folder in the output, with the same
/// digests as analyse_measurement() alone has; ranks share the datasets, each of which is whole on
/// one of them. Collective.
///
/// A dataset that cannot be read or fitted stops no other one. SIGINT and SIGTERM end what is in
/// work at a consistent point, and begin nothing new.
/// @throws InputError  no input, a pattern that matches nothing, two datasets of one name, another
/// run writes there; IoError  a named file is missing, or batch.json cannot be written
BatchOutcome analyse_batch(const BatchRequest& request,
                           comm::Communicator& ranks,
                           Observer& observer);

}  // namespace lockstep::app
