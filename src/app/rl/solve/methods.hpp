#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lockstep/rl/solve.hpp"

namespace lockstep::app {

/// A method of rl::solve() by its name on command lines and in files.
struct NamedMethod {
    std::string_view name;
    std::string_view about;  ///< one line
    rl::Method method;
};
std::span<const NamedMethod> solve_methods();

std::string_view to_string(rl::Method method);
std::string_view to_string(rl::Criterion criterion);

}  // namespace lockstep::app
