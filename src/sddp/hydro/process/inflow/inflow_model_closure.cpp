#include "sddp/hydro/process/inflow/inflow_model_closure.hpp"

#include <algorithm>
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

/// Lags may be longer than the cycle.
std::size_t season_before(std::size_t season, std::size_t lag, std::size_t seasons) {
    return (season + seasons - lag % seasons) % seasons;
}

/// One season: the new value enters in front, the others move back.
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

/// What a cycle makes of the last `order` values.
SquareMatrix monodromy(const PeriodicCoefficients& coefficients, std::size_t order) {
    SquareMatrix result = companion(coefficients.seasons.front(), order);
    for (std::size_t season = 1; season < coefficients.seasons.size(); ++season) {
        result = product(companion(coefficients.seasons[season], order), result);
    }
    return result;
}

/// Whether ‖M^64‖^(1/64) stays below 1, without the root.
bool dies_out(SquareMatrix cycle) {
    double limit = 1 - rounding;
    for (int doubling = 0; doubling < 6; ++doubling) {
        cycle = product(cycle, cycle);
        limit *= limit;
    }
    return frobenius_norm(cycle) < limit;
}

/// ρ_m(k) for k = 1 … order as a row of `order` unknowns a season.
struct Unknowns {
    std::size_t order;
    std::size_t seasons;
    [[nodiscard]] std::size_t operator()(std::size_t season, std::size_t lag) const {
        return season * order + lag - 1;
    }
    [[nodiscard]] std::size_t count() const { return order * seasons; }
};

/// ρ_m(k) - Σ_j φ_{m,j} ρ_{m-min(j,k)}(|j-k|) = 0 with ρ(0) = 1.
std::optional<std::vector<double>> autocorrelations(const PeriodicCoefficients& coefficients,
                                                    Unknowns unknown) {
    std::vector<double> cells(unknown.count() * unknown.count(), 0.0);
    std::vector<double> right(unknown.count(), 0.0);
    const MatrixView<double> matrix(cells.data(), unknown.count(), unknown.count());
    for (std::size_t season = 0; season < unknown.seasons; ++season) {
        const std::vector<double>& own = coefficients.seasons[season];
        for (std::size_t k = 1; k <= unknown.order; ++k) {
            const std::size_t row = unknown(season, k);
            matrix(row, row) += 1;
            for (std::size_t j = 1; j <= own.size(); ++j) {
                if (j == k) {
                    right[row] += own[j - 1];
                    continue;
                }
                const std::size_t distance = j > k ? j - k : k - j;
                const std::size_t since = season_before(season, std::min(j, k), unknown.seasons);
                matrix(row, unknown(since, distance)) -= own[j - 1];
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
    for (const std::vector<double>& season : coefficients.seasons) {
        order = std::max(order, season.size());
    }
    return order;
}

/// The season whose first lag weighs most, for a message.
std::size_t strongest_season(const PeriodicCoefficients& coefficients) {
    const auto first = [](const std::vector<double>& season) {
        return season.empty() ? 0 : std::abs(season.front());
    };
    return static_cast<std::size_t>(std::ranges::max_element(coefficients.seasons, {}, first) -
                                    coefficients.seasons.begin());
}

/// Why the process of these autocorrelations is not stationary; empty when it is.
std::string doubt_of(const PeriodicCoefficients& coefficients,
                     const std::vector<double>& rho,
                     Unknowns unknown) {
    if (!dies_out(monodromy(coefficients, unknown.order))) {
        return fmt::format(
            "a disturbance does not die out from year to year; the strongest season is {}",
            coefficients.names.at(strongest_season(coefficients)));
    }
    const auto outside =
        std::ranges::find_if(rho, [](double value) { return !(std::abs(value) <= 1 + rounding); });
    if (outside == rho.end()) {
        return {};
    }
    const auto place = static_cast<std::size_t>(outside - rho.begin());
    return fmt::format("{} would have the autocorrelation {} at lag {}",
                       coefficients.names.at(place / unknown.order),
                       *outside,
                       place % unknown.order + 1);
}

}  // namespace

std::optional<Closure> periodic_closure(const PeriodicCoefficients& coefficients,
                                        std::string& why_not) {
    Closure closure;
    const std::size_t seasons = coefficients.seasons.size();
    closure.residual_ratio.assign(seasons, 1);
    const Unknowns unknown{longest(coefficients), seasons};
    if (unknown.order == 0) {
        return closure;
    }
    const auto rho = autocorrelations(coefficients, unknown);
    if (!rho) {
        why_not = "their equations for the autocorrelations have no solution";
        return std::nullopt;
    }
    closure.doubt = doubt_of(coefficients, *rho, unknown);
    for (std::size_t season = 0; season < seasons; ++season) {
        double variance = 1;
        for (std::size_t j = 1; j <= coefficients.seasons[season].size(); ++j) {
            variance -= coefficients.seasons[season][j - 1] * (*rho)[unknown(season, j)];
        }
        constexpr double least_variance = 1e-12;
        if (!(variance >= -least_variance)) {
            why_not = fmt::format(
                "{} would have the residual variance {}", coefficients.names.at(season), variance);
            return std::nullopt;
        }
        if (variance <= least_variance && closure.doubt.empty()) {
            closure.doubt =
                fmt::format("{} would have no residual variance", coefficients.names.at(season));
        }
        closure.residual_ratio[season] = std::sqrt(std::max(variance, 0.0));
    }
    return closure;
}

}  // namespace lockstep::sddp
