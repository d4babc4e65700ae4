#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/runtime/random.hpp"
#include "lockstep/xpcs/cmc/log_density.hpp"
#include "lockstep/xpcs/model/posterior.hpp"

#include "xpcs/model/free_parameters.hpp"
#include "xpcs/model/marginal.hpp"
#include "xpcs/model/summation.hpp"
#include "xpcs/model/time_coordinates.hpp"

namespace lockstep::xpcs {

/// The posterior of the physical parameters that were fitted and, where it is not known, log(σ /
/// sigma), in time coordinates; the others are held. Each thread has one of its own; all give the
/// same bits.
class PosteriorDensity : public cmc::LogDensity {
public:
    /// `measurement`, `scaling` and `chosen` are referred to; residuals are taken from the fit's
    /// scales.
    /// @param chosen  the pairs that count; nullptr: all
    PosteriorDensity(const Measurement& measurement,
                     const FitOptions& options,
                     const Scaling& scaling,
                     const FitResult& fit,
                     const PosteriorOptions& posterior,
                     const PairSelection* chosen = nullptr);

    [[nodiscard]] int dimension() const override { return parameters_ + (has_sigma_ ? 1 : 0); }
    double evaluate(std::span<const double> x, std::span<double> gradient) override;
    double evaluate(std::span<const double> x) override;
    [[nodiscard]] int useful_threads() const override { return summation_.useful_threads(); }
    void spread_over(runtime::ThreadTeam* threads) override { threads_ = threads; }

    [[nodiscard]] const TimeCoordinates& coordinates() const noexcept { return coordinates_; }
    // Of the last evaluation:
    /// [parameters_of(motion)]
    [[nodiscard]] std::span<const double> physical() const noexcept { return physical_; }
    /// Coefficients of the scaling, drawn given the rest: a function of the stream and the item.
    [[nodiscard]] std::vector<double> draw_scales(const runtime::Random& random,
                                                  std::uint64_t item) const;

private:
    double evaluate_at(std::span<const double> x, Level level);

    PosteriorOptions options_;
    FreeParameters free_;
    int parameters_;  // that are free
    bool has_sigma_;
    double pairs_;
    std::vector<double> weights_;
    std::vector<double> reference_;
    std::vector<Scale> scales_;
    Summation summation_;
    runtime::ThreadTeam* threads_ = nullptr;
    TimeCoordinates coordinates_;
    Marginal marginal_;
    WeightedSums of_;
    std::vector<double> values_;    // [parameters_of(motion)] time coordinates
    std::vector<double> physical_;  // [parameters_of(motion)]
    std::vector<double> gradient_;  // by these
    double factor_ = 1;
};

}  // namespace lockstep::xpcs
