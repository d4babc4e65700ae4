#pragma once

#include <span>
#include <vector>

#include "lockstep/xpcs/nlsq/objective.hpp"

#include "xpcs/model/projection.hpp"
#include "xpcs/model/summation.hpp"

namespace lockstep::xpcs {

/// Half the weighted sum of squares over the pairs of frames as a function of the physical
/// parameters, with the best contrasts and offsets for each.
class ModelObjective : public nlsq::Objective {
public:
    /// All are referred to.
    /// @param weights  [angles]: 1/σ²
    /// @param start  [coefficients] of the scaling, within their bounds
    ModelObjective(Summation& summation,
                   runtime::Team& team,
                   const Scaling& scaling,
                   std::span<const double> weights,
                   std::span<const double> start);

    [[nodiscard]] int parameters() const override { return parameters_; }
    bool evaluate(std::span<const double> x, nlsq::NormalEquations& at) override;

    /// What the point's contrasts and offsets are; of the last evaluation.
    [[nodiscard]] const Projection& projection() const noexcept { return projection_; }
    [[nodiscard]] const WeightedSums& sums() const noexcept { return of_; }

private:
    void take_reference(std::span<const double> coefficients);

    Summation& summation_;
    runtime::Team& team_;
    const Scaling& scaling_;
    int parameters_;
    Projection projection_;
    // Residuals are taken from the best scales so far: they are small there, and so are the
    // rounding errors of their sums.
    std::vector<double> reference_;  // [coefficients]
    std::vector<Scale> scales_;      // [angles]
    double best_;
    WeightedSums of_;
};

}  // namespace lockstep::xpcs
