#pragma once

#include <cstdint>
#include <vector>

#include "lockstep/xpcs/cmc/chain_team.hpp"
#include "lockstep/xpcs/cmc/linear_coordinates.hpp"

namespace lockstep::xpcs::cmc {

/// Over-dispersed starts, one a chain: normal draws of `spread` times the standard deviations about
/// the centre of `around`, drawn again until the density is positive there and its derivatives are
/// finite. A function of (seed, task, chain).
/// @param chains  >= 1
/// @param spread  >= 0; 0 starts all chains at the centre
/// @throws InputError  a number is out of range; ModelError  100 draws of a chain in vain
std::vector<std::vector<double>> dispersed_starts(const MakeDensity& make,
                                                  const LinearCoordinates& around,
                                                  int chains,
                                                  double spread,
                                                  std::uint64_t seed,
                                                  std::uint32_t task = 0);

}  // namespace lockstep::xpcs::cmc
