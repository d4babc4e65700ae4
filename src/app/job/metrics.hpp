#pragma once

#include <string>

#include "lockstep/app/observer.hpp"

namespace lockstep::app {

/// A step in the text format of Prometheus, version 0.0.4: how far the phase is, its figures, and
/// those of each rank. A name ends in the figure's unit: _dollars, _seconds, _bytes, _ratio.
std::string prometheus_text(const Progress& progress);

}  // namespace lockstep::app
