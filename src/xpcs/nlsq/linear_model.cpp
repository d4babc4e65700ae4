#include "xpcs/nlsq/linear_model.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace lockstep::xpcs::nlsq {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

// Above this square of a pivot, Cholesky's triangle is as good as any root.
constexpr double safe_pivot = 1e-6;

Vector lengths_or_one(const Vector& columns) {
    return (columns.array() > 0).select(columns, 1);
}

// A root of `unit`, whose diagonal is 1 or 0, by its eigenvectors; what is noise is left out.
void take_eigen_root(const Matrix& unit, const Vector& unit_gradient, LinearModel& model) {
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(unit);
    const Vector& values = solver.eigenvalues();
    const double noise =
        std::max(values.maxCoeff(), 0.0) * epsilon * static_cast<double>(unit.rows());
    model.root.setZero(unit.rows(), unit.cols());
    model.rest.setZero(unit.rows());
    for (Index i = 0; i < unit.rows(); ++i) {
        if (values[i] > noise) {
            const double root = std::sqrt(values[i]);
            model.root.row(i) = root * solver.eigenvectors().col(i).transpose();
            model.rest[i] = solver.eigenvectors().col(i).dot(unit_gradient) / root;
        }
    }
}

void take_root(const Matrix& unit, const Vector& unit_gradient, LinearModel& model) {
    const Eigen::LLT<Matrix> cholesky(unit);
    const auto pivots = cholesky.matrixLLT().diagonal().array();
    if (cholesky.info() != Eigen::Success || pivots.square().minCoeff() < safe_pivot) {
        take_eigen_root(unit, unit_gradient, model);
        return;
    }
    model.root = cholesky.matrixU();
    model.rest = cholesky.matrixL().solve(unit_gradient);
}

}  // namespace

bool LinearModel::is_finite() const {
    return root.allFinite() && rest.allFinite() && gradient.allFinite() && columns.allFinite() &&
           std::isfinite(length);
}

LinearModel model_of_triangle(Matrix triangle, Vector rest, double length, double rows) {
    LinearModel model;
    model.root = std::move(triangle);
    model.rest = std::move(rest);
    model.gradient = model.root.transpose() * model.rest;
    model.columns = model.root.colwise().stableNorm();
    model.length = length;
    model.resolution = epsilon * std::max(rows, static_cast<double>(model.root.cols()));
    return model;
}

LinearModel model_of_gram(const Matrix& gram, const Vector& gradient, double length) {
    LinearModel model;
    model.columns = gram.diagonal().cwiseMax(0).cwiseSqrt();
    model.gradient = gradient;
    model.length = length;
    model.resolution = std::sqrt(epsilon * static_cast<double>(gram.rows()));
    const Vector unit = lengths_or_one(model.columns);
    const Matrix inverse = unit.cwiseInverse().asDiagonal();
    take_root(inverse * gram * inverse, inverse * gradient, model);
    model.root = model.root * unit.asDiagonal();
    return model;
}

}  // namespace lockstep::xpcs::nlsq
