#include "sddp/hydro/process/fitting/fitting.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"
#include "lockstep/sddp/subject.hpp"

#include "sddp/hydro/process/fitting/correlation.hpp"
#include "sddp/hydro/process/fitting/history.hpp"
#include "sddp/hydro/process/fitting/moments.hpp"
#include "sddp/hydro/process/fitting/orders.hpp"
#include "sddp/hydro/process/seasons/season_rings.hpp"

namespace lockstep::sddp {
namespace {

constexpr const char* estimated = "estimated";
constexpr const char* user_file = "user_file";
constexpr const char* not_applicable = "n/a";

// --- which path ----------------------------------------------------------------------------------

struct Path {
    const char* name;
    bool estimates_statistics = false;
    bool estimates_coefficients = false;

    [[nodiscard]] bool estimates() const { return estimates_statistics || estimates_coefficients; }
};

Path choose_path(const ProcessData& data) {
    const bool has_statistics = data.statistics.has_value();
    const bool has_coefficients = data.coefficients.has_value();
    if (!data.history) {
        if (!has_statistics) {
            return {"deterministic"};
        }
        return {has_coefficients ? "user_provided_no_history" : "user_stats_white_noise"};
    }
    if (has_statistics) {
        return has_coefficients ? Path{"user_provided_all"}
                                : Path{"partial_estimation", false, true};
    }
    return has_coefficients ? Path{"user_ar_history_stats", true, false}
                            : Path{"full_estimation", true, true};
}

const char* source_of(bool is_estimated, bool is_given) {
    return is_estimated ? estimated : is_given ? user_file : not_applicable;
}

Provenance provenance_of(const Path& path, const ProcessData& data) {
    Provenance result;
    result.estimation_path = path.name;
    const bool is_deterministic = !data.history && !data.statistics;
    result.statistics_source = source_of(path.estimates_statistics, data.statistics.has_value());
    result.coefficients_source =
        source_of(path.estimates_coefficients, data.coefficients.has_value() && !is_deterministic);
    result.correlation_source =
        source_of(path.estimates() && !data.correlation, data.correlation.has_value());
    return result;
}

// --- checks --------------------------------------------------------------------------------------

bool can_estimate(const Calendar& calendar,
                  const System& system,
                  const ProcessData& data,
                  Problems& problems) {
    if (system.hydros.empty() || calendar.stages.empty()) {
        return false;
    }
    if (calendar.cycle == SeasonCycle::none) {
        problems.add(ProblemKind::business_rule_violation,
                     subject::season_map,
                     "",
                     "estimating inflows from history needs a season map");
        return false;
    }
    const bool has_annual =
        data.annual || data.estimation.order_selection == OrderSelection::pacf_annual;
    if (has_annual && calendar.cycle != SeasonCycle::monthly) {
        problems.add(ProblemKind::business_rule_violation,
                     subject::season_map,
                     "cycle",
                     "estimating inflows with a yearly part (pacf_annual) needs monthly seasons");
        return false;
    }
    return true;
}

// --- stages that get rows ------------------------------------------------------------------------

/// A cycle of seasons, in which each has its place.
class Cycle {
public:
    Cycle(const Calendar& calendar, const SeasonRings& rings, std::size_t ring)
        : calendar_(calendar), rings_(rings), ring_(rings.rings()[ring]), walk_(calendar) {}

