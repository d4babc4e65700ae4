#include "xpcs/model/marginal.hpp"

#include <cmath>
#include <limits>

#include "lockstep/base/index.hpp"
#include "lockstep/base/math.hpp"

namespace lockstep::xpcs {
namespace {

constexpr int one = AngleSums::one;
constexpr int x = AngleSums::x;
constexpr int residual = AngleSums::residual;
constexpr int derivative = AngleSums::first_derivative;

}  // namespace

Marginal::Marginal(const Scaling& scaling,
                   const Prior& contrast,
                   const Prior& offset,
                   double prior_power)
    : scaling_(scaling),
      precision_(scaling.coefficients()),
      centre_(scaling.coefficients()),
      data_(scaling.coefficients(), scaling.coefficients()),
      matrix_(data_),
      inverse_(data_),
      right_(scaling.coefficients()),
      change_(scaling.coefficients()) {
    for (int k = 0; k < scaling.coefficients(); ++k) {
        const Prior& prior = k < scaling.functions() ? contrast : offset;
        const bool is_flat = prior.kind == Prior::Kind::uniform;
        precision_[k] = is_flat ? 0 : prior_power / (prior.deviation * prior.deviation);
        centre_[k] = prior.mean;
    }
}

double Marginal::log(const WeightedSums& of, double pairs, double factor) {
    const int size = scaling_.coefficients();
    precision_factor_ = 1 / (factor * factor);
    assemble(scaling_, of, data_, right_);
    double prior_squares = 0;
    for (int k = 0; k < size; ++k) {
        const double distance = centre_[k] - of.reference[at(k)];
        right_[k] = precision_factor_ * right_[k] + precision_[k] * distance;
        prior_squares += precision_[k] * distance * distance;
    }
    matrix_ = precision_factor_ * data_;
    matrix_.diagonal() += precision_;

    using Square = Eigen::Ref<Eigen::MatrixXd>;
    Square square(matrix_);
    const Eigen::LLT<Square> in_place(square);
    change_ = right_;
    in_place.solveInPlace(change_);
    double log_determinant = 0;
    for (int k = 0; k < size; ++k) {
        log_determinant += 2 * math::log(matrix_(k, k));
    }
    inverse_.setIdentity();
    in_place.solveInPlace(inverse_);

    double squares = 0;  // about the reference
    double squares_left = 0;
    for (std::size_t angle = 0; angle < of.sums.size(); ++angle) {
        const Scale change = change_at(scaling_, static_cast<int>(angle), change_);
        squares += of.weights[angle] * of.sums[angle](residual, residual);
        squares_left += of.weights[angle] * squares_after(of.sums[angle], change);
    }
    const double quadratic = precision_factor_ * squares + prior_squares - right_.dot(change_);
    by_log_factor_ = precision_factor_ * squares_left - pairs +
                     precision_factor_ * inverse_.cwiseProduct(data_).sum();
    const double log = -pairs * math::log(factor) - quadratic / 2 - log_determinant / 2;
    return std::isfinite(log) ? log : -std::numeric_limits<double>::infinity();
}

void Marginal::gradient(const WeightedSums& of, std::span<double> gradient) const {
    const int functions = scaling_.functions();
    for (std::size_t angle = 0; angle < of.sums.size(); ++angle) {
        const AngleSums& sums = of.sums[angle];
        const int a = static_cast<int>(angle);
        const Scale change = change_at(scaling_, a, change_);
        const double contrast = scaling_.scale_of(a, of.reference).contrast + change.contrast;
        double contrast_variance = 0;
        double covariance = 0;
        for (int p = 0; p < functions; ++p) {
            for (int q = 0; q < functions; ++q) {
                const double basis = scaling_.basis(a, p) * scaling_.basis(a, q);
                contrast_variance += basis * inverse_(p, q);
                covariance += basis * inverse_(p, functions + q);
            }
        }
        const double weight = of.weights[angle] * precision_factor_;
        for (std::size_t p = 0; p < gradient.size(); ++p) {
            const int column = derivative + static_cast<int>(p);
            gradient[p] +=
                weight * (contrast * (sums(residual, column) - change.offset * sums(one, column) -
                                      change.contrast * sums(x, column)) -
                          contrast_variance * sums(x, column) - covariance * sums(one, column));
        }
    }
}

std::vector<double> Marginal::mean(const WeightedSums& of) const {
    std::vector<double> mean(of.reference.begin(), of.reference.end());
    for (std::size_t k = 0; k < mean.size(); ++k) {
        mean[k] += change_[static_cast<int>(k)];
    }
    return mean;
}

}  // namespace lockstep::xpcs
