#pragma once

#include <span>
#include <vector>

#include <Eigen/Dense>

#include "lockstep/xpcs/model/prior.hpp"

#include "xpcs/model/scale_equations.hpp"

namespace lockstep::xpcs {

/// The likelihood of the physical parameters and σ with the scaling's coefficients integrated out,
/// whose priors are flat or normal: a Gaussian integral in closed form, equation (20)
/// of docs/xpcs/theory.md.
class Marginal {
public:
    /// `scaling` is referred to.
    Marginal(const Scaling& scaling,
             const Prior& contrast,
             const Prior& offset,
             double prior_power);

    /// The logarithm, up to a constant, with σ the angles' sigma times `factor`. Allocates nothing.
    double log(const WeightedSums& of, double pairs, double factor);

    /// Of the last log(): its derivative by the logarithm of the factor,
    [[nodiscard]] double by_log_factor() const noexcept { return by_log_factor_; }
    /// and by the physical parameters; sums have to hold the gradient's.
    void gradient(const WeightedSums& of, std::span<double> gradient) const;

    /// Mean and covariance [coefficients, coefficients] of the coefficients given the rest; of the
    /// last log().
    [[nodiscard]] std::vector<double> mean(const WeightedSums& of) const;
    [[nodiscard]] const Eigen::MatrixXd& covariance() const noexcept { return inverse_; }

private:
    const Scaling& scaling_;
    Eigen::VectorXd precision_;  // of the priors
    Eigen::VectorXd centre_;
    Eigen::MatrixXd data_;  // JᵀJ of the coefficients
    Eigen::MatrixXd matrix_;
    Eigen::MatrixXd inverse_;
    Eigen::VectorXd right_;
    Eigen::VectorXd change_;
    double precision_factor_ = 1;  // 1 / factor²
    double by_log_factor_ = 0;
};

}  // namespace lockstep::xpcs
