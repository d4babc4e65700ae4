#include <algorithm>
#include <cmath>
#include <utility>

#include "lockstep/base/index.hpp"

#include "xpcs/nlsq/system.hpp"
#include "xpcs/nlsq/triangulate.hpp"

namespace lockstep::xpcs::nlsq {

namespace {

// How far along a step its bend is measured: rounding and higher derivatives are both small there
// [TranstrumSethna2012].
constexpr double bend_part = 0.1;

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

ResidualSystem::ResidualSystem(Residuals& residuals, const Loss& loss)
    : residuals_(residuals),
      loss_(loss),
      r_(at(residuals.count())),
      base_(r_.size()),
      jacobian_(r_.size() * at(residuals.parameters())),
      system_(residuals.count(), residuals.parameters() + 1) {}

std::optional<double> ResidualSystem::cost_at(const Vector& x) {
    x_ = x;
    if (!residuals_.evaluate(span_of(x), r_, {})) {
        return std::nullopt;
    }
    double sum = 0;
    for (const double r : r_) {
        const double z = (r / loss_.scale) * (r / loss_.scale);
        sum += loss_.kind == Loss::Kind::linear
                   ? r * r
                   : loss_.scale * loss_.scale * loss_value(loss_.kind, z).value;
    }
    cost_ = sum / 2;
    return std::isfinite(sum) ? std::optional(cost_) : std::nullopt;
}

// With a loss, the residuals and rows whose squares have the cost's gradient and, along each
// residual, its second derivative.
void ResidualSystem::weigh() {
    const Index p = system_.cols() - 1;
    for (Index i = 0; i < system_.rows(); ++i) {
        const double z = (system_(i, p) / loss_.scale) * (system_(i, p) / loss_.scale);
        const LossValue rho = loss_value(loss_.kind, z);
        const double weight = curvature_weight(rho, z);
        system_(i, p) *= rho.first / weight;
        system_.row(i).head(p) *= weight;
    }
}

std::optional<LinearModel> ResidualSystem::linearise() {
    const Index p = parameters();
    has_jacobian_ = residuals_.evaluate(span_of(x_), r_, jacobian_);
    if (!has_jacobian_) {
        return std::nullopt;
    }
    base_ = r_;
    system_.leftCols(p) = Eigen::Map<const RowMajor>(jacobian_.data(), system_.rows(), p);
    system_.col(p) = vector_of(r_);
    if (loss_.kind != Loss::Kind::linear) {
        weigh();
    }
    triangulate(system_);
    const Index rank = std::min(p, system_.rows());
    LinearModel model =
        model_of_triangle(system_.topLeftCorner(rank, p).triangularView<Eigen::Upper>(),
                          system_.col(p).head(rank),
                          std::sqrt(2 * cost_),
                          static_cast<double>(system_.rows()));
    has_jacobian_ = model.is_finite();
    return has_jacobian_ ? std::optional(std::move(model)) : std::nullopt;
}

std::optional<Vector> ResidualSystem::bend(const Vector& x, const Vector& v) {
    const Vector near = x + bend_part * v;
    if (!residuals_.evaluate(span_of(near), r_, {})) {
        return std::nullopt;
    }
    const Eigen::Map<const RowMajor> jacobian(jacobian_.data(), system_.rows(), parameters());
    const Vector slope = (vector_of(r_) - vector_of(base_)) / bend_part;
    const Vector second = (slope - jacobian * v) * (2 / bend_part);
    return second.allFinite() ? std::optional<Vector>(jacobian.transpose() * second) : std::nullopt;
}

}  // namespace lockstep::xpcs::nlsq
