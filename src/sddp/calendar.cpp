#include "lockstep/sddp/calendar.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "lockstep/base/math.hpp"

namespace lockstep::sddp {
namespace {

/// Number of the week that holds the date, 1 to 53, by ISO 8601: weeks start on Monday and belong
/// to the year of their Thursday.
int iso_week(Date date) {
    const auto weekday = std::chrono::weekday(date).iso_encoding();  // 1 = Monday
    const Date thursday = date + std::chrono::days(4 - static_cast<int>(weekday));
    const std::chrono::year year = std::chrono::year_month_day(thursday).year();
    const Date new_year = std::chrono::sys_days(year / std::chrono::January / 1);
    return static_cast<int>((thursday - new_year).count()) / 7 + 1;
}

/// Month and day as one number that orders like the calendar of a year.
unsigned day_key(unsigned month, unsigned day) {
    return month * 100 + day;
}

bool contains(const Season& season, unsigned key) {
    const unsigned first = day_key(season.month_start, season.day_start);
    const unsigned last = day_key(season.month_end, season.day_end);
    return first <= last ? first <= key && key <= last : first <= key || key <= last;
}

bool matches(const Season& season, SeasonCycle cycle, Date date) {
    const std::chrono::year_month_day day(date);
    const auto month = static_cast<unsigned>(day.month());
    switch (cycle) {
        case SeasonCycle::monthly:
            return season.month_start == month;
        case SeasonCycle::weekly:
            return season.id == std::min(iso_week(date) - 1, 51);
        case SeasonCycle::custom:
            return contains(season, day_key(month, static_cast<unsigned>(day.day())));
        case SeasonCycle::none:
            break;
    }
    return false;
}

}  // namespace

double Stage::hours() const noexcept {
    double sum = 0;
    for (const Block& block : blocks) {
        sum += block.hours;
    }
    return sum;
}

int Calendar::first_period(int stage) const noexcept {
    int periods = 0;
    for (int t = 0; t < stage; ++t) {
        periods += stages[at(t)].periods();
    }
    return periods;
}

double Stage::discount_factor() const {
    if (annual_discount_rate == 0) {
        return 1;
    }
    return math::pow(1 + annual_discount_rate, -calendar_days() / 365.25);
}

int Calendar::season_of(Date date) const {
    for (const Season& season : seasons) {
        if (matches(season, cycle, date)) {
            return season.id;
        }
    }
    return -1;
}

ByBlock::ByBlock(const Calendar& calendar, double fill) {
    std::size_t cells = 0;
    for (const Stage& stage : calendar.stages) {
        first_.push_back(cells);
        cells += stage.blocks.size();
    }
    value_.assign(cells, fill);
}

}  // namespace lockstep::sddp
