#pragma once

#include <string>
#include <vector>

namespace lockstep::formats::rl {

/// What people call the states and actions of a model.
struct Names {
    std::vector<std::string> states{};   ///< [states]; empty: numbers only
    std::vector<std::string> actions{};  ///< [actions]; empty: numbers only
};

}  // namespace lockstep::formats::rl
