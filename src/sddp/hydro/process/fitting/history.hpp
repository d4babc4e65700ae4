#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/base/problems.hpp"
#include "lockstep/sddp/process_data.hpp"
#include "lockstep/sddp/system.hpp"

namespace lockstep::sddp {

// Months are counted through: year · 12 + month - 1. Calendar months are numbers 0 (January) to 11.

inline constexpr int months_per_year = 12;

int month_number(Date date);
Date month_start(int month);
/// Of a month number, also of a negative one.
int calendar_month(int month);

/// Observations of one plant, sorted by time, without overlap.
using ObservationWindows = std::vector<InflowObservation>;

/// Observations by plant. Overlapping windows of a plant are a problem of `file`.
std::vector<ObservationWindows> windows_by_hydro(const System& system,
                                                 const std::vector<InflowObservation>& observations,
                                                 const std::string& file,
                                                 Problems& problems);

/// What observations say of a stretch of days.
struct CoveredMean {
    int days = 0;     ///< covered ones
    double mean = 0;  ///< of them, day-weighted; 0 without any
};

/// A day takes its value from `upper` where that covers it, else from `lower`.
CoveredMean covered_mean(Date start,
                         Date end,
                         const ObservationWindows& upper,
                         const ObservationWindows& lower);

/// The mean of a month; nothing unless every day is covered.
std::optional<double> month_mean(int month,
                                 const ObservationWindows& upper,
                                 const ObservationWindows& lower);

/// Means of seasons that follow each other, by numbers of steps; NaN where one is not covered in
/// full. Without a list of seasons a step is a month, by its number.
struct SeasonSeries {
    int first = 0;
    std::vector<double> values;
    std::vector<int> seasons{};  ///< of each value, below `cycle`; empty: calendar months
    int cycle = months_per_year;

    [[nodiscard]] int end() const noexcept { return first + static_cast<int>(values.size()); }
    [[nodiscard]] bool has(int step) const;
    /// Only where has(step).
    [[nodiscard]] double operator()(int step) const { return values[at(step - first)]; }
    /// Only from `first` to `end`, but for months.
    [[nodiscard]] int season(int step) const {
        return seasons.empty() ? calendar_month(step) : seasons[at(step - first)];
    }
};

SeasonSeries monthly_series(const ObservationWindows& windows);

}  // namespace lockstep::sddp
