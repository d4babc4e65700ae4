#pragma once

#include <span>
#include <vector>

#include "lockstep/xpcs/nlsq/objective.hpp"

#include "xpcs/model/free_parameters.hpp"
#include "xpcs/model/projection.hpp"
#include "xpcs/model/summation.hpp"

namespace lockstep::xpcs {

/// The sum of a loss over the pairs of frames, as a function of the scaling's coefficients and then
/// the free physical parameters: equation (26) of docs/xpcs/theory.md. With a loss that is not
/// linear contrasts and offsets have no closed form, so that they are found along with the rest.
class LossObjective : public nlsq::Objective {
public:
    /// All are referred to; the loss is that of the summation.
    /// @param team  nullptr: the calling thread alone, with the same bits
    /// @param held  [all parameters]: where those that are not free stand
    /// @param weights  [angles]: 1/σ²
    LossObjective(Summation& summation,
                  runtime::Team* team,
                  const FreeParameters& parameters,
                  std::span<const double> held,
                  const Scaling& scaling,
                  std::span<const double> weights);

    [[nodiscard]] int parameters() const override {
        return scaling_.coefficients() + parameters_.count();
    }
    bool evaluate(std::span<const double> x, nlsq::NormalEquations& at) override;

private:
    void set(std::span<const double> x);

    Summation& summation_;
    runtime::Team* team_;
    const FreeParameters& parameters_;
    std::vector<double> physical_;  // [all parameters]
    std::vector<double> gradient_;  // by these
    const Scaling& scaling_;
    Projection projection_;
    std::vector<double> coefficients_;
    std::vector<nlsq::AtBound> free_;  // [coefficients]
    std::vector<Scale> scales_;        // [angles]
    WeightedSums of_;
};

}  // namespace lockstep::xpcs
