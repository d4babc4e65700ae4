#include "sddp/hydro/process/inflow/inflow_model_tables.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <set>
#include <string>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"
#include "lockstep/sddp/subject.hpp"

namespace lockstep::sddp {
namespace {

std::string entity(const System& system, int hydro, int stage_id) {
    return fmt::format("hydro {}, stage {}", system.hydros[at(hydro)].id, stage_id);
}

void report_twice(
    const char* file, const System& system, int hydro, int stage_id, Problems& problems) {
    problems.add(ProblemKind::duplicate_id, file, entity(system, hydro, stage_id), "given twice");
}

}  // namespace

InflowTables::InflowTables(const Calendar& calendar,
                           const System& system,
                           const ProcessData& data,
                           Problems& problems)
    : calendar_(calendar), walk_(calendar) {
    add_statistics(system, data, problems);
    add_occurrence_moments();
    add_season_moments(system);
    add_coefficients(system, data, problems);
    add_annual(system, data, problems);
}

void InflowTables::add_statistics(const System& system,
                                  const ProcessData& data,
                                  Problems& problems) {
    if (!data.statistics) {
        return;
    }
    for (const InflowStatistics& row : *data.statistics) {
        const InflowMoments moments{row.mean_m3s, row.std_m3s};
        if (!moments_.emplace(Key(row.hydro, row.stage_id), moments).second) {
            report_twice(subject::inflow_statistics, system, row.hydro, row.stage_id, problems);
        }
    }
}

/// By seasons and not by ids, which may leave gaps. Of two rows for one season of one year the one
/// with the higher id counts.
void InflowTables::add_occurrence_moments() {
    for (auto latest = moments_.rbegin(); latest != moments_.rend(); ++latest) {
        const auto& [key, row] = *latest;
        if (const auto found = occurrence_of(key.second)) {
            occurrence_moments_.emplace(std::tuple(key.first, found->start, found->end), row);
        }
    }
}

void InflowTables::add_season_moments(const System& system) {
    const auto add = [this](int hydro, int stage_id, int season) {
        const auto row = moments(hydro, stage_id);
        if (row && season >= 0) {
            season_moments_.emplace(Key(hydro, season), *row);  // the first one stays
        }
    };
    for (int hydro = 0; hydro < std::ssize(system.hydros); ++hydro) {
        for (const Stage& stage : calendar_.stages) {
            add(hydro, stage.id, stage.season);
        }
        for (const PastStage& stage : calendar_.past) {
            add(hydro, stage.id, stage.season);
        }
    }
    for (auto latest = moments_.rbegin(); latest != moments_.rend(); ++latest) {
        const auto& [key, row] = *latest;  // fitted seasons, which no stage of the calendar is
        const auto found = occurrence_of(key.second);
        if (found && found->season >= 0) {
            season_moments_.emplace(Key(key.first, found->season), row);
        }
    }
}

void InflowTables::check_statistics(const char* file,
                                    const System& system,
                                    Key key,
                                    Problems& problems) const {
    if (!moments_.contains(key)) {
        problems.add(ProblemKind::schema_violation,
                     file,
                     entity(system, key.first, key.second),
                     fmt::format("no row of the {} belongs to it", subject::inflow_statistics));
    }
}

void InflowTables::add_coefficients(const System& system,
                                    const ProcessData& data,
                                    Problems& problems) {
    if (!data.coefficients) {
        return;
    }
    for (const ArCoefficient& row : *data.coefficients) {
        std::vector<double>& list = coefficients_[Key(row.hydro, row.stage_id)];
        const auto position = static_cast<std::size_t>(std::max(row.lag, 1) - 1);
        if (list.size() <= position) {
            list.resize(position + 1, std::nan(""));
        }
        if (!std::isnan(list[position])) {
            report_twice(subject::inflow_coefficients, system, row.hydro, row.stage_id, problems);
        }
        list[position] = row.coefficient;
    }
    for (auto& [key, list] : coefficients_) {
        std::ranges::replace_if(
            list, [](double value) { return std::isnan(value); }, 0.0);
        check_statistics(subject::inflow_coefficients, system, key, problems);
    }
}

void InflowTables::add_annual(const System& system, const ProcessData& data, Problems& problems) {
    if (!data.annual) {
        return;
    }
    for (const AnnualComponent& row : *data.annual) {
        const Key key(row.hydro, row.stage_id);
        if (!annual_.emplace(key, row).second) {
            report_twice(subject::annual_component, system, row.hydro, row.stage_id, problems);
        }
        if (!(row.std_m3s > 0)) {
            problems.add(ProblemKind::invalid_value,
                         subject::annual_component,
                         entity(system, row.hydro, row.stage_id),
                         fmt::format("the deviation of the yearly mean is {}; it must be above 0",
                                     row.std_m3s));
        }
        check_statistics(subject::annual_component, system, key, problems);
    }
}

std::optional<InflowMoments> InflowTables::moments(int hydro, int stage_id) const {
    const auto found = moments_.find(Key(hydro, stage_id));
    return found == moments_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<InflowMoments> InflowTables::find_lag_moments(int hydro,
                                                            const Stage& stage,
                                                            int lag) const {
    const Occurrence then = walk_.before(occurrence(stage), lag);
    const auto row = occurrence_moments_.find({hydro, then.start, then.end});
    if (row != occurrence_moments_.end()) {
        return row->second;
    }
    const auto found = season_moments_.find(Key(hydro, then.season));
    return found == season_moments_.end() ? std::nullopt : std::optional(found->second);
}

Occurrence InflowTables::occurrence(const Stage& stage) const {
    return walk_.of(stage).value_or(Occurrence{-1, stage.start, stage.end});
}

std::optional<Occurrence> InflowTables::occurrence_of(int stage_id) const {
    const auto stage = std::ranges::find(calendar_.stages, stage_id, &Stage::id);
    if (stage != calendar_.stages.end()) {
        return occurrence(*stage);
    }
    if (calendar_.stages.empty() || stage_id >= calendar_.stages.front().id) {
        return std::nullopt;
    }
    return occurrence_of_past(stage_id);
}

Occurrence InflowTables::occurrence_of_past(int stage_id) const {
    int nearest = calendar_.stages.front().id;
    Occurrence at = occurrence(calendar_.stages.front());
    for (const PastStage& stage : calendar_.past) {
        if (stage.id >= stage_id && stage.id < nearest) {
            nearest = stage.id;
            at = walk_.of(stage).value_or(Occurrence{-1, stage.start, stage.end});
        }
    }
    return walk_.before(at, nearest - stage_id);
}

std::vector<Stage> InflowTables::past_stages_with_memory(int hydro) const {
    std::set<int, std::greater<>> ids;
    const auto collect = [&](const auto& rows) {
        for (const auto& [key, row] : rows) {
            if (key.first == hydro && key.second < calendar_.stages.front().id) {
                ids.insert(key.second);
            }
        }
    };
    collect(coefficients_);
    collect(annual_);
    std::vector<Stage> stages;
    for (const int id : ids) {
        Stage& stage = stages.emplace_back();
        const Occurrence then = occurrence_of_past(id);
        stage.id = id;
        stage.start = then.start;
        stage.end = then.end;
        stage.season = then.season;
    }
    return stages;
}

const std::vector<double>& InflowTables::coefficients(int hydro, int stage_id) const {
    static const std::vector<double> white_noise;
    const auto found = coefficients_.find(Key(hydro, stage_id));
    return found == coefficients_.end() ? white_noise : found->second;
}

const AnnualComponent* InflowTables::annual(int hydro, int stage_id) const {
    const auto found = annual_.find(Key(hydro, stage_id));
    return found == annual_.end() ? nullptr : &found->second;
}

}  // namespace lockstep::sddp
