#pragma once

#include <bitset>
#include <vector>

#include "sddp/hydro/process/fitting/history.hpp"

namespace lockstep::sddp {

/// The longest cycle: days of a year.
inline constexpr int most_seasons = 366;

/// Seasons of a cycle by their place in it; of months, January is 0.
using SeasonSet = std::bitset<most_seasons>;

/// How the moments of a record are taken.
struct MomentOptions {
    /// Months outside count as constants: nothing depends on them, as in Cobre.
    SeasonSet seasons = SeasonSet().set();
    /// A season of which more than half the values round to one whole number has that number as its
    /// mean and no deviation, as in Cobre; else it has what the data say.
    bool rounded = false;
};

/// Sample moments of a series z by season, and of the yearly means of a monthly one.
///
/// The yearly mean a_t is that of the 12 months that end with t; it counts to t's calendar month.
/// The one that ends with the last month of the series is left out, as nothing follows it. Season
/// arguments wrap around.
class SeasonMoments {
public:
    explicit SeasonMoments(SeasonSeries series, const MomentOptions& options = {});

    /// Seasons of the cycle.
    [[nodiscard]] int cycle() const noexcept { return series_.cycle; }
    [[nodiscard]] int count(int season) const { return value_[wrap(season)].count; }
    [[nodiscard]] double mean(int season) const { return value_[wrap(season)].mean; }
    /// Divided by the count. 0 in a season whose values are all the same (within 1e-6).
    [[nodiscard]] double std(int season) const { return value_[wrap(season)].std; }

    [[nodiscard]] double annual_mean(int season) const { return annual_[wrap(season)].mean; }
    [[nodiscard]] double annual_std(int season) const { return annual_[wrap(season)].std; }

    /// Correlation of z_t with z_{t-lag}, t in `season`; in [-1, 1]; 0 where a deviation is 0.
    [[nodiscard]] double correlation(int season, int lag) const;
    /// Correlation of z_{t-lag} with a_{t-1}, t in `season`, lag >= 0. The sum over pairs is
    /// divided by the larger of the two counts.
    [[nodiscard]] double annual_correlation(int season, int lag) const;

    [[nodiscard]] const SeasonSeries& series() const noexcept { return series_; }
    [[nodiscard]] const SeasonSeries& annual_series() const noexcept { return annual_series_; }
    /// (z_t - mean) / std of its season; 0 where std is 0.
    [[nodiscard]] double standardised(int t) const;
    [[nodiscard]] std::size_t wrap(int season) const {
        return at((season % cycle() + cycle()) % cycle());
    }

private:
    struct Moment {
        int count = 0;
        double mean = 0;
        double std = 0;
    };
    using BySeason = std::vector<Moment>;

    SeasonSeries series_;
    SeasonSeries annual_series_;
    BySeason value_;
    BySeason annual_;

    /// z_t less the mean of its season.
    [[nodiscard]] double deviation(int t) const { return series_(t) - mean(series_.season(t)); }
    static Moment plain_moment(const std::vector<double>& values);
    static Moment season_moment(const std::vector<double>& values, bool rounded);
};

}  // namespace lockstep::sddp
