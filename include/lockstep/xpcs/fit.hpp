#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
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

/// Which values of c2 count in a fit, and how often.
enum class FitObjective {
    pairs,        ///< each pair of frames once: equation (8) of docs/xpcs/theory.md
    compat_grid,  ///< every element of the matrices, as homodyne below 100,000 points: (30)
};
std::string_view to_string(FitObjective objective) noexcept;

/// What is fitted to a measurement, and how. Empty lists stand for defaults.
struct FitOptions {
    Motion motion = Motion::diffusion;
    ShearTerm shear = ShearTerm::homodyne;
    FitObjective objective = FitObjective::pairs;
    /// compat_grid: [angles] c2 of the first frame and the one that was dropped before it, which
    /// homodyne's diagonal holds; empty, NaN: there is none.
    std::vector<double> first_neighbours{};
    ScaleOptions scale{};
    /// [parameters_of(motion)]; a start outside the bounds is refused.
    std::vector<double> start{};
    std::vector<double> lower{};
    std::vector<double> upper{};
    /// Names of physical parameters that stay at their start.
    std::vector<std::string> held{};
    /// [parameters_of(motion)] steps that are alike, x_scale of SciPy and homodyne; empty: by the
    /// curvature, whatever the units. The minimum is the same, the way there is not.
    std::vector<double> step_sizes{};
    /// Beside these, where a loss makes contrasts and offsets parameters like the others.
    Scale scale_step_sizes{1, 1};
    /// Standard deviation of a value of c2; 0: of each angle, from the data (noise_of).
    double sigma = 0;
    /// Of residuals over sigma: its scale is in standard deviations.
    nlsq::Loss loss{};
    SearchOptions search{};
    Regularisation regularisation{};
    ShearWeighting shear_weighting{};
    SequentialOptions sequential{};
    nlsq::TrustRegionOptions trust_region{};  ///< its scale is not used: step_sizes are

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
/// counts once, or, of compat_grid, each element of the matrices: errors are smaller by √2 then.
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
    std::int64_t pairs = 0;       ///< that count and are not masked; compat_grid: elements
    std::vector<double> sigma{};  ///< [angles]
    std::vector<double> sums_of_squares{};    ///< [angles] of c2 - model
    std::vector<std::int64_t> angle_pairs{};  ///< [angles] that count
    /// [angles] sums of squares that would give the errors without a loss: equation (27). Linear:
    /// sums_of_squares.
    std::vector<double> error_squares{};
    double error_chi_squared = 0;  ///< Σ of these over σ²
    /// [angles] mean of dψ/dr with ψ = ρ' r: what a loss leaves of the data. Linear: 1.
    std::vector<double> loss_slopes{};
    std::vector<nlsq::AtBound> bounds{};  ///< [values] exactly there, against the gradient
    std::vector<double> lower{};          ///< [values] of what was fitted
    std::vector<double> upper{};
    nlsq::Fit minimum{};  ///< of the physical parameters that were fitted
    SearchReport search{};
    /// Of regularised scales: what it adds to χ². 0: none
    double penalty = 0;
    SequentialReport sequential{};
    /// compat_grid: sum of the squared model, which homodyne reports as χ² there; else 0.
    double model_squares = 0;
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

/// How a fitted value stands to its bounds.
struct Nearness {
    /// On the bound, or so near that it cannot be told from it: nearer than a hundredth of the
    /// standard error and a thousandth of the width, or than `tolerance` and a standard error.
    nlsq::AtBound at = nlsq::AtBound::no;
    bool reaches_lower = false;  ///< not there, but the standard error goes beyond it
    bool reaches_upper = false;
};

/// @param errors  [values] standard errors; NaN: none
/// @param tolerance  part of the bounds' width
/// @return [values]
std::vector<Nearness> nearness_to_bounds(const FitResult& result,
                                         std::span<const double> errors,
                                         double tolerance = 1e-6);

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
