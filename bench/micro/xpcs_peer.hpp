#pragma once

#include <span>
#include <vector>

#include "lockstep/xpcs/fit.hpp"

/// What a peer found.
struct PeerFit {
    bool is_built = false;
    double chi_squared = 0;  ///< each pair of frames once
    double seconds = 0;      ///< of CPU
    int iterations = 0;
};

/// The same least squares by Ceres: analytic derivatives, contrasts and offsets eliminated by its
/// Schur complement, pairs of frames counted once. Not built where Ceres is not installed.
PeerFit fit_by_ceres(const lockstep::xpcs::Measurement& measurement,
                     const lockstep::xpcs::FitOptions& options);
