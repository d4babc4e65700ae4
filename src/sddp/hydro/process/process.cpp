#include "lockstep/sddp/process.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"
#include "lockstep/sddp/subject.hpp"

#include "sddp/hydro/process/correlation.hpp"
#include "sddp/hydro/process/fitting/fitting.hpp"
#include "sddp/hydro/process/inflow_model.hpp"
#include "sddp/hydro/process/inflow_moments.hpp"
#include "sddp/hydro/process/inflow_range.hpp"
#include "sddp/hydro/process/openings.hpp"
#include "sddp/hydro/process/sampling.hpp"

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
    for (FitReport::Season& each : fit.seasons) {
        for (const Season& season : calendar.seasons) {
            if (season.id == each.season) {
                const auto& by_month = built.residual_ratio[at(each.hydro)];
                each.residual_ratio = by_month[season.month_start - 1];
            }
        }
    }
}

OpeningTree make_tree(const Calendar& calendar,
                      const ProcessData& data,
                      const NoiseModel& noise,
                      Problems& problems) {
    const int dimension = noise.layout.size();
    return data.training.openings_from_file
               ? read_openings(calendar, dimension, data.openings, problems)
               : draw_openings(calendar, dimension, noise.tree_seed, noise.correlation, problems);
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

    CompleteTables tables = complete_tables(calendar, system, data, problems);
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
    process.tree = make_tree(calendar, data, *noise, problems);
    noise->tree = process.tree;
    process.training = make_sampler(noise, data.training, problems);
    process.simulation = make_sampler(noise, data.simulation, problems);
    if (!problems.has_errors()) {
        warn_of_truncation(calendar, process, problems);
        warn_of_partial_cuts(calendar, process, problems);
    }
    return process;
}

}  // namespace lockstep::sddp
