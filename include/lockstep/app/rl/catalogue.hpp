#pragma once

#include <string>
#include <vector>

#include "lockstep/io/json.hpp"
#include "lockstep/rl/environments/registry.hpp"

namespace lockstep::app {

/// Something that an option takes by name.
struct Choosable {
    std::string name;
    std::string about;  ///< one line
};

/// Things of one kind.
struct Chapter {
    std::string name;   ///< for programs: "environments"
    std::string title;  ///< for people
    std::vector<Choosable> entries;
};

/// All that can be solved or learned, and how.
std::vector<Chapter> catalogue();

/// {"environments": [{"name", "about"}, …], …}
io::Json to_json(const std::vector<Chapter>& chapters);

/// An environment of the catalogue as its parameters are where none is given.
struct EnvironmentFacts {
    rl::EnvironmentEntry entry;
    std::string rules;  ///< a line
    int states = 0;
    int actions = 0;
    bool is_known = false;  ///< its probabilities are, so that it can be solved
};

/// @throws InputError  an unknown name, with the nearest one that exists
EnvironmentFacts environment_facts(const std::string& name);

io::Json to_json(const EnvironmentFacts& facts);

}  // namespace lockstep::app
