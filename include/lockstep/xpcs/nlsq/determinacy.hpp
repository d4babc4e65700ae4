#pragma once

#include <span>
#include <string>
#include <vector>

#include "lockstep/xpcs/nlsq/box.hpp"

namespace lockstep::xpcs::nlsq {

/// How well the data determine the parameters at a point. Units of parameters do not matter: each
/// column of the Jacobian counts by its direction alone.
struct Determinacy {
    int free = 0;          ///< parameters that no bound holds
    int rank = 0;          ///< of the free columns
    double condition = 0;  ///< of the free columns; infinity where the rank is below their number
    /// Directions [p] along which the linear model does not change, in the units of the parameters;
    /// free - rank of them.
    std::vector<std::vector<double>> undetermined{};
    /// The same with each component times its column's length, scaled to length 1.
    std::vector<std::vector<double>> weights{};
    /// [p] of length 1, the same for the combination that is determined worst, also where the rank
    /// is full; empty if no parameter is free.
    std::vector<double> weakest{};
    /// [p, p] (JᵀJ)⁻¹ of the free parameters, NaN for those that a bound holds; empty if the rank
    /// is too low.
    std::vector<double> inverse{};
};

/// At a point whose JᵀJ is known.
/// @param gram  [p, p]
/// @param bounds  [p]
Determinacy determine(std::span<const double> gram, const std::vector<AtBound>& bounds);

/// What the data leave open, by name, for example "the data do not determine the combination
/// 0.71 D0 - 0.71 alpha (…)"; empty if nothing.
std::string undetermined_text(const Determinacy& determinacy, const Box& box);

/// What the data determine worst, by name, for example "0.71 D0 + 0.70 alpha"; empty if no
/// parameter is free. Parts below a twentieth are left out.
std::string weakest_text(const Determinacy& determinacy, const Box& box);

/// Squared standard errors and what goes with them, or why there are none.
struct Covariance {
    std::vector<double> matrix{};  ///< [p, p]; NaN for parameters at a bound; empty: not available
    std::string remark{};          ///< why it is not available, or which parameters have no error
};

/// s² (JᵀJ)⁻¹ with s² = 2 cost / (residuals - free parameters).
/// @param residuals  independent ones
Covariance classical_covariance(const Determinacy& determinacy,
                                const Box& box,
                                double cost,
                                double residuals);

}  // namespace lockstep::xpcs::nlsq