    [[nodiscard]] int size() const { return static_cast<int>(ring_.size()); }
    /// -1: in another cycle, or none.
    [[nodiscard]] int place(const Occurrence& occurrence) const {
        return place_of(rings_.number(occurrence));
    }
    [[nodiscard]] int place(int season_id) const { return place_of(rings_.number_of(season_id)); }
    /// By season id.
    [[nodiscard]] std::map<int, int> places() const {
        std::map<int, int> places;
        for (const int id : season_ids()) {
            if (const int where = place(id); where >= 0) {
                places[id] = where;
            }
        }
        return places;
    }
    [[nodiscard]] std::string name(int place) const {
        return is_monthly() ? fmt::format("month {}", place + 1) : rings_.name(ring_[at(place)]);
    }
    [[nodiscard]] bool is_monthly() const { return calendar_.cycle == SeasonCycle::monthly; }
    [[nodiscard]] const SeasonWalk& walk() const { return walk_; }
    /// A season that begins after a day.
    [[nodiscard]] Occurrence after(const Calendar& calendar, Date last) const {
        const auto stage = std::ranges::find_if(
            calendar.stages, [&](const Stage& each) { return place(each.season) >= 0; });
        const Occurrence first = occurrence(*stage);
        int years = 0;
        while (walk_.years_later(first, years).start <= last) {
            ++years;
        }
        return walk_.years_later(first, years);
    }
    [[nodiscard]] Occurrence occurrence(const Stage& stage) const {
        return walk_.of(stage).value_or(Occurrence{-1, stage.start, stage.end});
    }

private:
    [[nodiscard]] std::vector<int> season_ids() const {
        std::vector<int> ids;
        for (int week = 0; calendar_.cycle == SeasonCycle::weekly && week < size(); ++week) {
            ids.push_back(week);
        }
        for (const Season& season : calendar_.seasons) {
            ids.push_back(season.id);
        }
        return ids;
    }
    [[nodiscard]] int place_of(int number) const {
        const auto found = std::ranges::find(ring_, static_cast<std::size_t>(number));
        return number < 0 || found == ring_.end() ? -1 : static_cast<int>(found - ring_.begin());
    }

    const Calendar& calendar_;
    const SeasonRings& rings_;
    const std::vector<std::size_t>& ring_;
    SeasonWalk walk_;
};

struct StageSeason {
    int stage_id;
    int place;  ///< in the cycle
};

std::vector<StageSeason> study_seasons(const Calendar& calendar, const Cycle& cycle) {
    std::vector<StageSeason> result;
    for (const Stage& stage : calendar.stages) {
        if (const int place = cycle.place(stage.season); place >= 0) {
            result.push_back({stage.id, place});
        }
    }
    return result;
}

bool check_seasons(const Calendar& calendar, Problems& problems) {
    const SeasonRings rings(calendar);
    const std::size_t before = problems.error_count();
    for (const Stage& stage : calendar.stages) {
        if (rings.number_of(stage.season) < 0) {
            problems.add(ProblemKind::business_rule_violation,
                         subject::stages,
                         fmt::format("stage {}", stage.id),
                         "estimating inflows from history needs a season of the season map");
        }
    }
    return problems.error_count() == before;
}

/// How far back any stage of the study reads, in seasons.
int reach_of(const ProcessData& data, const Path& path, const Cycle& cycle) {
    int reach = data.estimation.max_order;
    bool has_annual = data.estimation.order_selection == OrderSelection::pacf_annual;
    if (!path.estimates_coefficients) {
        for (const ArCoefficient& row : *data.coefficients) {
            reach = std::max(reach, row.lag);
        }
        has_annual = data.annual.has_value();
    }
    return has_annual ? std::max(reach, cycle.size()) : std::min(reach, cycle.size());
}

bool holds(const std::vector<StageSeason>& stages, int place) {
    return std::ranges::find(stages, place, &StageSeason::place) != stages.end();
}

/// Counts seasons back from the first of a study, with the ids that stages before it have: the
/// declared ones, and one less for each season that no stage declares.
class PastSeasons {
public:
    PastSeasons(const Calendar& calendar, const Cycle& cycle)
        : calendar_(calendar),
          cycle_(cycle),
          occurrence_(cycle.occurrence(calendar.stages.front())),
          id_(calendar.stages.front().id) {
        for (const PastStage& stage : calendar.past) {
            earliest_ = std::min(earliest_.value_or(stage.start), stage.start);
        }
    }

