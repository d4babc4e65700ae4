#pragma once

#include <string>
#include <vector>

#include "lockstep/app/doctor.hpp"

namespace lockstep::app {

/// What to change about an installation and a start of ranks, a sentence each.
std::vector<std::string> advice_for(const Diagnosis& diagnosis);

}  // namespace lockstep::app
