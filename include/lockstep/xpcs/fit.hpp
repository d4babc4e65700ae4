#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lockstep/base/digest.hpp"
#include "lockstep/runtime/team.hpp"
#include "lockstep/xpcs/anti_degeneracy.hpp"
#include "lockstep/xpcs/model/measurement.hpp"
#include "lockstep/xpcs/model/physics.hpp"
#include "lockstep/xpcs/model/scale.hpp"
#include "lockstep/xpcs/nlsq/trust_region.hpp"
#include "lockstep/xpcs/search.hpp"

namespace lockstep::xpcs {

/// What is fitted to a measurement, and how. Empty lists stand for defaults.
struct FitOptions {
    Motion motion = Motion::diffusion;
    ShearTerm shear = ShearTerm::homodyne;
    ScaleOptions scale{};
    /// [parameters_of(motion)]; a start outside the bounds is refused.
    std::vector<double> start{};
    std::vector<double> lower{};
    std::vector<double> upper{};
    /// Names of physical parameters that stay at their start.
    std::vector<std::string> held{};
    /// Standard deviation of a value of c2; 0: of each angle, from the data (noise_of).
    double sigma = 0;
    /// Of residuals over sigma: its scale is in standard deviations.
    nlsq::Loss loss{};
    SearchOptions search{};
    Regularisation regularisation{};
    ShearWeighting shear_weighting{};
    SequentialOptions sequential{};
    nlsq::TrustRegionOptions trust_region{};

    [[nodiscard]] std::vector<double> start_or_default() const;
    /// Bounds and names of the physical parameters.
    [[nodiscard]] nlsq::Box box() const;
    /// @throws InputError
    void validate(const Measurement& measurement) const;
};

/// How far a fit is.
struct FitProgress {
    int iteration = 0;
    int evaluations = 0;
    double chi_squared = 0;
    double gradient = 0;  ///< cosine, 0 at the minimum
    std::vector<double> physical{};
    std::vector<Scale> scales{};
};

/// How far a search by evolution is.
struct SearchProgress {
    int run = 0;
    std::int64_t evaluations = 0;
    double chi_squared = 0;  ///< the least so far
};

/// Receives what fit() has to tell, on every rank.
class FitObserver {
public:
    virtual ~FitObserver() = default;
    virtual void on_search(const SearchProgress&) {}
    virtual void on_iteration(const FitProgress&) {}
    /// Asked after each iteration; true on any rank ends the fit on all.
    virtual bool stop_requested() { return false; }
};

/// The minimum that was found; equations are those of docs/xpcs/theory.md. Each pair of frames
/// counts once.
struct FitResult {
    std::vector<double> physical{};  ///< [parameters_of(motion)], held ones too
    std::vector<int> fitted{};       ///< places of those that were not held, ascending
    std::vector<Scale> scales{};     ///< [angles]
    /// What was fitted, in the order of the covariance: contrasts and offsets (of the angles, of
    /// all, or the series' coefficients), then the physical parameters that were not held.
    std::vector<std::string> names{};
    std::vector<double> values{};
    double chi_squared = 0;       ///< Σ ((c2 - model) / σ)²: equation (8)
    double minimised = 0;         ///< Σ scale² ρ((r/scale)²) of the loss; linear: χ²
    std::int64_t pairs = 0;       ///< that count: neither masked nor on the diagonal
    std::vector<double> sigma{};  ///< [angles]
    std::vector<double> sums_of_squares{};    ///< [angles] of c2 - model
    std::vector<std::int64_t> angle_pairs{};  ///< [angles] that count
    /// [angles] sums of squares that would give the errors without a loss: equation (27). Linear:
    /// sums_of_squares.
    std::vector<double> error_squares{};
    double error_chi_squared = 0;  ///< Σ of these over σ²
    /// [angles] mean of dψ/dr with ψ = ρ' r: what a loss leaves of the data. Linear: 1.
    std::vector<double> loss_slopes{};
    std::vector<nlsq::AtBound> bounds{};  ///< [values]
    nlsq::Fit minimum{};                  ///< of the physical parameters that were fitted
    SearchReport search{};
    /// Of regularised scales: what it adds to χ². 0: none
    double penalty = 0;
    SequentialReport sequential{};
    nlsq::Determinacy determinacy{};  ///< of all that was fitted
    /// As if all values were independent: equation (12).
    nlsq::Covariance covariance{};

    [[nodiscard]] double reduced_chi_squared() const noexcept {
        return chi_squared / (static_cast<double>(pairs) - static_cast<double>(values.size()));
    }
    [[nodiscard]] nlsq::Box box() const { return {names, {}, {}}; }
};

/// Of values, χ² and covariance.
Digest digest_of(const FitResult& result);

/// The standard deviation of c2 at each angle, from differences of neighbours, which the signal
/// hardly enters: robust, and of the part of the noise that neighbours do not share.
std::vector<double> noise_of(const Measurement& measurement);

/// How far values of c2 lie about their median, robust; at least 1e-3: homodyne's scale of the
/// prior of σ.
double signal_spread_of(const Measurement& measurement);

/// homodyne's estimate of contrast and offset of each angle from quantiles of c2: the offset where
/// frames lie far apart, the ceiling where they are near. The diagonal counts as the mean of its
/// neighbours. Within the bounds of `options`.
std::vector<Scale> quantile_scales(const Measurement& measurement, const ScaleOptions& options);

/// Fits the model to a measurement by least squares: contrasts and offsets are eliminated, the sums
/// run over the pairs of frames and are never held, so that memory does not grow with their number.
///
/// The same bits for any number of ranks and threads.
/// @throws InputError  options, measurement
/// Collective.
FitResult fit(const Measurement& measurement,
              const FitOptions& options,
              runtime::Team& team,
              FitObserver* observer = nullptr);

}  // namespace lockstep::xpcs
