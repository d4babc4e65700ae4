#include "sddp/hydro/process/fitting/fitting.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
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

bool has_monthly_seasons(const Calendar& calendar, Problems& problems) {
    if (calendar.cycle == SeasonCycle::monthly) {
        return true;
    }
    if (calendar.cycle == SeasonCycle::none) {
        problems.add(ProblemKind::business_rule_violation,
                     subject::season_map,
                     "",
                     "estimating inflows from history needs a season map");
    } else {
        problems.add(ProblemKind::not_supported,
                     subject::season_map,
                     "cycle",
                     "not supported yet: estimating inflows with a weekly or custom season cycle; "
                     "monthly is");
    }
    return false;
}

// --- stages that get rows ------------------------------------------------------------------------

struct StageMonth {
    int stage_id;
    int calendar_month;
};

/// Calendar month of a season; the season map is monthly here.
int month_of_season(const Calendar& calendar, int season) {
    const auto found = std::ranges::find(calendar.seasons, season, &Season::id);
    return found == calendar.seasons.end() ? -1 : static_cast<int>(found->month_start) - 1;
}

std::vector<StageMonth> study_months(const Calendar& calendar, Problems& problems) {
    std::vector<StageMonth> result;
    for (const Stage& stage : calendar.stages) {
        const int month = month_of_season(calendar, stage.season);
        if (month < 0) {
            problems.add(ProblemKind::business_rule_violation,
                         subject::stages,
                         fmt::format("stage {}", stage.id),
                         "estimating inflows from history needs a season of the season map");
            continue;
        }
        result.push_back({stage.id, month});
    }
    return result;
}

/// How far back any stage of the study reads, in months.
int reach_of(const ProcessData& data, const Path& path) {
    int reach = data.estimation.max_order;
    bool has_annual = data.estimation.order_selection == OrderSelection::pacf_annual;
    if (!path.estimates_coefficients) {
        for (const ArCoefficient& row : *data.coefficients) {
            reach = std::max(reach, row.lag);
        }
        has_annual = data.annual.has_value();
    }
    return has_annual ? std::max(reach, months_per_year) : std::min(reach, months_per_year);
}

bool holds(const std::vector<StageMonth>& stages, int month) {
    return std::ranges::find(stages, month, &StageMonth::calendar_month) != stages.end();
}

/// How many months the stages that are declared before the study go back.
int declared_reach(const Calendar& calendar) {
    int reach = 0;
    for (const PastStage& stage : calendar.past) {
        reach = std::max(reach,
                         month_number(calendar.stages.front().start) - month_number(stage.start));
    }
    return reach;
}

/// A month that no stage declares counts on from the nearest declared one after it.
int past_id(const Calendar& calendar, int month) {
    int id = calendar.stages.front().id - (month_number(calendar.stages.front().start) - month);
    int nearest = month_number(calendar.stages.front().start);
    for (const PastStage& stage : calendar.past) {
        const int start = month_number(stage.start);
        if (start >= month && start < nearest) {
            nearest = start;
            id = stage.id - (start - month);
        }
    }
    return id;
}

/// Months that the study reads as lags, or that are declared, but that it does not hold, as stages
/// before the first.
std::vector<StageMonth> lag_months(const Calendar& calendar,
                                   const std::vector<StageMonth>& study,
                                   int reach) {
    std::vector<StageMonth> result;
    const Stage& first = calendar.stages.front();
    for (int back = 1; back <= std::max(reach, declared_reach(calendar)); ++back) {
        const int number = month_number(first.start) - back;
        const int month = calendar_month(number);
        if (!holds(study, month) && !holds(result, month)) {
            result.push_back({past_id(calendar, number), month});
        }
    }
    return result;
}

MonthSet months_of(const std::vector<StageMonth>& stages) {
    MonthSet months;
    for (const StageMonth& stage : stages) {
        months.set(at(stage.calendar_month));
    }
    return months;
}