    [[nodiscard]] bool has_declared() const { return earliest_ && *earliest_ < occurrence_.start; }
    StageSeason next() {
        occurrence_ = cycle_.walk().before(occurrence_);
        const auto declared = std::ranges::find_if(calendar_.past, [&](const PastStage& stage) {
            return occurrence_.start <= stage.start && stage.start < occurrence_.end;
        });
        id_ = declared == calendar_.past.end() ? id_ - 1 : declared->id;
        return {id_, cycle_.place(occurrence_)};
    }

private:
    const Calendar& calendar_;
    const Cycle& cycle_;
    Occurrence occurrence_;
    int id_;
    std::optional<Date> earliest_;
};

/// Seasons that the study reads as lags, or that are declared, but that it does not hold, as stages
/// before the first.
std::vector<StageSeason> lag_seasons(const Calendar& calendar,
                                     const Cycle& cycle,
                                     const std::vector<StageSeason>& study,
                                     int reach) {
    std::vector<StageSeason> result;
    PastSeasons past(calendar, cycle);
    for (int back = 1; back <= reach || past.has_declared(); ++back) {
        const StageSeason season = past.next();
        if (season.place >= 0 && !holds(study, season.place) && !holds(result, season.place)) {
            result.push_back(season);
        }
    }
    return result;
}

SeasonSet seasons_of(const std::vector<StageSeason>& stages) {
    SeasonSet seasons;
    for (const StageSeason& stage : stages) {
        seasons.set(at(stage.place));
    }
    return seasons;
}

// --- the record by seasons -----------------------------------------------------------------------

/// Steps count backwards from `after`, which is the same for all plants.
SeasonSeries season_series(const Cycle& cycle,
                           const ObservationWindows& windows,
                           const Occurrence& after) {
    if (cycle.is_monthly() || windows.empty()) {
        return monthly_series(windows);
    }
    SeasonSeries series;
    series.cycle = cycle.size();
    Occurrence at = cycle.walk().before(after);
    for (; at.end > windows.front().start; at = cycle.walk().before(at)) {
        const CoveredMean found = covered_mean(at.start, at.end, {}, windows);
        const int place = cycle.place(at);
        const bool is_known = place >= 0 && found.days == at.days();
        series.values.push_back(is_known ? found.mean : std::numeric_limits<double>::quiet_NaN());
        series.seasons.push_back(std::max(place, 0));
    }
    std::ranges::reverse(series.values);
    std::ranges::reverse(series.seasons);
    series.first = -static_cast<int>(series.values.size());
    return series;
}

Date end_of_record(const std::vector<ObservationWindows>& windows) {
    Date last{};
    for (const ObservationWindows& of_plant : windows) {
        last = of_plant.empty() ? last : std::max(last, of_plant.back().end);
    }
    return last;
}

// --- enough data ---------------------------------------------------------------------------------

int fewest_values(const SeasonMoments& moments, const std::vector<StageSeason>& stages) {
    const auto count = [&](const StageSeason& stage) { return moments.count(stage.place); };
    return std::ranges::min_element(stages, {}, count)->place;
}

/// Two values of each season at least; fewer than the wish of the options is only told.
void check_counts(const SeasonMoments& moments,
                  const Cycle& cycle,
                  const Hydro& hydro,
                  const std::vector<StageSeason>& stages,
                  const EstimationOptions& options,
                  Problems& problems) {
    const int place = fewest_values(moments, stages);
    const int fewest = moments.count(place);
    constexpr int needed = 2;
    if (fewest >= options.min_observations_per_season && fewest >= needed) {
        return;
    }
    problems.add(
        fewest < needed ? ProblemKind::business_rule_violation : ProblemKind::model_quality,
        subject::inflow_history,
        fmt::format("hydro {}", hydro.id),
        fmt::format("only {} fully covered occurrences of {}; {}",
                    fewest,
                    cycle.name(place),
                    fewest < needed ? fmt::format("at least {} are needed", needed)
                                    : fmt::format("min_observations_per_season is {}",
                                                  options.min_observations_per_season)));
}

// --- rows ----------------------------------------------------------------------------------------

struct PlantModel {
    int hydro;
    SeasonMoments moments;
    PlantFit fit;
};

const SeasonFit& fit_of(const PlantModel& plant, int place) {
    return plant.fit[at(place)];
}

/// Those that the case gives stay.
void add_statistics(const PlantModel& plant,
                    const std::vector<StageSeason>& stages,
                    std::vector<InflowStatistics>& rows) {
    for (const StageSeason& stage : stages) {
        const auto is_it = [&](const InflowStatistics& row) {
            return row.hydro == plant.hydro && row.stage_id == stage.stage_id;
        };
        if (std::ranges::none_of(rows, is_it)) {
            rows.push_back({plant.hydro,
                            stage.stage_id,
                            plant.moments.mean(stage.place),
                            plant.moments.std(stage.place)});
        }
    }
}

void add_coefficients(const PlantModel& plant,
                      const std::vector<StageSeason>& stages,
                      std::vector<ArCoefficient>& coefficients,
                      std::vector<AnnualComponent>& annual) {
    for (const StageSeason& stage : stages) {
        const SeasonFit& fit = fit_of(plant, stage.place);
        for (int lag = 1; lag <= fit.order(); ++lag) {
            coefficients.push_back(
                {plant.hydro, stage.stage_id, lag, fit.coefficients[at(lag - 1)]});
        }
        if (fit.annual != 0) {
            annual.push_back({plant.hydro,
                              stage.stage_id,
                              fit.annual,
                              plant.moments.annual_mean(stage.place - 1),
                              plant.moments.annual_std(stage.place - 1)});
        }
    }
}

/// The standardised coefficients of the case, by season, for residuals.
PlantFit given_fit(const ProcessData& data,
                   int hydro,
                   int cycle,
                   const std::vector<StageSeason>& stages) {
    PlantFit fit(at(cycle));
    for (const StageSeason& stage : stages) {
        SeasonFit season;
        for (const ArCoefficient& row : *data.coefficients) {
            if (row.hydro == hydro && row.stage_id == stage.stage_id && row.lag >= 1) {
                season.coefficients.resize(
                    std::max(season.coefficients.size(), static_cast<std::size_t>(row.lag)));
                season.coefficients[at(row.lag - 1)] = row.coefficient;
            }
        }
        if (data.annual) {
            for (const AnnualComponent& row : *data.annual) {
                season.annual = row.hydro == hydro && row.stage_id == stage.stage_id
                                    ? row.coefficient
                                    : season.annual;
            }
        }
        fit[at(stage.place)] = std::move(season);
    }
    return fit;
}

void add_report(const Cycle& cycle,
                const PlantModel& plant,
                const std::vector<StageSeason>& stages,
                FitReport& report) {
    for (const auto& [season_id, place] : cycle.places()) {
        if (!holds(stages, place)) {
            continue;
        }
        const SeasonFit& fit = fit_of(plant, place);
        report.seasons.push_back({plant.hydro,
                                  season_id,
                                  fit.order(),
                                  fit.coefficients,
                                  1,
                                  fit.annual,
                                  plant.moments.mean(place),
                                  plant.moments.std(place)});
    }
}

bool is_white_noise(const PlantFit& fit) {
    return std::ranges::all_of(fit, [](const SeasonFit& season) { return season.order() == 0; });
}

std::vector<StageSeason> joined(std::vector<StageSeason> a, const std::vector<StageSeason>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

/// Estimates cycle after cycle: months, and then perhaps quarters.
class Estimation {
public:
    Estimation(const Calendar& calendar,
               const System& system,
               const Path& path,
               CompleteTables& tables,
               Problems& problems)
        : calendar_(calendar),
          system_(system),
          path_(path),
          tables_(tables),
          data_(tables.data),
          problems_(problems),
          is_white_(system.hydros.size(), 1) {}

    void run() {
        windows_ = windows_by_hydro(system_, *data_.history, subject::inflow_history, problems_);
        if (path_.estimates_statistics) {
            data_.statistics.emplace();
        }
        if (path_.estimates_coefficients) {
            data_.coefficients.emplace();
            data_.annual.reset();
        }
        const SeasonRings rings(calendar_);
        for (std::size_t ring = 0; ring < rings.rings().size(); ++ring) {
            add_cycle(Cycle(calendar_, rings, ring));
        }
        finish();
    }

private:
    void add_cycle(const Cycle& cycle) {
        const auto study = study_seasons(calendar_, cycle);
        if (study.empty()) {
            return;
        }
        const bool is_first = cycle.place(calendar_.stages.front().season) >= 0;
        const auto before =
            is_first ? lag_seasons(calendar_, cycle, study, reach_of(data_, path_, cycle))
                     : std::vector<StageSeason>();
        const auto stages = joined(study, before);
        std::vector<SeasonSeries> left;
        for (const PlantModel& plant : fit_plants(cycle, stages)) {
            add_statistics(plant, path_.estimates_statistics ? stages : before, *data_.statistics);
            if (path_.estimates_coefficients) {
                add_coefficients(plant, stages, *data_.coefficients, annual_);
                is_white_[at(plant.hydro)] &= static_cast<char>(is_white_noise(plant.fit));
            }
            add_report(cycle, plant, stages, tables_.fit);
            left.push_back(residuals(plant.moments, plant.fit));
        }
        add_correlation(residual_correlation(calendar_, cycle.places(), left, seasons_of(stages)));
    }

    std::vector<PlantModel> fit_plants(const Cycle& cycle, const std::vector<StageSeason>& stages) {
        const SeasonSet seasons = seasons_of(stages);
        const MomentOptions options{seasons, data_.estimation.rounded_moments};
        const Occurrence after = cycle.after(calendar_, end_of_record(windows_));
        std::vector<PlantModel> plants;
        for (int hydro = 0; hydro < std::ssize(system_.hydros); ++hydro) {
            SeasonMoments moments(season_series(cycle, windows_[at(hydro)], after), options);
            check_counts(
                moments, cycle, system_.hydros[at(hydro)], stages, data_.estimation, problems_);
            PlantFit fit = path_.estimates_coefficients
                               ? fit_plant(moments, data_.estimation, seasons)
                               : given_fit(data_, hydro, cycle.size(), stages);
            plants.push_back({hydro, std::move(moments), std::move(fit)});
        }
        return plants;
    }

    /// The cycle that a study begins in says what is so in all seasons without a profile.
    void add_correlation(CorrelationModel model) {
        if (!correlation_) {
            correlation_ = std::move(model);
            return;
        }
        auto& profiles = correlation_->profiles;
        profiles.insert(profiles.end(), model.profiles.begin() + 1, model.profiles.end());
        auto& schedule = correlation_->schedule;
        schedule.insert(schedule.end(), model.schedule.begin(), model.schedule.end());
    }

    void finish() {
        for (std::size_t hydro = 0; hydro < is_white_.size(); ++hydro) {
            if (path_.estimates_coefficients && is_white_[hydro] != 0) {
                tables_.provenance.white_noise_fallbacks.push_back(system_.hydros[hydro].name);
            }
        }
        if (!annual_.empty()) {
            data_.annual = std::move(annual_);
        }
        if (!data_.correlation) {
            data_.correlation = std::move(correlation_);
        }
    }

    const Calendar& calendar_;
    const System& system_;
    const Path& path_;
    CompleteTables& tables_;
    ProcessData& data_;
    Problems& problems_;
    std::vector<char> is_white_;  // [hydros]
    std::vector<ObservationWindows> windows_;
    std::vector<AnnualComponent> annual_;
    std::optional<CorrelationModel> correlation_;
};

}  // namespace

CompleteTables complete_tables(const Calendar& calendar,
                               const System& system,
                               const ProcessData& data,
                               Problems& problems) {
    const Path path = choose_path(data);
    CompleteTables tables{data, provenance_of(path, data), {}};
    if (path.estimates() && can_estimate(calendar, system, data, problems) &&
        check_seasons(calendar, problems)) {
        Estimation(calendar, system, path, tables, problems).run();
    }
    if (!data.history && !data.statistics) {
        tables.data.coefficients.reset();
        tables.data.annual.reset();
    }
    return tables;
}

}  // namespace lockstep::sddp
