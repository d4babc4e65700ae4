#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lockstep/sddp/work.hpp"

namespace lockstep::sddp {

/// Adds counts and seconds, but wall_seconds.
void add(const PhaseReport& work, PhaseReport& sum);
/// Adds those seconds alone.
void add_times(const PhaseReport& work, PhaseReport& sum);

/// Appends the counts that a WorkRow has: about five bytes.
void put_counts(const PhaseReport& work, std::vector<std::byte>& out);

/// Takes such counts from `rest` and adds them to `sum`.
/// @throws InputError  the bytes end before
void take_counts(std::span<const std::byte>& rest, PhaseReport& sum);

}  // namespace lockstep::sddp
