#include "sddp/hydro/process/inflow_model_closure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/matrix_view.hpp"

#include "sddp/hydro/process/fitting/linear.hpp"

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

constexpr std::array month_names = {"January",
                                    "February",
                                    "March",
                                    "April",
                                    "May",
                                    "June",
                                    "July",
                                    "August",
                                    "September",
                                    "October",
                                    "November",
                                    "December"};

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

/// The month whose first lag weighs most, for a message.
std::size_t strongest_month(const PeriodicCoefficients& coefficients) {
    const auto first = [](const std::vector<double>& month) {
        return month.empty() ? 0 : std::abs(month.front());
    };
    return static_cast<std::size_t>(std::ranges::max_element(coefficients, {}, first) -
                                    coefficients.begin());
}

/// Why the process of these autocorrelations is not stationary; empty when it is.
std::string doubt_of(const PeriodicCoefficients& coefficients,
                     const std::vector<double>& rho,
                     Unknowns unknown) {
    if (!dies_out(monodromy(coefficients, unknown.order))) {
        return fmt::format(
            "a disturbance does not die out from year to year; the strongest month is {}",
            month_names.at(strongest_month(coefficients)));
    }
    const auto outside =
        std::ranges::find_if(rho, [](double value) { return !(std::abs(value) <= 1 + rounding); });
    if (outside == rho.end()) {
        return {};
    }
    const auto place = static_cast<std::size_t>(outside - rho.begin());
    return fmt::format("{} would have the autocorrelation {} at lag {}",
                       month_names.at(place / unknown.order),
                       *outside,
                       place % unknown.order + 1);
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
    const auto rho = autocorrelations(coefficients, unknown);
    if (!rho) {
        why_not = "their equations for the autocorrelations have no solution";
        return std::nullopt;
    }
    closure.doubt = doubt_of(coefficients, *rho, unknown);
    for (std::size_t month = 0; month < months_per_year; ++month) {
        double variance = 1;
        for (std::size_t j = 1; j <= coefficients[month].size(); ++j) {
            variance -= coefficients[month][j - 1] * (*rho)[unknown(month, j)];
        }
        constexpr double least_variance = 1e-12;
        if (!(variance >= -least_variance)) {
            why_not = fmt::format(
                "{} would have the residual variance {}", month_names.at(month), variance);
            return std::nullopt;
        }
        if (variance <= least_variance && closure.doubt.empty()) {
            closure.doubt =
                fmt::format("{} would have no residual variance", month_names.at(month));
        }
        closure.residual_ratio[month] = std::sqrt(std::max(variance, 0.0));
    }
    return closure;
}

}  // namespace lockstep::sddp
