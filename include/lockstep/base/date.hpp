#pragma once

#include <chrono>

namespace lockstep {

/// A day of the proleptic Gregorian calendar, without a time zone.
using Date = std::chrono::sys_days;

}  // namespace lockstep
