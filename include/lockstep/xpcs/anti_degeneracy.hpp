#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace lockstep::xpcs {

// What homodyne does where contrasts and offsets can take up what the flow should explain.

/// Draws contrasts towards each other, and offsets: equation (28) of docs/xpcs/theory.md. Acts
/// where they differ from angle to angle, individual or as a series.
struct Regularisation {
    double weight = 0;        ///< λ; 0: none
    bool is_relative = true;  ///< of squared coefficients of variation; else of variances
};

/// Gives angles along the flow more weight: equation (29).
struct ShearWeighting {
    bool is_on = false;
    double smallest = 0.3;  ///< of an angle across the flow, in [0, 1]
    double power = 1;
    bool is_normalised = true;  ///< to a mean of 1
};

/// [angles], of angles and phi0 in degrees.
std::vector<double> shear_weights(std::span<const double> phi,
                                  double phi0,
                                  const ShearWeighting& how);

/// How estimates of single angles become one.
enum class AngleWeighting { inverse_variance, points, uniform };
std::string_view to_string(AngleWeighting weighting) noexcept;

/// Each angle fitted alone, where all together do not converge.
struct SequentialOptions {
    enum class Use { on_failure, always, never };
    Use use = Use::on_failure;
    AngleWeighting weighting = AngleWeighting::inverse_variance;
    double least_success = 0.5;  ///< share of the angles
};

/// What one angle says.
struct AngleEstimate {
    std::vector<double> values{};
    std::vector<double> variances{};
    double points = 0;
};

/// Values and variances, parameter by parameter. Inverse variances count for each parameter on its
/// own, so that units do not matter.
AngleEstimate combine_angles(std::span<const AngleEstimate> angles, AngleWeighting weighting);

/// A fit of one angle.
struct AngleFit {
    double phi = 0;
    bool is_used = false;  ///< it converged, and its errors are known where they are needed
    double chi_squared = 0;
    std::vector<double> physical{};  ///< [parameters_of(motion)]
    std::string_view ending{};
};

struct SequentialReport {
    bool is_used = false;            ///< the fit's values are combined ones
    int used = 0;                    ///< angles
    std::vector<AngleFit> angles{};  ///< empty: not tried
};

}  // namespace lockstep::xpcs
