#include "sddp/process/inflow_model_closure.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/matrix_view.hpp"

#include "sddp/process/fitting/linear.hpp"

namespace lockstep::sddp {
namespace {

constexpr double rounding = 1e-9;

/// A square matrix that owns its numbers.
struct SquareMatrix {
    std::size_t size;
    std::vector<double> cells;

    explicit SquareMatrix(std::size_t n) : size(n), cells(n * n, 0.0) {}
    double& operator()(std::size_t row, std::size_t column) { return cells[row * size + column]; }
    double operator()(std::size_t row, std::size_t column) const {
        return cells[row * size + column];
    }
};

SquareMatrix product(const SquareMatrix& a, const SquareMatrix& b) {
    SquareMatrix result(a.size);
    for (std::size_t i = 0; i < a.size; ++i) {
        for (std::size_t k = 0; k < a.size; ++k) {
            for (std::size_t j = 0; j < a.size; ++j) {
                result(i, j) += a(i, k) * b(k, j);
            }
        }
    }
    return result;
}

double frobenius_norm(const SquareMatrix& matrix) {
    double sum = 0;
    for (const double cell : matrix.cells) {
        sum += cell * cell;
    }
    return std::sqrt(sum);
}

std::size_t month_before(std::size_t month, std::size_t lag) {
    return static_cast<std::size_t>(
        calendar_month(static_cast<int>(month) - static_cast<int>(lag)));
}

/// One month: the new value enters in front, the others move back.
SquareMatrix companion(const std::vector<double>& coefficients, std::size_t order) {
    SquareMatrix result(order);
    for (std::size_t j = 0; j < coefficients.size(); ++j) {
        result(0, j) = coefficients[j];
    }
    for (std::size_t i = 1; i < order; ++i) {
        result(i, i - 1) = 1;
    }
    return result;
}

/// What a year makes of the last `order` values.
SquareMatrix monodromy(const PeriodicCoefficients& coefficients, std::size_t order) {
    SquareMatrix result = companion(coefficients.front(), order);
    for (std::size_t month = 1; month < months_per_year; ++month) {
        result = product(companion(coefficients[month], order), result);
    }
    return result;
}

/// Whether ‖M^64‖^(1/64) stays below 1, without the root.
bool dies_out(SquareMatrix year) {
    double limit = 1 - rounding;
    for (int doubling = 0; doubling < 6; ++doubling) {
        year = product(year, year);
        limit *= limit;
    }
    return frobenius_norm(year) < limit;
}

/// ρ_m(k) for k = 1 … order as a row of `order` unknowns a month.
struct Unknowns {
    std::size_t order;
    [[nodiscard]] std::size_t operator()(std::size_t month, std::size_t lag) const {
        return month * order + lag - 1;
    }
    [[nodiscard]] std::size_t count() const { return order * months_per_year; }
};

/// ρ_m(k) - Σ_j φ_{m,j} ρ_{m-min(j,k)}(|j-k|) = 0 with ρ(0) = 1.
std::optional<std::vector<double>> autocorrelations(const PeriodicCoefficients& coefficients,
                                                    Unknowns unknown) {
    std::vector<double> cells(unknown.count() * unknown.count(), 0.0);
    std::vector<double> right(unknown.count(), 0.0);
    const MatrixView<double> matrix(cells.data(), unknown.count(), unknown.count());
    for (std::size_t month = 0; month < months_per_year; ++month) {
        for (std::size_t k = 1; k <= unknown.order; ++k) {
            const std::size_t row = unknown(month, k);
            matrix(row, row) += 1;
            for (std::size_t j = 1; j <= coefficients[month].size(); ++j) {
                const double coefficient = coefficients[month][j - 1];
                if (j == k) {
                    right[row] += coefficient;
                    continue;
                }
                const std::size_t distance = j > k ? j - k : k - j;
                matrix(row, unknown(month_before(month, std::min(j, k)), distance)) -= coefficient;
            }
        }
    }
    if (!solve_linear(matrix, right)) {
        return std::nullopt;
    }
    return right;
}

std::size_t longest(const PeriodicCoefficients& coefficients) {
    std::size_t order = 0;
    for (const std::vector<double>& month : coefficients) {
        order = std::max(order, month.size());
    }
    return order;
}

}  // namespace

std::optional<Closure> periodic_closure(const PeriodicCoefficients& coefficients,
                                        std::string& why_not) {
    Closure closure;
    closure.residual_ratio.fill(1);
    const Unknowns unknown{longest(coefficients)};
    if (unknown.order == 0) {
        return closure;
    }
    if (!dies_out(monodromy(coefficients, unknown.order))) {
        why_not = "a disturbance does not die out from year to year";
        return std::nullopt;
    }
    const auto rho = autocorrelations(coefficients, unknown);
    const auto is_too_large = [](double value) { return !(std::abs(value) <= 1 + rounding); };
    if (!rho || std::ranges::any_of(*rho, is_too_large)) {
        why_not = "they imply autocorrelations outside [-1, 1]";
        return std::nullopt;
    }
    for (std::size_t month = 0; month < months_per_year; ++month) {
        double variance = 1;
        for (std::size_t j = 1; j <= coefficients[month].size(); ++j) {
            variance -= coefficients[month][j - 1] * (*rho)[unknown(month, j)];
        }
        constexpr double least_variance = 1e-12;
        if (!(variance > least_variance)) {
            why_not =
                fmt::format("month {} would have the residual variance {}", month + 1, variance);
            return std::nullopt;
        }
        closure.residual_ratio[month] = std::sqrt(variance);
    }
    return closure;
}

}  // namespace lockstep::sddp
