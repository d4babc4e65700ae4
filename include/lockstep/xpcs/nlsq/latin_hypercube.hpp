#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::xpcs::nlsq {

/// Points of the unit cube [count, dimension], one in each of `count` slices of every coordinate,
/// at random within it. A function of its arguments.
/// @par Source  [McKay1979]
std::vector<double> latin_hypercube(std::uint64_t seed, int count, int dimension);

}  // namespace lockstep::xpcs::nlsq
