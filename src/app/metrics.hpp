#pragma once

#include <string>

#include "lockstep/sddp/observer.hpp"

namespace lockstep::app {

/// An iteration in the text format of Prometheus, version 0.0.4: bounds, counts, and each rank's
/// times and bytes.
std::string prometheus_text(const sddp::IterationReport& report);

}  // namespace lockstep::app
