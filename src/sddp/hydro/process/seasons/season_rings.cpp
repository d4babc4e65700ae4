#include "sddp/hydro/process/seasons/season_rings.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "lockstep/sddp/month_names.hpp"

#include "sddp/hydro/process/fitting/history.hpp"

namespace lockstep::sddp {
namespace {

constexpr std::size_t weeks_per_year = 52;

}  // namespace

SeasonRings::SeasonRings(const Calendar& calendar) : cycle_(calendar.cycle) {
    switch (cycle_) {
        case SeasonCycle::monthly:
            names_.assign(month_names.begin(), month_names.end());
            add_ring(names_.size());
            for (const Season& season : calendar.seasons) {
                by_id_.emplace(season.id, season.month_start - 1);
            }
            break;
        case SeasonCycle::weekly:
            for (std::size_t week = 1; week <= weeks_per_year; ++week) {
                names_.push_back(fmt::format("week {}", week));
                by_id_.emplace(static_cast<int>(week) - 1, week - 1);
            }
            add_ring(names_.size());
            break;
        case SeasonCycle::custom:
            add_custom(calendar);
            break;
        case SeasonCycle::none:
            break;
    }
}

void SeasonRings::add_ring(std::size_t size) {
    std::vector<std::size_t>& ring = rings_.emplace_back(size);
    std::iota(ring.begin(), ring.end(), std::size_t{0});
}

// A season that no walk back comes round to stands at the end of the walk that starts from it.
void SeasonRings::add_custom(const Calendar& calendar) {
    const SeasonWalk walk(calendar);
    for (const Season& season : calendar.seasons) {
        by_id_.emplace(season.id, names_.size());
        names_.push_back(season.label.empty() ? fmt::format("season {}", season.id) : season.label);
    }
    const Date some_day = calendar.stages.empty() ? Date{} : calendar.stages.front().start;
    std::vector<char> is_placed(names_.size(), 0);
    for (const Season& season : calendar.seasons) {
        std::vector<std::size_t> ring;
        std::vector<char> is_met(names_.size(), 0);
        Occurrence occurrence = walk.in_year_of(some_day, season);
        for (int number = this->number(occurrence);
             number >= 0 && is_met[static_cast<std::size_t>(number)] == 0 &&
             is_placed[static_cast<std::size_t>(number)] == 0;
             number = this->number(occurrence)) {
            is_met[static_cast<std::size_t>(number)] = 1;
            ring.push_back(static_cast<std::size_t>(number));
            occurrence = walk.before(occurrence);
        }
        for (const std::size_t each : ring) {
            is_placed[each] = 1;
        }
        std::ranges::reverse(ring);
        if (!ring.empty()) {
            std::ranges::rotate(ring, std::ranges::min_element(ring));
            rings_.push_back(std::move(ring));
        }
    }
}

int SeasonRings::number_of(int season_id) const {
    const auto found = by_id_.find(season_id);
    return found == by_id_.end() ? -1 : static_cast<int>(found->second);
}

int SeasonRings::number(const Occurrence& occurrence) const {
    switch (cycle_) {
        case SeasonCycle::monthly:
            return calendar_month(month_number(occurrence.start));
        case SeasonCycle::weekly:
            return occurrence.season;
        default:
            return number_of(occurrence.season);
    }
}

}  // namespace lockstep::sddp
