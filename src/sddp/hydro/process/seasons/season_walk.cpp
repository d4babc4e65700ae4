#include "sddp/hydro/process/seasons/season_walk.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "lockstep/base/index.hpp"

#include "sddp/hydro/process/fitting/history.hpp"

namespace lockstep::sddp {
namespace {

using std::chrono::days;

constexpr int days_per_week = 7;

int year_of(Date date) {
    return static_cast<int>(std::chrono::year_month_day(date).year());
}

/// A day of a year; one that the month does not have is its last.
Date day_of(int year, unsigned month, unsigned day) {
    const auto in_month = std::chrono::year(year) / std::chrono::month(month);
    const std::chrono::year_month_day date = in_month / std::chrono::day(day);
    return date.ok() ? std::chrono::sys_days(date)
                     : std::chrono::sys_days(in_month / std::chrono::last);
}

/// The day after the last of a season; with the 28th of February the month is over.
Date end_of(const Season& season, int year) {
    constexpr unsigned february = 2;
    constexpr unsigned shortest = 28;
    const bool is_month_over = season.month_end == february && season.day_end >= shortest;
    return day_of(year, season.month_end, is_month_over ? 31U : season.day_end) + days(1);
}

const Season* season_with(const Calendar& calendar, int id) {
    const auto found = std::ranges::find(calendar.seasons, id, &Season::id);
    return found == calendar.seasons.end() ? nullptr : &*found;
}

}  // namespace

int common_days(Date start, Date end, Date other_start, Date other_end) {
    const auto shared = std::min(end, other_end) - std::max(start, other_start);
    return std::max(0, static_cast<int>(shared.count()));
}

/// The one that begins in the year.
Occurrence SeasonWalk::in_year(const Season& season, int year) const {
    if (calendar_.cycle == SeasonCycle::monthly) {
        return month(year * months_per_year + static_cast<int>(season.month_start) - 1);
    }
    const Date start = day_of(year, season.month_start, season.day_start);
    const Date end = end_of(season, year);
    return {season.id, start, end > start ? end : end_of(season, year + 1)};
}

Occurrence SeasonWalk::month(int number) const {
    const Date start = month_start(number);
    return {calendar_.season_of(start), start, month_start(number + 1)};
}

Occurrence SeasonWalk::week(Date day) const {
    const Date anchor = calendar_.stages.empty() ? day : calendar_.stages.front().start;
    const int offset = static_cast<int>((day - anchor).count());
    const int in_week = (offset % days_per_week + days_per_week) % days_per_week;
    const Date start = day - days(in_week);
    return {calendar_.season_of(start), start, start + days(days_per_week)};
}

std::optional<Occurrence> SeasonWalk::find(Date start, Date end, int season) const {
    if (calendar_.cycle == SeasonCycle::weekly) {
        return week(start);
    }
    const Season* of_map = season_with(calendar_, season);
    if (calendar_.cycle == SeasonCycle::none || of_map == nullptr) {
        return Occurrence{-1, start, end};
    }
    std::optional<Occurrence> best;
    int most = 0;
    for (int year = year_of(start) - 1; year <= year_of(end); ++year) {
        const Occurrence each = in_year(*of_map, year);
        const int shared = common_days(start, end, each.start, each.end);
        if (shared > most) {
            most = shared;
            best = each;
        }
    }
    return best;
}

Occurrence SeasonWalk::before_custom(const Occurrence& occurrence) const {
    constexpr int widest_gap = 3;
    const Occurrence none{-1, occurrence.start - days(occurrence.days()), occurrence.start};
    Occurrence best = none;
    int least = std::numeric_limits<int>::max();
    for (const Season& season : calendar_.seasons) {
        for (int back = 0; back <= 2; ++back) {
            const Occurrence each = in_year(season, year_of(occurrence.start) - back);
            const int gap = static_cast<int>((occurrence.start - each.end).count());
            const int unlike = std::abs(each.days() - occurrence.days());
            if (gap >= 0 && gap <= widest_gap && unlike < least) {
                least = unlike;
                best = each;
            }
        }
    }
    return best;
}

Occurrence SeasonWalk::before(const Occurrence& occurrence, int steps) const {
    Occurrence at = occurrence;
    for (int step = 0; step < steps; ++step) {
        switch (calendar_.cycle) {
            case SeasonCycle::monthly:
                at = month(month_number(at.start) - 1);
                break;
            case SeasonCycle::weekly:
                at = week(at.start - days(days_per_week));
                break;
            case SeasonCycle::custom:
                at = before_custom(at);
                break;
            case SeasonCycle::none:
                at = {-1, at.start - days(at.days()), at.start};
                break;
        }
    }
    return at;
}

Occurrence SeasonWalk::in_year_of(Date day, const Season& season) const {
    return in_year(season, year_of(day));
}

Occurrence SeasonWalk::years_later(const Occurrence& occurrence, int years) const {
    constexpr double days_per_year = 365.2425;
    if (calendar_.cycle == SeasonCycle::weekly) {
        const auto weeks = std::llround(years * days_per_year / days_per_week);
        return {occurrence.season,
                occurrence.start + days(weeks * days_per_week),
                occurrence.end + days(weeks * days_per_week)};
    }
    if (const Season* season = season_with(calendar_, occurrence.season)) {
        return in_year(*season, year_of(occurrence.start) + years);
    }
    const std::chrono::year_month_day start(occurrence.start);
    const Date moved = day_of(static_cast<int>(start.year()) + years,
                              static_cast<unsigned>(start.month()),
                              static_cast<unsigned>(start.day()));
    return {-1, moved, moved + days(occurrence.days())};
}

}  // namespace lockstep::sddp
