#include "lockstep/xpcs/cmc/covariance_factor.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/math.hpp"

namespace lockstep::xpcs::cmc {
namespace {

std::size_t side_of(std::size_t entries) {
    std::size_t n = 0;
    while (n * n < entries) {
        ++n;
    }
    if (n * n != entries || n == 0) {
        throw InputError(fmt::format("a covariance of {} entries is not square", entries));
    }
    return n;
}

// The square root of a pivot of row i; NaN is no positive number.
double root(double pivot, std::size_t i) {
    if (!(pivot > 0) || std::isinf(pivot)) {
        throw InputError(
            fmt::format("the covariance is not positive definite: pivot {} of row {} must be above "
                        "0 and finite",
                        pivot,
                        i));
    }
    return std::sqrt(pivot);
}

}  // namespace

CovarianceFactor CovarianceFactor::diagonal(std::span<const double> variances) {
    CovarianceFactor factor;
    factor.n_ = variances.size();
    for (std::size_t i = 0; i < variances.size(); ++i) {
        factor.rows_.push_back(root(variances[i], i));
    }
    return factor;
}

CovarianceFactor CovarianceFactor::dense(std::span<const double> covariance) {
    const std::size_t n = side_of(covariance.size());
    CovarianceFactor factor;
    factor.n_ = n;
    factor.rows_.assign(n * n, 0);
    factor.columns_.assign(n * n, 0);
    auto& lower = factor.rows_;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double rest = covariance[i * n + j];
            for (std::size_t k = 0; k < j; ++k) {
                rest -= lower[i * n + k] * lower[j * n + k];
            }
            lower[i * n + j] = i == j ? root(rest, i) : rest / lower[j * n + j];
            factor.columns_[j * n + i] = lower[i * n + j];
        }
    }
    return factor;
}

// The triangular products go along rows of L or of Lᵀ, so that the inner loop has no sum in it and
// turns into vector instructions with one fixed order of additions.
void CovarianceFactor::multiply(std::span<const double> z, std::span<double> x) const {
    if (is_diagonal()) {
        for (std::size_t i = 0; i < n_; ++i) {
            x[i] = rows_[i] * z[i];
        }
        return;
    }
    std::fill_n(x.begin(), n_, 0.0);
    for (std::size_t j = 0; j < n_; ++j) {
        const double* column = columns_.data() + j * n_;
        const double factor = z[j];
        for (std::size_t i = j; i < n_; ++i) {
            x[i] += column[i] * factor;
        }
    }
}

void CovarianceFactor::multiply_transposed(std::span<const double> x, std::span<double> z) const {
    if (is_diagonal()) {
        multiply(x, z);
        return;
    }
    std::fill_n(z.begin(), n_, 0.0);
    for (std::size_t i = 0; i < n_; ++i) {
        const double* row = rows_.data() + i * n_;
        const double factor = x[i];
        for (std::size_t j = 0; j <= i; ++j) {
            z[j] += row[j] * factor;
        }
    }
}

void CovarianceFactor::solve(std::span<double> x) const {
    for (std::size_t j = 0; j < n_; ++j) {
        if (is_diagonal()) {
            x[j] /= rows_[j];
            continue;
        }
        const double* column = columns_.data() + j * n_;
        x[j] /= column[j];
        for (std::size_t i = j + 1; i < n_; ++i) {
            x[i] -= column[i] * x[j];
        }
    }
}

void CovarianceFactor::solve_transposed(std::span<double> x) const {
    for (std::size_t i = n_; i-- > 0;) {
        if (is_diagonal()) {
            x[i] /= rows_[i];
            continue;
        }
        const double* row = rows_.data() + i * n_;
        x[i] /= row[i];
        for (std::size_t j = 0; j < i; ++j) {
            x[j] -= row[j] * x[i];
        }
    }
}

double CovarianceFactor::log_determinant() const {
    double sum = 0;
    const std::size_t stride = is_diagonal() ? 1 : n_ + 1;
    for (std::size_t i = 0; i < n_; ++i) {
        sum += math::log(rows_[i * stride]);
    }
    return sum;
}

std::vector<double> CovarianceFactor::inverse() const {
    std::vector<double> inverse(n_ * n_, 0);
    std::vector<double> column(n_);
    for (std::size_t j = 0; j < n_; ++j) {
        std::fill(column.begin(), column.end(), 0.0);
        column[j] = 1;
        solve(column);
        solve_transposed(column);
        for (std::size_t i = j; i < n_; ++i) {
            inverse[i * n_ + j] = inverse[j * n_ + i] = column[i];
        }
    }
    return inverse;
}

}  // namespace lockstep::xpcs::cmc
