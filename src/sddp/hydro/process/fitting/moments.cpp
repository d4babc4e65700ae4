#include "sddp/hydro/process/fitting/moments.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "lockstep/base/index.hpp"

namespace lockstep::sddp {
namespace {

MonthlySeries yearly_means(const MonthlySeries& series) {
    MonthlySeries result;
    result.first = series.first + months_per_year - 1;
    for (int t = result.first; t < series.end() - 1; ++t) {
        double sum = 0;  // NaN as soon as a month is missing
        for (int back = 0; back < months_per_year; ++back) {
            sum += series(t - back);
        }
        result.values.push_back(sum / months_per_year);
    }
    return result;
}

std::array<std::vector<double>, months_per_year> by_calendar_month(const MonthlySeries& series) {
    std::array<std::vector<double>, months_per_year> result;
    for (int t = series.first; t < series.end(); ++t) {
        if (series.has(t)) {
            result[at(calendar_month(t))].push_back(series(t));
        }
    }
    return result;
}

bool is_constant(const std::vector<double>& values) {
    constexpr double same = 1e-6;
    return std::ranges::all_of(
        values, [&](double value) { return std::abs(value - values.front()) <= same; });
}

/// The whole number that more than half of the values round to.
std::optional<double> common_whole_number(const std::vector<double>& values) {
    std::map<double, std::size_t> frequency;
    for (const double value : values) {
        const double rounded = std::round(value);
        if (++frequency[rounded] * 2 > values.size()) {
            return rounded;
        }
    }
    return std::nullopt;
}

}  // namespace

MonthlyMoments::Moment MonthlyMoments::plain_moment(const std::vector<double>& values) {
    Moment moment;
    moment.count = static_cast<int>(values.size());
    if (values.empty()) {
        return moment;
    }
    const auto count = static_cast<double>(values.size());
    for (const double value : values) {
        moment.mean += value;
    }
    moment.mean /= count;
    double squares = 0;
    for (const double value : values) {
        squares += (value - moment.mean) * (value - moment.mean);
    }
    moment.std = std::sqrt(squares / count);
    return moment;
}

MonthlyMoments::Moment MonthlyMoments::month_moment(const std::vector<double>& values,
                                                    bool rounded) {
    const int count = static_cast<int>(values.size());
    if (!values.empty() && is_constant(values)) {
        return {count, values.front(), 0};
    }
    if (const auto common = rounded ? common_whole_number(values) : std::nullopt) {
        return {count, *common, 0};
    }
    return plain_moment(values);
}

MonthlyMoments::MonthlyMoments(MonthlySeries series, const MomentOptions& options)
    : series_(std::move(series)), annual_series_(yearly_means(series_)) {
    const auto moment = [&](const auto& values) { return month_moment(values, options.rounded); };
    std::ranges::transform(by_calendar_month(series_), value_.begin(), moment);
    std::ranges::transform(by_calendar_month(annual_series_), annual_.begin(), plain_moment);
    for (std::size_t month = 0; month < value_.size(); ++month) {
        if (!options.months.test(month)) {
            value_[month].std = 0;
        }
    }
}

double MonthlyMoments::correlation(int month, int lag) const {
    if (lag == 0) {
        return 1;
    }
    const double scale = std(month) * std(month - lag);
    double sum = 0;
    int pairs = 0;
    for (int t = series_.first; t < series_.end(); ++t) {
        if (calendar_month(t) == calendar_month(month) && series_.has(t) && series_.has(t - lag)) {
            sum += (series_(t) - mean(t)) * (series_(t - lag) - mean(t - lag));
            ++pairs;
        }
    }
    return scale > 0 && pairs > 0 ? std::clamp(sum / pairs / scale, -1.0, 1.0) : 0;
}

double MonthlyMoments::annual_correlation(int month, int lag) const {
    const double scale = std(month - lag) * annual_std(month - 1);
    double sum = 0;
    for (int t = series_.first; t <= series_.end() + lag; ++t) {
        if (calendar_month(t) == calendar_month(month) && series_.has(t - lag) &&
            annual_series_.has(t - 1)) {
            sum +=
                (series_(t - lag) - mean(t - lag)) * (annual_series_(t - 1) - annual_mean(t - 1));
        }
    }
    const int larger = std::max(count(month - lag), annual_[wrap(month - 1)].count);
    return scale > 0 && larger > 0 ? sum / larger / scale : 0;
}

double MonthlyMoments::standardised(int t) const {
    return std(t) > 0 ? (series_(t) - mean(t)) / std(t) : 0;
}

}  // namespace lockstep::sddp