// --- enough data ---------------------------------------------------------------------------------

int fewest_values(const MonthlyMoments& moments, const std::vector<StageMonth>& stages) {
    const auto count = [&](const StageMonth& stage) { return moments.count(stage.calendar_month); };
    return std::ranges::min_element(stages, {}, count)->calendar_month;
}

/// Two values of each month at least; fewer than the wish of the options is only told.
void check_counts(const MonthlyMoments& moments,
                  const Hydro& hydro,
                  const std::vector<StageMonth>& stages,
                  const EstimationOptions& options,
                  Problems& problems) {
    const int month = fewest_values(moments, stages);
    const int fewest = moments.count(month);
    constexpr int needed = 2;
    if (fewest >= options.min_observations_per_season && fewest >= needed) {
        return;
    }
    problems.add(
        fewest < needed ? ProblemKind::business_rule_violation : ProblemKind::model_quality,
        subject::inflow_history,
        fmt::format("hydro {}", hydro.id),
        fmt::format("only {} fully covered occurrences of month {}; {}",
                    fewest,
                    month + 1,
                    fewest < needed ? fmt::format("at least {} are needed", needed)
                                    : fmt::format("min_observations_per_season is {}",
                                                  options.min_observations_per_season)));
}

// --- rows ----------------------------------------------------------------------------------------

struct PlantModel {
    int hydro;
    MonthlyMoments moments;
    PlantFit fit;
};

const MonthFit& fit_of(const PlantModel& plant, int month) {
    return plant.fit[at(month)];
}

/// Those that the case gives stay.
void add_statistics(const PlantModel& plant,
                    const std::vector<StageMonth>& stages,
                    std::vector<InflowStatistics>& rows) {
    for (const StageMonth& stage : stages) {
        const auto is_it = [&](const InflowStatistics& row) {
            return row.hydro == plant.hydro && row.stage_id == stage.stage_id;
        };
        if (std::ranges::none_of(rows, is_it)) {
            const int month = stage.calendar_month;
            rows.push_back(
                {plant.hydro, stage.stage_id, plant.moments.mean(month), plant.moments.std(month)});
        }
    }
}

void add_coefficients(const PlantModel& plant,
                      const std::vector<StageMonth>& stages,
                      std::vector<ArCoefficient>& coefficients,
                      std::vector<AnnualComponent>& annual) {
    for (const StageMonth& stage : stages) {
        const MonthFit& fit = fit_of(plant, stage.calendar_month);
        for (int lag = 1; lag <= fit.order(); ++lag) {
            coefficients.push_back(
                {plant.hydro, stage.stage_id, lag, fit.coefficients[at(lag - 1)]});
        }
        if (fit.annual != 0) {
            annual.push_back({plant.hydro,
                              stage.stage_id,
                              fit.annual,
                              plant.moments.annual_mean(stage.calendar_month - 1),
                              plant.moments.annual_std(stage.calendar_month - 1)});
        }
    }
}

/// The standardised coefficients of the case, by calendar month, for residuals.
PlantFit given_fit(const ProcessData& data, int hydro, const std::vector<StageMonth>& stages) {
    PlantFit fit;
    for (const StageMonth& stage : stages) {
        MonthFit month;
        for (const ArCoefficient& row : *data.coefficients) {
            if (row.hydro == hydro && row.stage_id == stage.stage_id && row.lag >= 1) {
                month.coefficients.resize(
                    std::max(month.coefficients.size(), static_cast<std::size_t>(row.lag)));
                month.coefficients[at(row.lag - 1)] = row.coefficient;
            }
        }
        if (data.annual) {
            for (const AnnualComponent& row : *data.annual) {
                month.annual = row.hydro == hydro && row.stage_id == stage.stage_id
                                   ? row.coefficient
                                   : month.annual;
            }
        }
        fit[at(stage.calendar_month)] = std::move(month);
    }
    return fit;
}

