#pragma once

#include "lockstep/rl/rows.hpp"

#include "rl/solve/sweeps/sweep.hpp"

namespace lockstep::rl {

/// What rounding can make of one backup of values up to `size`: equation (3).
double rounding_of(const RowFacts& facts, double size);

/// x moved by more than the roundings of a few operations.
double a_little_more(double x);
double a_little_less(double x);

/// Distances of the optimal values from those of a Jacobi sweep, the same for all states.
struct Shift {
    double low = 0;
    double high = 0;
};

/// From the differences that a Jacobi sweep with gamma < 1 made: equations (4) and (5).
/// @param size  largest |value| before or after the sweep
Shift discounted_shift(const RowFacts& facts, double gamma, const Change& change, double size);

}  // namespace lockstep::rl
