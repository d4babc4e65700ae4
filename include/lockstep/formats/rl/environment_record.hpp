#pragma once

#include <string>
#include <vector>

#include "lockstep/formats/records/setting.hpp"

namespace lockstep::formats::rl {

/// What was solved or learned: enough to make it again.
struct EnvironmentRecord {
    std::string name;              ///< in the registry, or of the model
    std::vector<Setting> options;  ///< parameters that were given
    std::string file;   ///< of a model, as named on the command line; empty: the registry
    std::string rules;  ///< a line for people
    int states = 0;
    int actions = 0;
};

}  // namespace lockstep::formats::rl
