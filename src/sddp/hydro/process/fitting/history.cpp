#include "sddp/hydro/process/fitting/history.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"

namespace lockstep::sddp {
namespace {

std::string text(Date date) {
    const std::chrono::year_month_day day(date);
    return fmt::format("{:04}-{:02}-{:02}",
                       static_cast<int>(day.year()),
                       static_cast<unsigned>(day.month()),
                       static_cast<unsigned>(day.day()));
}

/// The window that holds the day, or null.
const InflowObservation* covering(const ObservationWindows& windows, Date day) {
    const auto after = std::ranges::upper_bound(windows, day, {}, &InflowObservation::start);
    if (after == windows.begin() || std::prev(after)->end <= day) {
        return nullptr;
    }
    return &*std::prev(after);
}

/// The first day at or after `day` on which a window starts, at most `limit`.
Date next_start(const ObservationWindows& windows, Date day, Date limit) {
    const auto next = std::ranges::lower_bound(windows, day, {}, &InflowObservation::start);
    return next == windows.end() ? limit : std::min(limit, next->start);
}

/// Days from `day` on that share one value.
struct Stretch {
    double value;
    Date end;
};

std::optional<Stretch> stretch_at(Date day,
                                  Date limit,
                                  const ObservationWindows& upper,
                                  const ObservationWindows& lower) {
    if (const InflowObservation* window = covering(upper, day)) {
        return Stretch{window->value_m3s, std::min(limit, window->end)};
    }
    if (const InflowObservation* window = covering(lower, day)) {
        return Stretch{window->value_m3s, std::min(next_start(upper, day, limit), window->end)};
    }
    return std::nullopt;
}

}  // namespace

int month_number(Date date) {
    const std::chrono::year_month_day day(date);
    return static_cast<int>(day.year()) * months_per_year +
           static_cast<int>(static_cast<unsigned>(day.month())) - 1;
}

Date month_start(int month) {
    const int in_year = calendar_month(month);
    const std::chrono::year year((month - in_year) / months_per_year);
    return std::chrono::sys_days(year / std::chrono::month(static_cast<unsigned>(in_year) + 1) / 1);
}

int calendar_month(int month) {
    return (month % months_per_year + months_per_year) % months_per_year;
}

std::vector<ObservationWindows> windows_by_hydro(const System& system,
                                                 const std::vector<InflowObservation>& observations,
                                                 const std::string& file,
                                                 Problems& problems) {
    std::vector<ObservationWindows> result(system.hydros.size());
    for (const InflowObservation& each : observations) {
        if (0 <= each.hydro && each.hydro < std::ssize(result) && each.start < each.end) {
            result[at(each.hydro)].push_back(each);
        }
    }
    for (std::size_t hydro = 0; hydro < result.size(); ++hydro) {
        ObservationWindows& windows = result[hydro];
        std::ranges::sort(windows, {}, &InflowObservation::start);
        for (std::size_t i = 1; i < windows.size(); ++i) {
            if (windows[i - 1].end > windows[i].start) {
                problems.add(
                    ProblemKind::invalid_value,
                    file,
                    fmt::format("hydro {}", system.hydros[hydro].id),
                    fmt::format("the window from {} to {} overlaps the one that starts on {}",
                                text(windows[i - 1].start),
                                text(windows[i - 1].end),
                                text(windows[i].start)));
            }
        }
    }
    return result;
}

CoveredMean covered_mean(Date start,
                         Date end,
                         const ObservationWindows& upper,
                         const ObservationWindows& lower) {
    CoveredMean result;
    double sum = 0;
    for (Date day = start; day < end;) {
        const auto stretch = stretch_at(day, end, upper, lower);
        if (!stretch) {
            day = next_start(upper, day, next_start(lower, day, end));
            continue;
        }
        const auto days = static_cast<int>((stretch->end - day).count());
        if (day == start && stretch->end == end) {
            return {days, stretch->value};
        }
        sum += stretch->value * days;
        result.days += days;
        day = stretch->end;
    }
    result.mean = result.days > 0 ? sum / result.days : 0;
    return result;
}

std::optional<double> month_mean(int month,
                                 const ObservationWindows& upper,
                                 const ObservationWindows& lower) {
    const Date start = month_start(month);
    const Date end = month_start(month + 1);
    const CoveredMean found = covered_mean(start, end, upper, lower);
    return found.days == (end - start).count() ? std::optional(found.mean) : std::nullopt;
}

bool SeasonSeries::has(int step) const {
    return first <= step && step < end() && !std::isnan((*this)(step));
}

SeasonSeries monthly_series(const ObservationWindows& windows) {
    SeasonSeries series;
    if (windows.empty()) {
        return series;
    }
    series.first = month_number(windows.front().start);
    const int last = month_number(windows.back().end - std::chrono::days(1));
    for (int month = series.first; month <= last; ++month) {
        series.values.push_back(
            month_mean(month, {}, windows).value_or(std::numeric_limits<double>::quiet_NaN()));
    }
    return series;
}

}  // namespace lockstep::sddp
