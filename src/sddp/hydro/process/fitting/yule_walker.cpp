#include "sddp/hydro/process/fitting/yule_walker.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "lockstep/base/index.hpp"
#include "lockstep/base/matrix_view.hpp"

#include "sddp/hydro/process/fitting/linear.hpp"

namespace lockstep::sddp {
namespace {

/// Correlation of z_{t-a} with z_{t-b}, t in `season`.
double between(const SeasonMoments& moments, int season, int a, int b) {
    return moments.correlation(season - std::min(a, b), std::abs(a - b));
}

/// A square system that owns its numbers.
struct LinearSystem {
    std::vector<double> cells;
    std::vector<double> right;
    MatrixView<double> matrix;

    explicit LinearSystem(int size)
        : cells(static_cast<std::size_t>(size * size), 0.0),
          right(static_cast<std::size_t>(size), 0.0),
          matrix(cells.data(), size, size) {}
    LinearSystem(const LinearSystem&) = delete;
    LinearSystem& operator=(const LinearSystem&) = delete;
};

/// The equations for z_{t-1} … z_{t-order}; further rows stay empty.
void fill_lags(LinearSystem& system, const SeasonMoments& moments, int season, int order) {
    for (int i = 0; i < order; ++i) {
        for (int j = 0; j < order; ++j) {
            system.matrix(i, j) = between(moments, season, i + 1, j + 1);
        }
        system.right[at(i)] = moments.correlation(season, i + 1);
    }
}

/// A variable of the conditional correlation: z_{t-lag}, or the yearly mean before t.
struct Variable {
    int lag = 0;
    bool is_annual = false;
};

double between(const SeasonMoments& moments, int season, Variable a, Variable b) {
    if (a.is_annual && b.is_annual) {
        return 1;
    }
    if (a.is_annual || b.is_annual) {
        return moments.annual_correlation(season, a.is_annual ? b.lag : a.lag);
    }
    return between(moments, season, a.lag, b.lag);
}

/// Σ22⁻¹ Σ21 for one variable on the left; nothing when Σ22 is singular.
std::optional<std::vector<double>> regression(const SeasonMoments& moments,
                                              int season,
                                              const std::vector<Variable>& given,
                                              Variable of) {
    LinearSystem system(static_cast<int>(given.size()));
    for (std::size_t i = 0; i < given.size(); ++i) {
        for (std::size_t j = 0; j < given.size(); ++j) {
            system.matrix(i, j) = between(moments, season, given[i], given[j]);
        }
        system.right[i] = between(moments, season, given[i], of);
    }
    if (!solve_linear(system.matrix, system.right)) {
        return std::nullopt;
    }
    return std::move(system.right);
}

}  // namespace

std::optional<SeasonFit> fit_classical(const SeasonMoments& moments, int season, int order) {
    LinearSystem system(order);
    fill_lags(system, moments, season, order);
    if (!solve_linear(system.matrix, system.right)) {
        return std::nullopt;
    }
    return SeasonFit{std::move(system.right), 0};
}

std::optional<SeasonFit> fit_with_annual(const SeasonMoments& moments, int season, int order) {
    LinearSystem system(order + 1);
    fill_lags(system, moments, season, order);
    for (int i = 0; i < order; ++i) {
        system.matrix(i, order) = moments.annual_correlation(season, i + 1);
        system.matrix(order, i) = system.matrix(i, order);
    }
    system.matrix(order, order) = 1;
    system.right.back() = moments.annual_correlation(season, 0);
    if (!solve_linear(system.matrix, system.right)) {
        return std::nullopt;
    }
    const double annual = system.right.back();
    system.right.pop_back();
    return SeasonFit{std::move(system.right), annual};
}

double partial_correlation(const SeasonMoments& moments, int season, int lag) {
    const auto fit = fit_classical(moments, season, lag);
    return fit ? fit->coefficients.back() : 0;
}

double partial_correlation_given_annual(const SeasonMoments& moments, int season, int lag) {
    std::vector<Variable> given;
    for (int between_lag = 1; between_lag < lag; ++between_lag) {
        given.push_back({between_lag, false});
    }
    given.push_back({0, true});
    const Variable now{0, false};
    const Variable then{lag, false};
    const auto on_now = regression(moments, season, given, now);
    const auto on_then = regression(moments, season, given, then);
    if (!on_now || !on_then) {
        return 0;
    }
    double variance_now = 1;
    double variance_then = 1;
    double covariance = between(moments, season, now, then);
    for (std::size_t i = 0; i < given.size(); ++i) {
        const double with_now = between(moments, season, given[i], now);
        const double with_then = between(moments, season, given[i], then);
        variance_now -= with_now * (*on_now)[i];
        variance_then -= with_then * (*on_then)[i];
        covariance -= with_now * (*on_then)[i];
    }
    const double scale = variance_now * variance_then;
    return variance_now > 0 && scale > 0 ? covariance / std::sqrt(scale) : 0;
}

}  // namespace lockstep::sddp
