#pragma once

#include <span>
#include <vector>

#include "lockstep/xpcs/nlsq/objective.hpp"

#include "xpcs/model/free_parameters.hpp"
#include "xpcs/model/projection.hpp"
#include "xpcs/model/summation.hpp"

namespace lockstep::xpcs {

/// Half the weighted sum of squares over the pairs of frames as a function of the free physical
/// parameters, with the best contrasts and offsets for each.
class ModelObjective : public nlsq::Objective {
public:
    /// All are referred to.
    /// @param team  nullptr: the calling thread alone, with the same bits
    /// @param held  [parameters]: where those that are not free stand
    /// @param weights  [angles]: 1/σ²
    /// @param start  [coefficients] of the scaling, within their bounds
    ModelObjective(Summation& summation,
                   runtime::Team* team,
                   const FreeParameters& parameters,
                   std::span<const double> held,
                   const Scaling& scaling,
                   std::span<const double> weights,
                   std::span<const double> start);

    [[nodiscard]] int parameters() const override { return parameters_.count(); }
    bool evaluate(std::span<const double> x, nlsq::NormalEquations& at) override;
    /// The same cost, but for rounding, for less work.
    double cost(std::span<const double> x);
    /// Forgets what was evaluated: the next value is a function of its point alone.
    void restart();

    // Of the last evaluation:
    [[nodiscard]] std::span<const double> physical() const noexcept { return physical_; }
    /// What the point's contrasts and offsets are.
    [[nodiscard]] const Projection& projection() const noexcept { return projection_; }
    [[nodiscard]] const WeightedSums& sums() const noexcept { return of_; }

private:
    void sum(std::span<const double> x, Level level);
    void take_reference(std::span<const double> coefficients);

    Summation& summation_;
    runtime::Team* team_;
    const FreeParameters& parameters_;
    std::vector<double> physical_;  // [all parameters]
    std::vector<double> gradient_;
    std::vector<double> gram_;
    const Scaling& scaling_;
    Projection projection_;
    std::vector<double> start_;  // [coefficients]
    // Residuals are taken from the best scales so far: they are small there, and so are the
    // rounding errors of their sums.
    std::vector<double> reference_;  // [coefficients]
    std::vector<Scale> scales_;      // [angles]
    double best_;
    WeightedSums of_;
};

}  // namespace lockstep::xpcs
