#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sddp/hydro/process/seasons/season_walk.hpp"

namespace lockstep::sddp {

/// The cycles that the seasons of a calendar form: the months of a year, its weeks, or custom
/// seasons that follow each other. Quarters over months are a cycle of their own.
///
/// Seasons are numbered through all cycles; months as they are in the year, weeks from 0.
class SeasonRings {
public:
    explicit SeasonRings(const Calendar& calendar);

    [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }
    /// Seasons in order of time; the first follows the last.
    [[nodiscard]] const std::vector<std::vector<std::size_t>>& rings() const noexcept {
        return rings_;
    }
    [[nodiscard]] const std::string& name(std::size_t season) const { return names_.at(season); }
    /// -1: of no season of the map.
    [[nodiscard]] int number(const Occurrence& occurrence) const;
    /// The same of a season id.
    [[nodiscard]] int number_of(int season_id) const;

private:
    SeasonCycle cycle_;
    std::vector<std::vector<std::size_t>> rings_;
    std::vector<std::string> names_;
    std::map<int, std::size_t> by_id_;

    void add_ring(std::size_t size);
    void add_custom(const Calendar& calendar);
};

}  // namespace lockstep::sddp
