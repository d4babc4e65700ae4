#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "xpcs/fit/problem.hpp"
#include "xpcs/model/loss_objective.hpp"
#include "xpcs/model/objective.hpp"

namespace lockstep::xpcs {

/// Downhill fits of one problem, by a team or by the calling thread alone: the same bits.
class LocalFit {
public:
    /// Both are referred to.
    /// @param team  nullptr: the calling thread alone
    LocalFit(const FitProblem& problem, runtime::Team* team);

    /// Half the sum of squares at free parameters, with the best scales: a function of the point.
    double cost(std::span<const double> x);

    /// The same, and takes what look() will see from there.
    double stand(std::span<const double> x);

    /// Hears of each iteration, with the scales there; false: stop.
    using OnIteration = std::function<bool(const nlsq::Iteration&, std::span<const double> scales)>;

    /// From free parameters; what is returned is of these, whatever was fitted beside them.
    nlsq::Fit run(std::span<const double> start, const OnIteration& on_iteration = {});

    /// Where the last run ended: what a description needs of it.
    struct Place {
        std::vector<double> coefficients{};
        std::vector<nlsq::AtBound> bounds{};  ///< [coefficients]
        std::vector<double> gram{};      ///< JᵀJ of all fitted values, weighted by 1/σ² alone
        std::vector<double> gradient{};  ///< of all fitted values
        std::vector<AngleSums> sums{};   ///< [angles] of squares
        std::vector<double> squares{};   ///< [angles] Σ (c2 - model)²
        double chi_squared = 0;
        double penalty = 0;                  ///< of the scales, beside χ²
        std::vector<AngleSums> influence{};  ///< [angles], of a loss that is not linear
    };
    Place look(const nlsq::Fit& minimum);

private:
    [[nodiscard]] nlsq::TrustRegionOptions region(bool has_scales) const;
    nlsq::Fit run_squares(std::span<const double> start, const OnIteration& on_iteration);
    nlsq::Fit run_loss(std::span<const double> start, const OnIteration& on_iteration);
    Place look_at_squares(const nlsq::Fit& minimum);
    Place look_at_loss(const nlsq::Fit& minimum);
    void fill(Place& place, const Projection& projection, const WeightedSums& sums) const;

    const FitProblem& problem_;
    runtime::Team* team_;
    Summation summation_;
    ModelObjective squares_;
    std::optional<Summation> weighted_;
    std::optional<LossObjective> loss_;
    std::vector<double> coefficients_;   // of the last run with a loss
    std::vector<nlsq::AtBound> bounds_;  // of these
};

}  // namespace lockstep::xpcs
