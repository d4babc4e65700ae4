#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/xpcs/fit.hpp"

#include "xpcs/model/free_parameters.hpp"
#include "xpcs/model/scaling.hpp"
#include "xpcs/model/summation.hpp"

namespace lockstep::xpcs {

/// What is fitted to what, worked out once for every local fit of a call.
struct FitProblem {
    /// Both are referred to.
    FitProblem(const Measurement& measurement, const FitOptions& options);

    [[nodiscard]] bool has_loss() const noexcept {
        return options.loss.kind != nlsq::Loss::Kind::linear;
    }
    [[nodiscard]] Summation summation() const;
    /// Values that count of so many pairs of frames at so many angles.
    [[nodiscard]] std::int64_t counted(std::int64_t pairs, int angles) const noexcept;
    /// [angles]: scale of the loss in the unit of c2.
    [[nodiscard]] std::vector<double> loss_scales() const;
    /// All physical parameters, for free ones.
    [[nodiscard]] std::vector<double> physical(std::span<const double> x) const;
    /// Gives angles weights beside those of their errors, as if σ was smaller.
    void weigh(std::span<const double> factors);
    /// Equation (28) of docs/xpcs/theory.md.
    /// @param scales  [angles] of a fit without regularisation
    /// @param chi_squared  of it
    void regularise(std::span<const Scale> scales, double chi_squared);
    /// Of the free physical parameters and of the coefficients before them.
    [[nodiscard]] nlsq::Box joint_box() const;
    /// Coefficients first, as in FitResult::values.
    [[nodiscard]] std::vector<std::string> names() const;

    const Measurement& measurement;
    const FitOptions& options;
    std::vector<double> noise;    ///< [angles]: σ
    std::vector<double> sigma;    ///< [angles]: σ, less where an angle has more weight
    std::vector<double> weights;  ///< [angles]: 1/sigma²
    Scaling scaling;
    FreeParameters parameters;
    std::vector<double> held;         ///< [parameters_of(motion)]: the start
    nlsq::Box box;                    ///< of the free parameters
    std::vector<double> start;        ///< of the free parameters
    std::vector<double> scale_start;  ///< [coefficients]
};

}  // namespace lockstep::xpcs
