#include "formats/cobre/translate/calendar.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>

#include <fmt/format.h>

#include "formats/cobre/translate/json_edit.hpp"

namespace lockstep::formats::cobre::translate {

namespace {

using std::chrono::days;
using std::chrono::year_month_day;

std::optional<int> number(std::string_view text) {
    int value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_whole = result.ec == std::errc{} && result.ptr == text.data() + text.size();
    return is_whole ? std::optional(value) : std::nullopt;
}

unsigned member_or(const io::Json& season, std::string_view key, unsigned none) {
    const auto value = integer(season, key);
    return value && *value > 0 ? static_cast<unsigned>(*value) : none;
}

/// The day of a month, its last where it has not so many.
Date day_of(std::chrono::year year, unsigned month, unsigned day) {
    const auto last = std::chrono::year_month_day_last(
        year, std::chrono::month_day_last(std::chrono::month(month)));
    return std::min(Date(year / std::chrono::month(month) / 1) + days(day - 1), Date(last));
}

Window week_of(Date day) {
    const Date monday = day - (std::chrono::weekday(day) - std::chrono::Monday);
    return {monday, monday + days(7)};
}

}  // namespace

std::optional<Date> parse_day(std::string_view text) {
    if (text.size() != 10 || text[4] != '-' || text[7] != '-') {
        return std::nullopt;
    }
    const auto year = number(text.substr(0, 4));
    const auto month = number(text.substr(5, 2));
    const auto day = number(text.substr(8, 2));
    if (!year || !month || !day || *month < 0 || *day < 0) {
        return std::nullopt;
    }
    const year_month_day date(std::chrono::year(*year),
                              std::chrono::month(static_cast<unsigned>(*month)),
                              std::chrono::day(static_cast<unsigned>(*day)));
    return date.ok() ? std::optional(Date(date)) : std::nullopt;
}

std::string day_text(Date day) {
    const year_month_day date(day);
    return fmt::format("{:04}-{:02}-{:02}",
                       static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()),
                       static_cast<unsigned>(date.day()));
}

Window month_of(Date day) {
    const year_month_day date(day);
    const auto first = date.year() / date.month();
    return {Date(first / 1), Date((first + std::chrono::months(1)) / 1)};
}

SeasonCalendar::SeasonCalendar(const io::Json* definitions) {
    const io::Json* cycle = definitions != nullptr ? definitions->find("cycle_type") : nullptr;
    if (cycle == nullptr || cycle->if_string() == nullptr || *cycle->if_string() == "monthly") {
        return;
    }
    cycle_ = *cycle->if_string() == "weekly" ? Cycle::weekly : Cycle::custom;
    io::Json copy = *definitions;
    for_each_object(copy, "seasons", [&](io::Json& season) {
        Range range;
        range.month_start = std::min(member_or(season, "month_start", 1), 12U);
        range.day_start = member_or(season, "day_start", 1);
        range.month_end = std::min(member_or(season, "month_end", range.month_start), 12U);
        range.day_end = member_or(season, "day_end", 31);
        ranges_.push_back(range);
    });
}

Window SeasonCalendar::in_year(const Range& range, std::chrono::year year) {
    const Date start = day_of(year, range.month_start, range.day_start);
    Date last = day_of(year, range.month_end, range.day_end);
    if (last < start) {
        last = day_of(year + std::chrono::years(1), range.month_end, range.day_end);
    }
    // a range to the end of February ends there in leap years, too
    if (range.day_end >= 28 && month_of(last).end - last == days(2)) {
        last += days(1);
    }
    return {start, last + days(1)};
}

std::optional<Window> SeasonCalendar::period(Date day) const {
    if (cycle_ == Cycle::monthly) {
        return month_of(day);
    }
    if (cycle_ == Cycle::weekly) {
        return week_of(day);
    }
    for (const Range& range : ranges_) {
        for (const int back : {0, 1}) {
            const Window window =
                in_year(range, year_month_day(day).year() - std::chrono::years(back));
            if (window.start <= day && day < window.end) {
                return window;
            }
        }
    }
    return std::nullopt;
}

std::optional<Window> SeasonCalendar::before(const Window& window) const {
    if (cycle_ != Cycle::custom) {
        return period(window.start - days(1));
    }
    const auto length = window.end - window.start;
    std::optional<Window> best;
    for (const Range& range : ranges_) {
        for (const int back : {0, 1}) {
            const Window each =
                in_year(range, year_month_day(window.start).year() - std::chrono::years(back));
            const auto difference = [&](const Window& w) {
                return std::abs((w.end - w.start - length).count());
            };
            if (each.end == window.start && (!best || difference(each) < difference(*best))) {
                best = each;
            }
        }
    }
    return best;
}

Window SeasonCalendar::record(Date day) const {
    return cycle_ == Cycle::weekly ? week_of(day) : month_of(day);
}

}  // namespace lockstep::formats::cobre::translate
