#include <fmt/format.h>

#include "lockstep/base/index.hpp"

#include "formats/cobre/resolve/process/statistics.hpp"
#include "formats/cobre/resolve/resolve.hpp"
#include "formats/cobre/resolve/service.hpp"

namespace lockstep::formats::cobre {

namespace {

sddp::NonControllable make_source(const raw::Source& source,
                                  const raw::Case& raw,
                                  const Resolver& resolver) {
    const Origin origin = line_of(
        "system/non_controllable_sources.json", source.line, resolver.sources.noun(), source.id);
    check_lifecycle(source, origin, resolver);
    sddp::NonControllable out;
    out.id = source.id;
    out.name = source.name;
    out.bus = resolver.buses.find(source.bus_id);
    out.allow_curtailment = source.allow_curtailment;
    out.max_generation_mw = source.max_generation_mw;
    out.mean = resolver.by_stage(0);
    out.std = resolver.by_stage(0);
    out.available_mw = resolver.by_stage(source.max_generation_mw);
    out.in_service = resolver.by_stage(0);
    for (std::size_t stage = 0; stage < out.in_service.size(); ++stage) {
        out.in_service[stage] = source.covers(resolver.calendar.stages[stage].id) ? 1 : 0;
    }
    out.factor = resolver.by_block(1);
    out.curtailment_cost = resolver.by_block(
        source.curtailment_cost.value_or(raw.penalties.non_controllable_source.curtailment_cost));
    return out;
}

void apply_source_statistics(const raw::Case& raw,
                             const Resolver& resolver,
                             std::vector<sddp::NonControllable>& sources) {
    constexpr const char* file = "scenarios/non_controllable_stats.parquet";
    if (!raw.source_statistics) {
        return;
    }
    StageCells cells(resolver.sources.size(), resolver);
    for_each_statistic(*raw.source_statistics,
                       file,
                       resolver.sources,
                       resolver,
                       [&](const raw::SourceStatistics& row, const OverrideCell& cell) {
                           sddp::NonControllable& source = sources[at(cell.entity)];
                           source.is_stochastic = true;
                           source.mean[at(cell.stage)] = row.mean;
                           source.std[at(cell.stage)] = row.std;
                           cells.tick(cell.entity, cell.stage);
                       });
    for (std::size_t i = 0; i < sources.size(); ++i) {
        if (sources[i].is_stochastic) {
            cells.check_coverage(
                static_cast<int>(i),
                raw.sources[i],
                {file, fmt::format("{} {}", resolver.sources.noun(), sources[i].id)},
                resolver);
        }
    }
}

}  // namespace

void resolve_sources(const raw::Case& raw, const Resolver& resolver, sddp::System& system) {
    constexpr const char* bounds_file = "constraints/ncs_bounds.parquet";
    for (const raw::Source& source : raw.sources) {
        system.sources.push_back(make_source(source, raw, resolver));
    }
    const auto source_of = [&](const OverrideCell& cell) -> sddp::NonControllable& {
        return system.sources[at(cell.entity)];
    };
    apply_source_statistics(raw, resolver, system.sources);
    for_each_override(resolver,
                      bounds_file,
                      resolver.sources,
                      raw.source_bounds,
                      [&](const raw::SourceBounds& row, const OverrideCell& cell) {
                          if (source_of(cell).is_stochastic) {
                              resolver.error(
                                  ProblemKind::unused_entity,
                                  row_of(bounds_file, cell.row),
                                  fmt::format("no effect: the availability of {} {} is drawn from "
                                              "scenarios/non_controllable_stats.parquet",
                                              resolver.sources.noun(),
                                              row.entity_id));
                          }
                          apply(source_of(cell).available_mw, cell, row.available_mw);
                      });
    for_each_override(resolver,
                      "constraints/penalty_overrides_ncs.parquet",
                      resolver.sources,
                      raw.source_costs,
                      [&](const raw::SourceCosts& row, const OverrideCell& cell) {
                          apply(source_of(cell).curtailment_cost, cell, row.curtailment_cost);
                      });
    apply_all_factors(
        raw.source_factors.factors,
        "scenarios/non_controllable_factors.json",
        resolver.sources,
        resolver,
        [&](int source) -> sddp::ByBlock& { return system.sources[at(source)].factor; });
}

}  // namespace lockstep::formats::cobre
