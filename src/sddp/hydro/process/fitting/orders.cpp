#include "sddp/hydro/process/fitting/orders.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "lockstep/base/index.hpp"

namespace lockstep::sddp {
namespace {

constexpr double two_sided_5_percent = 1.96;

bool with_annual(const EstimationOptions& options) {
    return options.order_selection == OrderSelection::pacf_annual;
}

double partial(const SeasonMoments& moments,
               const EstimationOptions& options,
               int season,
               int lag) {
    return with_annual(options) ? partial_correlation_given_annual(moments, season, lag)
                                : partial_correlation(moments, season, lag);
}

int select_order(const SeasonMoments& moments,
                 const EstimationOptions& options,
                 int season,
                 int ceiling) {
    const double threshold =
        two_sided_5_percent / std::sqrt(static_cast<double>(moments.count(season)));
    int order = 0;
    for (int lag = 1; lag <= ceiling; ++lag) {
        if (std::abs(partial(moments, options, season, lag)) > threshold) {
            order = lag;
        }
    }
    const bool keep_first = with_annual(options) && order == 0 && ceiling > 0 &&
                            partial(moments, options, season, 1) != 0;
    return keep_first ? 1 : order;
}

/// The fit of the longest significant order up to `ceiling`. An answer against the season before
/// leaves no lags.
SeasonFit fit_season(const SeasonMoments& moments,
                     const EstimationOptions& options,
                     int season,
                     int ceiling) {
    const int order = select_order(moments, options, season, ceiling);
    if (order == 0) {
        return {};
    }
    const auto found = with_annual(options) ? fit_with_annual(moments, season, order)
                                            : fit_classical(moments, season, order);
    SeasonFit fit = found.value_or(SeasonFit{});
    if (fit.order() > 0 && fit.coefficients.front() < 0) {
        fit.coefficients.clear();
    }
    return fit;
}

bool exceeds_limit(const SeasonFit& fit, const EstimationOptions& options) {
    return options.max_coefficient_magnitude &&
           std::ranges::any_of(fit.coefficients, [&options](double coefficient) {
               return std::abs(coefficient) > *options.max_coefficient_magnitude;
           });
}

SeasonFit first_fit(const SeasonMoments& moments, const EstimationOptions& options, int season) {
    SeasonFit fit = fit_season(moments, options, season, options.max_order);
    if (exceeds_limit(fit, options)) {
        fit.coefficients.clear();
    }
    return fit;
}

/// φ_j s_m / s_{m-j-1}: the coefficient of lag j + 1 in original units.
double original(const PlantFit& fit, const SeasonMoments& moments, int season, std::size_t j) {
    const auto& coefficients = fit[moments.wrap(season)].coefficients;
    const double lag_std = moments.std(season - static_cast<int>(j) - 1);
    return j < coefficients.size() && lag_std > 0 ? coefficients[j] * moments.std(season) / lag_std
                                                  : 0;
}

/// Looks as far back as the season's own order reaches.
bool has_negative_contribution(const PlantFit& fit, const SeasonMoments& moments, int season) {
    return std::ranges::any_of(contributions(fit, moments, season, fit[at(season)].order()),
                               [](double value) { return value < 0; });
}

template <typename Wanted>
std::vector<int> seasons_where(const SeasonMoments& moments, Wanted is_wanted) {
    std::vector<int> result;
    for (int season = 0; season < moments.cycle(); ++season) {
        if (is_wanted(season)) {
            result.push_back(season);
        }
    }
    return result;
}

}  // namespace

std::vector<double> contributions(const PlantFit& fit,
                                  const SeasonMoments& moments,
                                  int season,
                                  int lags) {
    const auto size = static_cast<std::size_t>(lags);
    std::vector<double> open(size + 1, 0.0);  // coefficients of the seasons not yet replaced
    for (std::size_t j = 0; j < size; ++j) {
        open[j] = original(fit, moments, season, j);
    }
    std::vector<double> result;
    for (int back = 1; back <= lags; ++back) {
        const double first = open.front();
        result.push_back(first);
        for (std::size_t j = 0; j < size; ++j) {
            open[j] = first * original(fit, moments, season - back, j) + open[j + 1];
        }
    }
    return result;
}

PlantFit fit_plant(const SeasonMoments& moments,
                   const EstimationOptions& options,
                   SeasonSet seasons) {
    PlantFit fit(at(moments.cycle()));
    std::vector<int> ceiling(fit.size(), options.max_order);
    for (const int season : seasons_where(moments, [&](int s) { return seasons.test(at(s)); })) {
        fit[at(season)] = first_fit(moments, options, season);
    }
    const auto fails = [&](int season) { return has_negative_contribution(fit, moments, season); };
    for (auto failing = seasons_where(moments, fails); !failing.empty();
         failing = seasons_where(moments, fails)) {
        for (const int season : failing) {
            fit[at(season)] = fit_season(moments, options, season, --ceiling[at(season)]);
        }
    }
    return fit;
}

}  // namespace lockstep::sddp
