#include "lockstep/sddp/process.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"
#include "lockstep/sddp/subject.hpp"

#include "sddp/hydro/process/fitting/fitting.hpp"
#include "sddp/hydro/process/inflow/inflow_model.hpp"
#include "sddp/hydro/process/inflow/inflow_moments.hpp"
#include "sddp/hydro/process/inflow/inflow_range.hpp"
#include "sddp/hydro/process/noise/correlation.hpp"
#include "sddp/hydro/process/noise/openings.hpp"
#include "sddp/hydro/process/noise/sampling.hpp"
#include "sddp/hydro/process/scenarios/scenario_library.hpp"
#include "sddp/hydro/process/seasons/season_rings.hpp"

namespace lockstep::sddp {
namespace {

/// Positions of the entities with random values, in order of their ids.
template <typename Entity>
std::vector<int> random_entities(const std::vector<Entity>& entities) {
    std::vector<int> positions;
    for (int i = 0; i < std::ssize(entities); ++i) {
        if (entities[at(i)].is_stochastic) {
            positions.push_back(i);
        }
    }
    std::ranges::sort(positions, {}, [&](int i) { return entities[at(i)].id; });
    return positions;
}

NoiseLayout noise_layout(const System& system) {
    return {static_cast<int>(system.hydros.size()),
            random_entities(system.buses),
            random_entities(system.sources)};
}

bool check_openings(const Calendar& calendar, Problems& problems) {
    const std::size_t before = problems.error_count();
    for (const Stage& stage : calendar.stages) {
        if (stage.openings < 1) {
            problems.add(
                ProblemKind::invalid_value,
                subject::stages,
                fmt::format("stage {}", stage.id),
                fmt::format("the number of openings is {}; it must be 1 or more", stage.openings));
        }
    }
    return problems.error_count() == before;
}

/// The estimates leave the ratios open: the closure of the whole cycle gives them.
void set_residual_ratios(const Calendar& calendar, const BuiltInflowModel& built, FitReport& fit) {
    const SeasonRings rings(calendar);
    for (FitReport::Season& each : fit.seasons) {
        if (const int season = rings.number_of(each.season); season >= 0) {
            each.residual_ratio = built.residual_ratio[at(each.hydro)][at(season)];
        }
    }
}

// --- ready-made scenarios ------------------------------------------------------------------------

/// Rows of the statistics give way to the moments of the scenarios that training meets.
void replace_statistics(const Calendar& calendar, ProcessData& data) {
    if (data.training.inflow != ForwardScheme::external || data.external_inflow.empty()) {
        return;
    }
    auto rows = data.statistics.value_or(std::vector<InflowStatistics>());
    for (const ExternalMoments& each : external_moments(data.external_inflow)) {
        const int stage_id = calendar.stages[at(each.stage)].id;
        std::erase_if(rows, [&](const InflowStatistics& row) {
            return row.hydro == each.entity && row.stage_id == stage_id;
        });
        rows.push_back({each.entity, stage_id, each.mean, each.std});
    }
    data.statistics = std::move(rows);
}

/// Makes each library once, for training and for simulation.
class LibraryShelf {
public:
    LibraryShelf(const Calendar& calendar,
                 const System& system,
                 const ProcessData& data,
                 const Process& process,
                 Problems& problems)
        : calendar_(calendar),
          system_(system),
          data_(data),
          process_(process),
          problems_(problems) {}

    ScenarioLibraries of(const ScenarioSource& source) {
        ScenarioLibraries out;
        if (source.inflow == ForwardScheme::historical) {
            out.inflow = history(source.historical_years);
        } else if (source.inflow == ForwardScheme::external) {
            out.inflow = kept(inflow_, [&] {
                return external_inflows(
                    calendar_, system_, process_, data_.external_inflow, problems_);
            });
        }
        if (source.load == ForwardScheme::external) {
            out.load = kept(load_, [&] {
                return external_loads(
                    calendar_, system_, process_.layout, data_.external_load, problems_);
            });
        }
        if (source.source == ForwardScheme::external) {
            out.source = kept(source_, [&] {
                return external_sources(
                    calendar_, system_, process_.layout, data_.external_source, problems_);
            });
        }
        return out;
    }

