#pragma once

#include <span>
#include <vector>

#include <Eigen/Dense>

#include "lockstep/xpcs/nlsq/trust_region.hpp"

#include "xpcs/model/scale_equations.hpp"

namespace lockstep::xpcs {

/// Contrasts and offsets that fit best for given physical parameters, and what is left of the
/// normal equations of those: variable projection [GolubPereyra1973] with the derivatives of
/// [Kaufman1975]: equations (10) and (11) of docs/xpcs/theory.md.
class Projection {
public:
    /// `scaling` is referred to.
    /// @param parameters  physical ones
    Projection(const Scaling& scaling, int parameters);

    /// Finds the coefficients within their bounds. Allocates nothing.
    void solve(const WeightedSums& at);
    /// Takes those of the reference as they are.
    /// @param bounds  [coefficients]: which are held by a bound
    void take(const WeightedSums& at, std::span<const nlsq::AtBound> bounds);

    // All that follows is of the last of these, and of the same sums.

    [[nodiscard]] std::span<const double> coefficients() const noexcept { return coefficients_; }
    [[nodiscard]] nlsq::AtBound bound_of(int coefficient) const;
    /// Weighted, of all angles, with the penalty that the scaling has.
    [[nodiscard]] double sum_of_squares() const noexcept { return sum_of_squares_; }
    [[nodiscard]] double penalty() const;
    /// Of one angle, without its weight.
    [[nodiscard]] double sum_of_squares(const WeightedSums& at, int angle) const;
    /// Of half the sum of squares by the physical parameters, [parameters].
    void gradient(const WeightedSums& at, std::span<double> gradient) const;
    /// JᵀJ of the physical parameters with the coefficients projected out, [parameters,
    /// parameters].
    void gram(const WeightedSums& at, std::span<double> gram);
    /// Of half the sum of squares by the coefficients, [coefficients].
    void scale_gradient(std::span<double> gradient) const;
    /// JᵀJ of coefficients and physical parameters together, [n, n]; coefficients at a bound have
    /// rows of zeros.
    [[nodiscard]] std::vector<double> whole_gram(const WeightedSums& at) const;

private:
    void assemble(const WeightedSums& at);
    void descend(const WeightedSums& at);
    bool step_within(const WeightedSums& at);
    bool release(const WeightedSums& at);
    void solve_free();
    void list_free();
    void sum_squares(const WeightedSums& at);
    void add_penalty(const WeightedSums& at);
    [[nodiscard]] double nearest_bound(int coefficient, double value) const;
    [[nodiscard]] double mixed(const WeightedSums& at, int coefficient, int parameter) const;
    [[nodiscard]] double physical(const WeightedSums& at, int p, int q) const;

    const Scaling& scaling_;
    int parameters_;
    Eigen::MatrixXd matrix_;    // of the coefficients
    Eigen::VectorXd right_;     // what the residuals ask of them
    Eigen::VectorXd change_;    // of the coefficients from the reference
    Eigen::VectorXd target_;    // where the free ones would go
    Eigen::MatrixXd factor_;    // of the free ones
    std::vector<int> members_;  // free coefficients
    std::vector<bool> free_;
    std::vector<double> coefficients_;
    std::vector<double> mixed_;  // [free coefficients]
    double sum_of_squares_ = 0;
};

}  // namespace lockstep::xpcs
