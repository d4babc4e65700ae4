#pragma once

#include <array>
#include <bitset>
#include <vector>

#include "sddp/hydro/process/fitting/history.hpp"

namespace lockstep::sddp {

/// Calendar months, January is 0.
using MonthSet = std::bitset<months_per_year>;

/// How the moments of a record are taken.
struct MomentOptions {
    /// Months outside count as constants: nothing depends on them, as in Cobre.
    MonthSet months = MonthSet().set();
    /// A month of which more than half the values round to one whole number has that number as its
    /// mean and no deviation, as in Cobre; else it has what the data say.
    bool rounded = false;
};

/// Sample moments of a monthly series z by calendar month, and of its yearly means.
///
/// The yearly mean a_t is that of the 12 months that end with t; it counts to t's calendar month.
/// The one that ends with the last month of the series is left out, as nothing follows it. Month
/// arguments wrap around.
class MonthlyMoments {
public:
    explicit MonthlyMoments(MonthlySeries series, const MomentOptions& options = {});

    [[nodiscard]] int count(int month) const { return value_[wrap(month)].count; }
    [[nodiscard]] double mean(int month) const { return value_[wrap(month)].mean; }
    /// Divided by the count. 0 in a month whose values are all the same (within 1e-6).
    [[nodiscard]] double std(int month) const { return value_[wrap(month)].std; }

    [[nodiscard]] double annual_mean(int month) const { return annual_[wrap(month)].mean; }
    [[nodiscard]] double annual_std(int month) const { return annual_[wrap(month)].std; }

    /// Correlation of z_t with z_{t-lag}, t in `month`; in [-1, 1]; 0 where a deviation is 0.
    [[nodiscard]] double correlation(int month, int lag) const;
    /// Correlation of z_{t-lag} with a_{t-1}, t in `month`, lag >= 0. The sum over pairs is divided
    /// by the larger of the two counts.
    [[nodiscard]] double annual_correlation(int month, int lag) const;

    [[nodiscard]] const MonthlySeries& series() const noexcept { return series_; }
    [[nodiscard]] const MonthlySeries& annual_series() const noexcept { return annual_series_; }
    /// (z_t - mean) / std; 0 where std is 0.
    [[nodiscard]] double standardised(int t) const;

private:
    struct Moment {
        int count = 0;
        double mean = 0;
        double std = 0;
    };
    using ByMonth = std::array<Moment, months_per_year>;

    MonthlySeries series_;
    MonthlySeries annual_series_;
    ByMonth value_;
    ByMonth annual_;

    static std::size_t wrap(int month) { return static_cast<std::size_t>(calendar_month(month)); }
    static Moment plain_moment(const std::vector<double>& values);
    static Moment month_moment(const std::vector<double>& values, bool rounded);
};

}  // namespace lockstep::sddp
