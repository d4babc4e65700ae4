#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lockstep/runtime/random.hpp"
#include "lockstep/runtime/team.hpp"
#include "lockstep/xpcs/cmc/importance.hpp"
#include "lockstep/xpcs/cmc/linear_coordinates.hpp"
#include "lockstep/xpcs/cmc/nuts.hpp"
#include "lockstep/xpcs/sample.hpp"

#include "xpcs/model/posterior_density.hpp"

namespace lockstep::xpcs {

/// What every way to sample the posterior around a fit needs: its densities, the coordinates in
/// which it is nearly standard normal, and what users get of its points.
class PosteriorFrame {
public:
    /// All are referred to.
    /// @throws ModelError  the fit has no covariance to start from
    PosteriorFrame(const Measurement& measurement,
                   const FitOptions& options,
                   const FitResult& fit,
                   const SampleOptions& sampling);

    /// The density of all pairs, or of chosen ones with a power on the priors.
    [[nodiscard]] std::unique_ptr<PosteriorDensity> make() const;
    [[nodiscard]] std::unique_ptr<PosteriorDensity> make(const PairSelection& chosen,
                                                         double prior_power) const;
    [[nodiscard]] int dimension() const noexcept { return dimension_; }
    /// About the fit, with variances `widening` times those that it says.
    [[nodiscard]] cmc::LinearCoordinates coordinates(double widening = 1) const;
    /// [dimension, dimension] of those coordinates.
    [[nodiscard]] std::vector<double> covariance(double widening = 1) const;
    [[nodiscard]] std::vector<std::string> names() const;
    /// Of importance sampling: as many points as give the draws that are asked for.
    [[nodiscard]] cmc::Proposal proposal() const;
    /// Of the chains' starts, in standard deviations.
    static constexpr double start_dispersion = 2;
    /// Of chains in coordinates where the posterior is near this covariance.
    [[nodiscard]] cmc::NutsOptions nuts_options(std::vector<double> covariance) const;

    /// Fitted physical parameters alone: of a point, [physical_names].
    [[nodiscard]] std::vector<std::string> physical_names() const;
    void physical_of(std::span<const double> x, std::span<double> physical) const;

    /// What users get of a point: `values` [names].
    /// @param number  of the draw, which its contrasts and offsets are drawn by
    /// @returns the log density
    double describe(PosteriorDensity& density,
                    std::span<const double> x,
                    std::uint64_t number,
                    std::span<double> values) const;

    /// Fills values and log densities of points [draws, dimension]: physical parameters, σ, and
    /// contrasts and offsets drawn given these.
    void describe(std::span<const double> points,
                  runtime::ThreadTeam& threads,
                  SampleResult& result) const;

private:
    [[nodiscard]] bool has_sigma() const { return sampling_.posterior.sigma.deviation > 0; }
    [[nodiscard]] std::vector<double> centre() const;

    const Measurement& measurement_;
    const FitOptions& options_;
    const FitResult& fit_;
    const SampleOptions& sampling_;
    Scaling scaling_;
    FreeParameters parameters_;
    TimeCoordinates time_coordinates_;
    int dimension_;
    runtime::Random scale_draws_;
};

}  // namespace lockstep::xpcs
