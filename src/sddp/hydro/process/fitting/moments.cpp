#include "sddp/hydro/process/fitting/moments.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "lockstep/base/index.hpp"

namespace lockstep::sddp {
namespace {

SeasonSeries yearly_means(const SeasonSeries& series) {
    SeasonSeries result;
    if (!series.seasons.empty()) {
        return result;
    }
    result.first = series.first + months_per_year - 1;
    for (int t = result.first; t < series.end() - 1; ++t) {
        double sum = 0;  // NaN as soon as a season is missing
        for (int back = 0; back < months_per_year; ++back) {
            sum += series(t - back);
        }
        result.values.push_back(sum / months_per_year);
    }
    return result;
}

std::vector<std::vector<double>> by_season(const SeasonSeries& series) {
    std::vector<std::vector<double>> result(at(series.cycle));
    for (int t = series.first; t < series.end(); ++t) {
        if (series.has(t)) {
            result[at(series.season(t))].push_back(series(t));
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

SeasonMoments::Moment SeasonMoments::plain_moment(const std::vector<double>& values) {
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

SeasonMoments::Moment SeasonMoments::season_moment(const std::vector<double>& values,
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

SeasonMoments::SeasonMoments(SeasonSeries series, const MomentOptions& options)
    : series_(std::move(series)), annual_series_(yearly_means(series_)) {
    const auto moment = [&](const auto& values) { return season_moment(values, options.rounded); };
    std::ranges::transform(by_season(series_), std::back_inserter(value_), moment);
    std::ranges::transform(by_season(annual_series_), std::back_inserter(annual_), plain_moment);
    for (std::size_t season = 0; season < value_.size(); ++season) {
        if (!options.seasons.test(season)) {
            value_[season].std = 0;
        }
    }
}

double SeasonMoments::correlation(int season, int lag) const {
    if (lag == 0) {
        return 1;
    }
    const double scale = std(season) * std(season - lag);
    double sum = 0;
    int pairs = 0;
    for (int t = series_.first; t < series_.end(); ++t) {
        if (at(series_.season(t)) == wrap(season) && series_.has(t) && series_.has(t - lag)) {
            sum += deviation(t) * deviation(t - lag);
            ++pairs;
        }
    }
    return scale > 0 && pairs > 0 ? std::clamp(sum / pairs / scale, -1.0, 1.0) : 0;
}

double SeasonMoments::annual_correlation(int season, int lag) const {
    const double scale = std(season - lag) * annual_std(season - 1);
    double sum = 0;
    for (int t = series_.first; t <= series_.end() + lag; ++t) {
        if (at(calendar_month(t)) == wrap(season) && series_.has(t - lag) &&
            annual_series_.has(t - 1)) {
            sum += deviation(t - lag) * (annual_series_(t - 1) - annual_mean(t - 1));
        }
    }
    const int larger = std::max(count(season - lag), annual_[wrap(season - 1)].count);
    return scale > 0 && larger > 0 ? sum / larger / scale : 0;
}

double SeasonMoments::standardised(int t) const {
    const double deviations = std(series_.season(t));
    return deviations > 0 ? deviation(t) / deviations : 0;
}

}  // namespace lockstep::sddp
