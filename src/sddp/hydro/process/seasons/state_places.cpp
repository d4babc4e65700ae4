#include "sddp/hydro/process/seasons/state_places.hpp"

#include <algorithm>
#include <cstddef>

#include "lockstep/sddp/subject.hpp"

namespace lockstep::sddp {
namespace {

int place_of(const std::vector<Occurrence>& seasons, const Occurrence& season) {
    const auto found = std::ranges::find(seasons, season);
    return found == seasons.end() ? -1 : static_cast<int>(found - seasons.begin());
}

bool is_newer(const Occurrence& a, const Occurrence& b) {
    return a.end != b.end ? a.end > b.end : a.start > b.start;
}

/// Nothing but place l for lag l.
bool is_identity(const std::vector<InflowModel::Recall>& recall, std::size_t lags) {
    int next = 0;
    return recall.size() == lags && std::ranges::all_of(recall, [&](const auto& term) {
               const int lag = next++;
               return term.lag == lag && term.place == lag &&
                      std::ranges::all_of(term.weight, [](double weight) { return weight == 1; });
           });
}

/// Adds a term unless no plant has it.
void add_term(int lag,
              int place,
              std::vector<double> weight,
              std::vector<InflowModel::Recall>& recall) {
    if (std::ranges::any_of(weight, [](double each) { return each != 0; })) {
        recall.push_back({lag, place, std::move(weight)});
    }
}

}  // namespace

PastInflows::PastInflows(const Calendar& calendar,
                         const System& system,
                         const ProcessData& data,
                         Problems& problems)
    : start_(calendar.stages.front().start),
      recent_(windows_by_hydro(system, data.recent, subject::recent_inflows, problems)),
      history_(windows_by_hydro(system,
                                data.history.value_or(std::vector<InflowObservation>()),
                                subject::inflow_history,
                                problems)) {}

CoveredMean PastInflows::of(const Occurrence& season, int hydro) const {
    return covered_mean(
        season.start, std::min(season.end, start_), recent_[at(hydro)], history_[at(hydro)]);
}

// From the last stage to the first, so that what later stages need is known.
StatePlaces::StatePlaces(const Calendar& calendar, int lags) : calendar_(calendar), lags_(lags) {
    const SeasonWalk walk(calendar);
    seasons_.resize(calendar.stages.size());
    std::vector<Occurrence> needed;
    for (int t = calendar.stage_count() - 1; t >= 0; --t) {
        add_stage(t, needed, walk);
    }
}

bool StatePlaces::begins_before(const Occurrence& season, int stage) const {
    return season.start < calendar_.stages[at(stage)].start;
}

void StatePlaces::add_stage(int stage, std::vector<Occurrence>& needed, const SeasonWalk& walk) {
    std::vector<Occurrence>& seasons = seasons_[at(stage)];
    const Stage& own = calendar_.stages[at(stage)];
    Occurrence season = walk.of(own).value_or(Occurrence{-1, own.start, own.end});
    for (int lag = 0; lag < lags_; ++lag) {
        season = walk.before(season);
        seasons.push_back(season);
    }
    std::ranges::sort(needed, is_newer);
    int kept = 0;  // places that the next stages need
    for (const Occurrence& each : needed) {
        if (!begins_before(each, stage)) {
            continue;  // only of this stage's inflow and later ones
        }
        if (place_of(seasons, each) < 0) {
            seasons.push_back(each);
        }
        kept = std::max(kept, place_of(seasons, each) + 1);
    }
    size_ = std::max({size_, static_cast<int>(seasons.size()), kept + 1});
    for (int lag = 0; lag < lags_; ++lag) {
        if (place_of(needed, seasons[at(lag)]) < 0) {
            needed.push_back(seasons[at(lag)]);
        }
    }
}

int StatePlaces::covered_days(const Occurrence& season,
                              int stage,
                              int hydro,
                              const PastInflows& past) const {
    int days = past.of(season, hydro).days;
    for (int t = 0; t < stage; ++t) {
        const Stage& each = calendar_.stages[at(t)];
        days += common_days(season.start, season.end, each.start, each.end);
    }
    return days;
}

std::vector<InflowModel::Recall> StatePlaces::recall(int stage,
                                                     int hydros,
                                                     const PastInflows& past) const {
    std::vector<InflowModel::Recall> recall;
    if (stage == 0) {
        return recall;
    }
    const Stage& last = calendar_.stages[at(stage - 1)];
    const std::vector<Occurrence>& before = seasons_[at(stage - 1)];
    const std::vector<Occurrence>& seasons = seasons_[at(stage)];
    for (int lag = 0; lag < std::ssize(seasons); ++lag) {
        const Occurrence& season = seasons[at(lag)];
        const int kept = place_of(before, season);
        const int fresh = common_days(season.start, season.end, last.start, last.end);
        std::vector<double> from_inflow(at(hydros), 0.0);
        std::vector<double> from_before(at(hydros), 0.0);
        for (int h = 0; h < hydros; ++h) {
            const int old = kept < 0 ? 0 : covered_days(season, stage - 1, h, past);
            const double all = old + fresh;
            from_inflow[at(h)] = fresh == 0 ? 0 : fresh / all;
            from_before[at(h)] = kept < 0 ? 0 : fresh == 0 ? 1 : old / all;
        }
        add_term(lag, 0, std::move(from_inflow), recall);
        add_term(lag, kept + 1, std::move(from_before), recall);
    }
    return is_identity(recall, seasons.size()) ? std::vector<InflowModel::Recall>() : recall;
}

}  // namespace lockstep::sddp
