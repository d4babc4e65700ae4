#include "support/season_means.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "lockstep/base/index.hpp"

namespace lockstep::test {
namespace {

using std::chrono::days;
using std::chrono::months;
using std::chrono::year_month;
using std::chrono::year_month_day;

struct Span {
    Date start;
    Date end;
};

year_month month_of(Date date) {
    const year_month_day day(date);
    return day.year() / day.month();
}

/// The season of a stage, moved back.
Span season_before(const sddp::Calendar& calendar, const sddp::Stage& stage, int steps) {
    if (calendar.cycle == sddp::SeasonCycle::weekly) {
        const Date start = stage.start - days(7 * steps);
        return {start, start + days(7)};
    }
    const auto& season = *std::ranges::find(calendar.seasons, stage.season, &sddp::Season::id);
    const bool is_monthly = calendar.cycle == sddp::SeasonCycle::monthly;
    const auto length =
        is_monthly ? 1 : static_cast<int>((season.month_end + 12 - season.month_start) % 12) + 1;
    auto first = month_of(stage.end - days(1));
    while (static_cast<unsigned>(first.month()) != season.month_start) {
        first -= months(1);
    }
    first -= months(length * steps);
    return {std::chrono::sys_days(first / 1), std::chrono::sys_days((first + months(length)) / 1)};
}

std::optional<double> observed(const std::vector<sddp::InflowObservation>& list,
                               int hydro,
                               Date day) {
    const auto found = std::ranges::find_if(list, [&](const sddp::InflowObservation& each) {
        return each.hydro == hydro && each.start <= day && day < each.end;
    });
    return found == list.end() ? std::nullopt : std::optional(found->value_m3s);
}

}  // namespace

SeasonMean season_mean(const sddp::Problem& problem, int stage, int lag, int hydro) {
    const auto& stages = problem.calendar.stages;
    const auto& data = problem.process.resolved;
    const Span season = season_before(problem.calendar, stages[at(stage)], lag + 1);
    SeasonMean mean;
    double covered = 0;
    for (Date day = season.start; day < season.end; day += days(1)) {
        auto value = observed(data.recent, hydro, day);
        if (!value && data.history) {
            value = observed(*data.history, hydro, day);
        }
        if (value && day < stages.front().start) {
            mean.constant += *value;
            ++covered;
        }
        for (int s = 0; s < stage; ++s) {
            if (stages[at(s)].start <= day && day < stages[at(s)].end) {
                mean.of_stage[s] += 1;
                ++covered;
            }
        }
    }
    mean.constant /= std::max(covered, 1.0);
    for (auto& [s, weight] : mean.of_stage) {
        weight /= covered;
    }
    return mean;
}

}  // namespace lockstep::test