void add_report(const Calendar& calendar,
                const PlantModel& plant,
                const std::vector<StageMonth>& stages,
                FitReport& report) {
    for (const Season& season : calendar.seasons) {
        const int month = static_cast<int>(season.month_start) - 1;
        if (!holds(stages, month)) {
            continue;
        }
        const MonthFit& fit = fit_of(plant, month);
        report.seasons.push_back({plant.hydro,
                                  season.id,
                                  fit.order(),
                                  fit.coefficients,
                                  1,
                                  fit.annual,
                                  plant.moments.mean(month),
                                  plant.moments.std(month)});
    }
}

bool is_white_noise(const PlantFit& fit) {
    return std::ranges::all_of(fit, [](const MonthFit& month) { return month.order() == 0; });
}

std::vector<PlantModel> fit_plants(const System& system,
                                   const ProcessData& data,
                                   const Path& path,
                                   const std::vector<StageMonth>& stages,
                                   Problems& problems) {
    const auto windows = windows_by_hydro(system, *data.history, subject::inflow_history, problems);
    const MonthSet months = months_of(stages);
    const MomentOptions options{months, data.estimation.rounded_moments};
    std::vector<PlantModel> plants;
    for (int hydro = 0; hydro < std::ssize(system.hydros); ++hydro) {
        MonthlyMoments moments(monthly_series(windows[at(hydro)]), options);
        check_counts(moments, system.hydros[at(hydro)], stages, data.estimation, problems);
        PlantFit fit = path.estimates_coefficients ? fit_plant(moments, data.estimation, months)
                                                   : given_fit(data, hydro, stages);
        plants.push_back({hydro, std::move(moments), std::move(fit)});
    }
    return plants;
}

std::vector<StageMonth> joined(std::vector<StageMonth> a, const std::vector<StageMonth>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

void estimate(const Calendar& calendar,
              const System& system,
              const Path& path,
              CompleteTables& tables,
              Problems& problems) {
    ProcessData& data = tables.data;
    const std::vector<StageMonth> study = study_months(calendar, problems);
    if (study.empty()) {
        return;
    }
    const std::vector<StageMonth> before = lag_months(calendar, study, reach_of(data, path));
    const std::vector<StageMonth> stages = joined(study, before);
    const auto plants = fit_plants(system, data, path, stages, problems);
    if (path.estimates_statistics) {
        data.statistics.emplace();
    }
    if (path.estimates_coefficients) {
        data.coefficients.emplace();
        data.annual.reset();
    }
    std::vector<AnnualComponent> annual;
    std::vector<MonthlySeries> left;
    for (const PlantModel& plant : plants) {
        add_statistics(plant, path.estimates_statistics ? stages : before, *data.statistics);
        if (path.estimates_coefficients) {
            add_coefficients(plant, stages, *data.coefficients, annual);
            if (is_white_noise(plant.fit)) {
                tables.provenance.white_noise_fallbacks.push_back(
                    system.hydros[at(plant.hydro)].name);
            }
        }
        add_report(calendar, plant, stages, tables.fit);
        left.push_back(residuals(plant.moments, plant.fit));
    }
    if (!annual.empty()) {
        data.annual = std::move(annual);
    }
    if (!data.correlation) {
        data.correlation = residual_correlation(calendar, left, months_of(stages));
    }
}

}  // namespace

CompleteTables complete_tables(const Calendar& calendar,
                               const System& system,
                               const ProcessData& data,
                               Problems& problems) {
    const Path path = choose_path(data);
    CompleteTables tables{data, provenance_of(path, data), {}};
    if (path.estimates() && !system.hydros.empty() && !calendar.stages.empty() &&
        has_monthly_seasons(calendar, problems)) {
        estimate(calendar, system, path, tables, problems);
    }
    if (!data.history && !data.statistics) {
        tables.data.coefficients.reset();
        tables.data.annual.reset();
    }
    return tables;
}

}  // namespace lockstep::sddp
