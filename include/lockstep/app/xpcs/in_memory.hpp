#pragma once

#include <string>

#include "lockstep/app/xpcs/analyse.hpp"
#include "lockstep/formats/homodyne/data.hpp"

namespace lockstep::app {

/// A measurement that is in memory, and what is to be done with it.
struct LoadedMeasurement {
    std::string configuration;  ///< text of homodyne's
    std::string name;           ///< that ends as files of its format do
    formats::homodyne::Loaded loaded;
};

/// analyse_measurement() of it, with the same bits. Where `request.run.output` is empty nothing is
/// written, and there are no checkpoints. Collective.
/// @throws as analyse_measurement(); InputError  `request.run.resume` without an output
XpcsOutcome analyse_in_memory(const XpcsRequest& request,
                              const LoadedMeasurement& measurement,
                              comm::Communicator& ranks,
                              Observer& observer);

}  // namespace lockstep::app
