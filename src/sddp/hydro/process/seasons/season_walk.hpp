#pragma once

#include <optional>

#include "lockstep/sddp/calendar.hpp"

namespace lockstep::sddp {

/// A season in one year.
struct Occurrence {
    int season = -1;  ///< -1: a time that the season map does not name
    Date start{};
    Date end{};  ///< exclusive
    [[nodiscard]] int days() const noexcept { return static_cast<int>((end - start).count()); }
    friend bool operator==(const Occurrence&, const Occurrence&) = default;
};

/// Walks back and forth through the seasons of a calendar.
///
/// Months and custom seasons are where the map says, the end of February being the 28th or the
/// 29th. Weeks are seven days, counted from the first day of the study. Without a season map a
/// stage is its own season.
class SeasonWalk {
public:
    explicit SeasonWalk(const Calendar& calendar) : calendar_(calendar) {}

    /// The occurrence of a season that has most days in common with [start, end); nothing where
    /// the season does not meet those days.
    [[nodiscard]] std::optional<Occurrence> find(Date start, Date end, int season) const;
    template <typename AnyStage>
    [[nodiscard]] std::optional<Occurrence> of(const AnyStage& stage) const {
        return find(stage.start, stage.end, stage.season);
    }
    /// The one before, `steps` times. Where custom seasons of several lengths lie over each other,
    /// months under quarters, it is the one whose length is nearest.
    [[nodiscard]] Occurrence before(const Occurrence& occurrence, int steps = 1) const;
    /// The one that begins in the year of the day.
    [[nodiscard]] Occurrence in_year_of(Date day, const Season& season) const;
    /// The same season so many years later.
    [[nodiscard]] Occurrence years_later(const Occurrence& occurrence, int years) const;

private:
    const Calendar& calendar_;

    [[nodiscard]] Occurrence in_year(const Season& season, int year) const;
    [[nodiscard]] Occurrence month(int number) const;
    [[nodiscard]] Occurrence week(Date day) const;
    [[nodiscard]] Occurrence before_custom(const Occurrence& occurrence) const;
};

/// Days that two spans of time share.
int common_days(Date start, Date end, Date other_start, Date other_end);

}  // namespace lockstep::sddp
