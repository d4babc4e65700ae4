#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/base/date.hpp"
#include "lockstep/io/json.hpp"

namespace lockstep::formats::cobre::translate {

/// First and last day of a period, the last exclusive.
struct Window {
    Date start{};
    Date end{};
};

/// "2024-01-31"; nothing when it is no day.
std::optional<Date> parse_day(std::string_view text);
std::string day_text(Date day);

Window month_of(Date day);

/// The seasons of a case: months where it has none.
class SeasonCalendar {
public:
    /// @param definitions  of stages.json, may be nullptr
    explicit SeasonCalendar(const io::Json* definitions);

    /// The period that holds a day: month, week from Monday, or the first range of a custom map.
    /// Nothing where no range does.
    [[nodiscard]] std::optional<Window> period(Date day) const;
    /// The period before one, of the length nearest to it.
    [[nodiscard]] std::optional<Window> before(const Window& window) const;
    /// The period of observations: ranges of a custom map are coarser, records are by months.
    [[nodiscard]] Window record(Date day) const;

private:
    enum class Cycle { monthly, weekly, custom };
    struct Range {
        unsigned month_start = 1;
        unsigned day_start = 1;
        unsigned month_end = 1;
        unsigned day_end = 31;
    };
    /// The range in a year; one that ends before it starts ends in the next.
    [[nodiscard]] static Window in_year(const Range& range, std::chrono::year year);

    Cycle cycle_ = Cycle::monthly;
    std::vector<Range> ranges_;
};

}  // namespace lockstep::formats::cobre::translate
