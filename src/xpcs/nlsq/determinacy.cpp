#include <cmath>
#include <limits>

#include <Eigen/SVD>
#include <fmt/format.h>

#include "lockstep/base/index.hpp"

#include "xpcs/nlsq/determinacy_of.hpp"

namespace lockstep::xpcs::nlsq {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<Index> free_parameters(const std::vector<AtBound>& bounds) {
    std::vector<Index> free;
    for (std::size_t i = 0; i < bounds.size(); ++i) {
        if (bounds[i] == AtBound::no) {
            free.push_back(static_cast<Index>(i));
        }
    }
    return free;
}

std::vector<double> spread(const Vector& part,
                           const std::vector<Index>& free,
                           std::size_t parameters) {
    std::vector<double> all(parameters, 0.0);
    for (std::size_t i = 0; i < free.size(); ++i) {
        all[at(free[i])] = part[static_cast<Index>(i)];
    }
    return all;
}

std::vector<double> spread(const Matrix& part,
                           const std::vector<Index>& free,
                           std::size_t parameters) {
    std::vector<double> all(parameters * parameters, nan);
    for (std::size_t i = 0; i < free.size(); ++i) {
        for (std::size_t j = 0; j < free.size(); ++j) {
            all[at(free[i]) * parameters + at(free[j])] =
                part(static_cast<Index>(i), static_cast<Index>(j));
        }
    }
    return all;
}

// "0.71 D0 - 0.71 alpha", the largest parts first in the parameters' order.
std::string combination(const std::vector<double>& weights, const Box& box) {
    std::string text;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (std::abs(weights[i]) < 0.05) {
            continue;
        }
        const char* sign =
            weights[i] < 0 ? (text.empty() ? "-" : " - ") : (text.empty() ? "" : " + ");
        text +=
            fmt::format("{}{:.2f} {}", sign, std::abs(weights[i]), box.name(static_cast<int>(i)));
    }
    return text;
}

// Of the two signs the one whose largest part is positive.
Vector oriented(Vector direction) {
    Index largest = 0;
    direction.cwiseAbs().maxCoeff(&largest);
    return direction[largest] < 0 ? Vector(-direction) : direction;
}

}  // namespace

Determinacy determinacy_of(const LinearModel& model, const std::vector<AtBound>& bounds) {
    const std::vector<Index> free = free_parameters(bounds);
    Determinacy d;
    d.free = static_cast<int>(free.size());
    if (free.empty()) {
        d.inverse.assign(bounds.size() * bounds.size(), nan);
        return d;
    }
    const Vector columns = model.columns(free);
    const Vector unit = (columns.array() > 0).select(columns, 1);
    const Matrix a = model.root(Eigen::all, free) * unit.cwiseInverse().asDiagonal();
    const Eigen::JacobiSVD<Matrix> svd(a, Eigen::ComputeFullV);
    Vector values = Vector::Zero(d.free);
    values.head(svd.singularValues().size()) = svd.singularValues();
    d.rank = static_cast<int>((values.array() > model.resolution * values[0]).count());
    for (Index k = d.rank; k < d.free; ++k) {
        const Vector weights = oriented(svd.matrixV().col(k));
        d.weights.push_back(spread(weights, free, bounds.size()));
        d.undetermined.push_back(spread(Vector(weights.cwiseQuotient(unit)), free, bounds.size()));
    }
    d.weakest = spread(oriented(svd.matrixV().col(d.free - 1)), free, bounds.size());
    d.condition = std::numeric_limits<double>::infinity();
    if (d.rank == d.free) {
        d.condition = values[0] / values[d.free - 1];
        const Matrix half =
            unit.cwiseInverse().asDiagonal() * svd.matrixV() * values.cwiseInverse().asDiagonal();
        d.inverse = spread(Matrix(half * half.transpose()), free, bounds.size());
    }
    return d;
}

Determinacy determine(std::span<const double> gram, const std::vector<AtBound>& bounds) {
    const auto p = static_cast<Index>(bounds.size());
    const Eigen::Map<const Matrix> matrix(gram.data(), p, p);
    return determinacy_of(model_of_gram(matrix, Vector::Zero(p), 0), bounds);
}

std::string weakest_text(const Determinacy& determinacy, const Box& box) {
    return combination(determinacy.weakest, box);
}

std::string undetermined_text(const Determinacy& determinacy, const Box& box) {
    if (determinacy.weights.empty()) {
        return {};
    }
    std::string text = determinacy.weights.size() == 1
                           ? "the data do not determine the combination "
                           : fmt::format("the data do not determine {} combinations: ",
                                         determinacy.weights.size());
    for (std::size_t k = 0; k < determinacy.weights.size(); ++k) {
        text += (k > 0 ? "; " : "") + combination(determinacy.weights[k], box);
    }
    return text + " (each parameter in units of its effect on the residuals)";
}

Covariance classical_covariance(const Determinacy& determinacy,
                                const Box& box,
                                double cost,
                                double residuals) {
    if (determinacy.inverse.empty()) {
        return {{}, undetermined_text(determinacy, box)};
    }
    const double freedom = residuals - determinacy.free;
    if (freedom <= 0) {
        return {{},
                fmt::format("{} residuals leave no degree of freedom for {} parameters",
                            residuals,
                            determinacy.free)};
    }
    Covariance covariance{determinacy.inverse, {}};
    const std::size_t parameters =
        at(static_cast<int>(std::lround(std::sqrt(covariance.matrix.size()))));
    for (double& c : covariance.matrix) {
        c *= 2 * cost / freedom;
    }
    for (std::size_t i = 0; i < parameters; ++i) {
        if (std::isnan(determinacy.inverse[i * parameters + i])) {
            covariance.remark +=
                (covariance.remark.empty() ? "at a bound, so without an error: " : ", ") +
                box.name(static_cast<int>(i));
        }
    }
    return covariance;
}

}  // namespace lockstep::xpcs::nlsq