    const NoiseLibrary& history(const std::vector<int>& years) {
        return kept(history_[years], [&] {
            return historical_inflows(calendar_,
                                      system_,
                                      process_,
                                      data_.history.value_or(std::vector<InflowObservation>()),
                                      years,
                                      problems_);
        });
    }

private:
    /// Nothing where mistakes have left the inflow model unfinished.
    template <typename Make>
    const NoiseLibrary& kept(std::optional<NoiseLibrary>& place, Make make) const {
        const bool is_sound = std::ssize(process_.inflow.stages) == calendar_.stage_count();
        return place ? *place : place.emplace(is_sound ? make() : NoiseLibrary{});
    }

    const Calendar& calendar_;
    const System& system_;
    const ProcessData& data_;
    const Process& process_;
    Problems& problems_;
    std::optional<NoiseLibrary> inflow_, load_, source_;
    std::map<std::vector<int>, std::optional<NoiseLibrary>> history_;
};

bool takes_residuals(const Stage& stage) {
    return stage.sampling == Sampling::historical_residuals;
}

constexpr int no_limit = std::numeric_limits<int>::max();

/// How many scenarios each stage has of every external class of training, [stages].
std::vector<int> scenario_limits(const Calendar& calendar, const ProcessData& data) {
    std::vector<int> limits(calendar.stages.size(), no_limit);
    const auto limit = [&](ForwardScheme scheme, const std::vector<ExternalValue>& rows) {
        const std::vector<int> counts = external_counts(calendar, rows);
        for (std::size_t t = 0; scheme == ForwardScheme::external && t < counts.size(); ++t) {
            limits[t] = std::min(limits[t], counts[t]);
        }
    };
    limit(data.training.inflow, data.external_inflow);
    limit(data.training.load, data.external_load);
    limit(data.training.source, data.external_source);
    return limits;
}

/// The calendar with no more openings than there are scenarios to make them of.
Calendar limit_openings(Calendar calendar, const ProcessData& data, const NoiseLibrary& history) {
    const std::vector<int> limits = scenario_limits(calendar, data);
    for (std::size_t t = 0; t < limits.size(); ++t) {
        Stage& stage = calendar.stages[t];
        stage.openings = std::min(stage.openings, limits[t]);
        if (takes_residuals(stage)) {
            stage.openings = std::min(stage.openings, history.scenarios);
        }
    }
    return calendar;
}

/// Copies the part of a class, where there are scenarios of it.
void copy_class(const NoiseLibrary& library,
                int scenario,
                int stage,
                std::span<double> noise,
                std::size_t first) {
    if (library.scenarios > 0) {
        std::ranges::copy(library.noise(scenario % library.scenarios, stage),
                          noise.subspan(first).begin());
    }
}

OpeningTree scenario_tree(const Calendar& calendar,
                          const ProcessData& data,
                          const NoiseLayout& layout,
                          const ScenarioLibraries& libraries) {
    OpeningTree tree;
    const std::size_t loads = at(layout.hydros);
    const std::size_t sources = loads + layout.buses.size();
    const std::vector<int> limits = scenario_limits(calendar, data);
    tree.dimension = layout.size();
    for (int t = 0; t < calendar.stage_count(); ++t) {
        const int count = limits[at(t)] == no_limit ? 0 : limits[at(t)];
        std::vector<double> noise(at(count * tree.dimension), 0.0);
        for (int s = 0; s < count; ++s) {
            const auto own = std::span(noise).subspan(at(s * tree.dimension), at(tree.dimension));
            copy_class(libraries.inflow, s, t, own, 0);
            copy_class(libraries.load, s, t, own, loads);
            copy_class(libraries.source, s, t, own, sources);
        }
        tree.count.push_back(count);
        tree.values.emplace_back(std::move(noise));
    }
    return tree;
}

/// The openings that a source draws from.
OpeningTree make_tree(const Calendar& calendar,
                      const ProcessData& data,
                      const ScenarioSource& source,
                      const NoiseModel& noise,
                      LibraryShelf& shelf,
                      Problems& problems) {
    const int dimension = noise.layout.size();
    if (source.openings_from_file) {
        return read_openings(calendar, dimension, data.openings, problems);
    }
    const NoiseLibrary history = std::ranges::any_of(calendar.stages, takes_residuals)
                                     ? shelf.history(data.training.historical_years)
                                     : NoiseLibrary{};
    const Calendar limited = limit_openings(calendar, data, history);
    return draw_openings(limited, dimension, noise.tree_seed, noise.correlation, history, problems);
}

void warn_of_truncation(const Calendar& calendar, const Process& process, Problems& problems) {
    const auto plants = truncated_hydros(process).size();
    if (plants == 0) {
        return;
    }
    const char* consequence =
        has_valid_bound(calendar, process)
            ? "the lower bound stays below the optimum, however long training lasts; with the "
              "method \"penalty\" it need not"
            : "with \"bound_slopes\" \"tangent\" what is reported as lower bound is none and may "
              "exceed the optimum; \"secant\", or the method \"penalty\", gives one";
    problems.add(ProblemKind::model_quality,
                 subject::non_negativity,
                 "",
                 fmt::format("inflows with memory of {} plants are truncated on some paths: {}",
                             plants,
                             consequence));
}

void warn_of_partial_cuts(const Calendar& calendar, const Process& process, Problems& problems) {
    const auto stages = stages_of_partial_cuts(calendar, process);
    if (stages.empty()) {
        return;
    }
    problems.add(ProblemKind::model_quality,
                 subject::stages,
                 fmt::format("stage {}", calendar.stages[at(stages.front())].id),
                 fmt::format("the cuts of {} stages leave out {}: what is reported as lower bound "
                             "is an estimate, which may exceed the optimum",
                             stages.size(),
                             calendar.stages[at(stages.front())].storage_in_cuts
                                 ? "inflow lags on which the cost depends"
                                 : "storages"));
}

}  // namespace

Process build_process(const Calendar& calendar,
                      const System& system,
                      const ProcessData& data,
                      Problems& problems) {
    Process process;
    process.layout = noise_layout(system);
    process.non_negativity = data.non_negativity;
    process.bound_slopes = data.bound_slopes;
    if (calendar.stages.empty() || !check_openings(calendar, problems)) {
        return process;
    }

    ProcessData completed = data;
    if (!data.history && !data.statistics) {
        replace_statistics(calendar, completed);  // they alone say that there are inflows
    }
    CompleteTables tables = complete_tables(calendar, system, completed, problems);
    replace_statistics(calendar, tables.data);
    process.provenance = std::move(tables.provenance);
    process.provenance.tree_source = data.training.openings_from_file ? "user_file" : "estimated";
    process.fit = std::move(tables.fit);
    process.resolved = std::move(tables.data);

    const CoefficientSource source = process.provenance.coefficients_source == "estimated"
                                         ? CoefficientSource::fitted
                                         : CoefficientSource::given;
    BuiltInflowModel built =
        build_inflow_model(calendar, system, process.resolved, source, problems);
    set_residual_ratios(calendar, built, process.fit);
    process.inflow = std::move(built.model);
    if (!problems.has_errors()) {
        process.moments = check_moments(calendar, system, process.resolved, process.inflow);
        report_moments(calendar, system, process.moments, problems);
    }

    const bool is_estimated = process.provenance.correlation_source == "estimated";
    const NoiseCorrelation correlation(
        calendar,
        process.layout,
        process.resolved.correlation,
        is_estimated ? CorrelationSource::estimated : CorrelationSource::given,
        problems);
    auto noise = std::make_shared<NoiseModel>(
        NoiseModel{calendar, process.layout, correlation, {}, seed_base(data.tree_seed)});
    LibraryShelf shelf(calendar, system, data, process, problems);
    process.tree = make_tree(calendar, data, data.training, *noise, shelf, problems);
    noise->tree = process.tree;
    const ScenarioLibraries libraries = shelf.of(data.training);
    process.scenarios = scenario_tree(calendar, data, process.layout, libraries);
    process.training = make_sampler(noise, libraries, data.training, problems);
    if (data.simulation.openings_from_file != data.training.openings_from_file) {
        noise = std::make_shared<NoiseModel>(*noise);
        noise->tree = make_tree(calendar, data, data.simulation, *noise, shelf, problems);
    }
    process.simulation = make_sampler(noise, shelf.of(data.simulation), data.simulation, problems);
    if (!problems.has_errors()) {
        warn_of_truncation(calendar, process, problems);
        warn_of_partial_cuts(calendar, process, problems);
    }
    return process;
}

}  // namespace lockstep::sddp
