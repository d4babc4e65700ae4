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

double partial(const MonthlyMoments& moments,
               const EstimationOptions& options,
               int month,
               int lag) {
    return with_annual(options) ? partial_correlation_given_annual(moments, month, lag)
                                : partial_correlation(moments, month, lag);
}

int select_order(const MonthlyMoments& moments,
                 const EstimationOptions& options,
                 int month,
                 int ceiling) {
    const double threshold =
        two_sided_5_percent / std::sqrt(static_cast<double>(moments.count(month)));
    int order = 0;
    for (int lag = 1; lag <= ceiling; ++lag) {
        if (std::abs(partial(moments, options, month, lag)) > threshold) {
            order = lag;
        }
    }
    const bool keep_first = with_annual(options) && order == 0 && ceiling > 0 &&
                            partial(moments, options, month, 1) != 0;
    return keep_first ? 1 : order;
}

/// The fit of the longest significant order up to `ceiling`. An answer against the month before
/// leaves no lags.
MonthFit fit_month(const MonthlyMoments& moments,
                   const EstimationOptions& options,
                   int month,
                   int ceiling) {
    const int order = select_order(moments, options, month, ceiling);
    if (order == 0) {
        return {};
    }
    const auto found = with_annual(options) ? fit_with_annual(moments, month, order)
                                            : fit_classical(moments, month, order);
    MonthFit fit = found.value_or(MonthFit{});
    if (fit.order() > 0 && fit.coefficients.front() < 0) {
        fit.coefficients.clear();
    }
    return fit;
}

bool exceeds_limit(const MonthFit& fit, const EstimationOptions& options) {
    return options.max_coefficient_magnitude &&
           std::ranges::any_of(fit.coefficients, [&options](double coefficient) {
               return std::abs(coefficient) > *options.max_coefficient_magnitude;
           });
}

MonthFit first_fit(const MonthlyMoments& moments, const EstimationOptions& options, int month) {
    MonthFit fit = fit_month(moments, options, month, options.max_order);
    if (exceeds_limit(fit, options)) {
        fit.coefficients.clear();
    }
    return fit;
}

/// φ_j s_m / s_{m-j-1}: the coefficient of lag j + 1 in original units.
double original(const PlantFit& fit, const MonthlyMoments& moments, int month, std::size_t j) {
    const auto& coefficients = fit[at(calendar_month(month))].coefficients;
    const double lag_std = moments.std(month - static_cast<int>(j) - 1);
    return j < coefficients.size() && lag_std > 0 ? coefficients[j] * moments.std(month) / lag_std
                                                  : 0;
}

/// Looks as far back as the month's own order reaches.
bool has_negative_contribution(const PlantFit& fit, const MonthlyMoments& moments, int month) {
    return std::ranges::any_of(contributions(fit, moments, month, fit[at(month)].order()),
                               [](double value) { return value < 0; });
}

template <typename Wanted>
std::vector<int> months_where(Wanted is_wanted) {
    std::vector<int> result;
    for (int month = 0; month < months_per_year; ++month) {
        if (is_wanted(month)) {
            result.push_back(month);
        }
    }
    return result;
}

}  // namespace

std::vector<double> contributions(const PlantFit& fit,
                                  const MonthlyMoments& moments,
                                  int month,
                                  int lags) {
    const auto size = static_cast<std::size_t>(lags);
    std::vector<double> open(size + 1, 0.0);  // coefficients of the months not yet replaced
    for (std::size_t j = 0; j < size; ++j) {
        open[j] = original(fit, moments, month, j);
    }
    std::vector<double> result;
    for (int back = 1; back <= lags; ++back) {
        const double first = open.front();
        result.push_back(first);
        for (std::size_t j = 0; j < size; ++j) {
            open[j] = first * original(fit, moments, month - back, j) + open[j + 1];
        }
    }
    return result;
}

PlantFit fit_plant(const MonthlyMoments& moments,
                   const EstimationOptions& options,
                   MonthSet months) {
    PlantFit fit;
    std::array<int, months_per_year> ceiling{};
    ceiling.fill(options.max_order);
    for (const int month : months_where([&](int m) { return months.test(at(m)); })) {
        fit[at(month)] = first_fit(moments, options, month);
    }
    const auto fails = [&](int month) { return has_negative_contribution(fit, moments, month); };
    for (auto failing = months_where(fails); !failing.empty(); failing = months_where(fails)) {
        for (const int month : failing) {
            fit[at(month)] = fit_month(moments, options, month, --ceiling[at(month)]);
        }
    }
    return fit;
}

}  // namespace lockstep::sddp
