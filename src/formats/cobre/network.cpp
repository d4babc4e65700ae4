#include <algorithm>

#include <fmt/format.h>

#include "formats/cobre/bounds.hpp"
#include "formats/cobre/penalties.hpp"
#include "formats/cobre/resolve.hpp"

namespace lockstep::formats::cobre {

namespace {

/// Reports a life that ends before it starts.
void check_lifecycle(const raw::Lifecycle& life, const Origin& origin, const Resolver& resolver) {
    if (life.entry_stage_id && life.exit_stage_id && *life.entry_stage_id >= *life.exit_stage_id) {
        resolver.error(ProblemKind::invalid_value,
                       origin,
                       fmt::format("entry_stage_id {} must be before exit_stage_id {}",
                                   *life.entry_stage_id,
                                   *life.exit_stage_id));
    }
}

/// Sets to zero what an entity cannot do while it is out of service.
void switch_off(sddp::ByBlock& values, const raw::Lifecycle& life, const Resolver& resolver) {
    resolver.for_each_block([&](int stage, int block) {
        if (!life.covers(resolver.calendar.stages[static_cast<std::size_t>(stage)].id)) {
            values(stage, block) = 0;
        }
    });
}

/// Reports the stages in service that have no row of statistics.
void check_coverage(const std::vector<char>& has_row,
                    const Origin& origin,
                    const raw::Lifecycle& life,
                    const Resolver& resolver) {
    int missing = 0;
    int first = 0;
    for (std::size_t stage = 0; stage < has_row.size(); ++stage) {
        const int id = resolver.calendar.stages[stage].id;
        if (has_row[stage] == 0 && life.covers(id) && missing++ == 0) {
            first = id;
        }
    }
    if (missing > 0) {
        const std::string more = missing > 1 ? fmt::format(" and {} more", missing - 1) : "";
        resolver.error(ProblemKind::dimension_mismatch,
                       origin,
                       fmt::format("no row for stage {}{}", first, more));
    }
}

void apply_load(const raw::Case& raw, const Resolver& resolver, std::vector<sddp::Bus>& buses) {
    constexpr const char* file = "scenarios/load_seasonal_stats.parquet";
    if (!raw.load_statistics) {
        return;
    }
    std::vector<std::vector<char>> has_row(buses.size(),
                                           std::vector<char>(resolver.calendar.stages.size()));
    OverrideCells cells(resolver, file, resolver.buses);
    for (std::size_t i = 0; i < raw.load_statistics->size(); ++i) {
        const raw::LoadStatistics& row = (*raw.load_statistics)[i];
        cells.add(i, {row.entity_id, row.stage_id, std::nullopt});
    }
    for (const OverrideCell& cell : cells.take()) {
        const raw::LoadStatistics& row = (*raw.load_statistics)[cell.row];
        sddp::Bus& bus = buses[static_cast<std::size_t>(cell.entity)];
        const auto stage = static_cast<std::size_t>(cell.stage);
        bus.mean_load_mw[stage] = row.mean_mw;
        bus.load_std_mw[stage] = row.std_mw;
        bus.is_stochastic = bus.is_stochastic || row.std_mw > 0;
        has_row[static_cast<std::size_t>(cell.entity)][stage] = 1;
    }
    for (std::size_t i = 0; i < buses.size(); ++i) {
        check_coverage(has_row[i], {file, fmt::format("bus {}", buses[i].id)}, {}, resolver);
    }
}

/// Factors of one file into values that `target(entity)` gives.
template <typename Factors, typename Target>
void apply_factors(const std::vector<Factors>& all,
                   const char* file,
                   const IdMap& entities,
                   const Resolver& resolver,
                   Target target) {
    std::vector<std::vector<char>> seen(static_cast<std::size_t>(entities.size()),
                                        std::vector<char>(resolver.calendar.stages.size()));
    for (const Factors& factors : all) {
        const Origin origin = line_of(file, factors.line, entities.noun(), factors.entity_id);
        const int entity = resolver.find(entities, factors.entity_id, origin);
        const int stage = resolver.find(resolver.stages, factors.stage_id, origin);
        if (entity < 0 || stage < 0) {
            continue;
        }
        char& is_given = seen[static_cast<std::size_t>(entity)][static_cast<std::size_t>(stage)];
        if (std::exchange(is_given, 1) != 0) {
            resolver.error(ProblemKind::duplicate_id,
                           origin,
                           fmt::format("factors of stage {} are given twice", factors.stage_id));
        }
        std::vector<char> has_block(static_cast<std::size_t>(resolver.block_count(stage)));
        for (const raw::BlockFactor& factor : factors.block_factors) {
            const int block = resolver.block(stage, factor.block_id, origin);
            if (block < 0) {
                continue;
            }
            if (std::exchange(has_block[static_cast<std::size_t>(block)], 1) != 0) {
                resolver.error(ProblemKind::duplicate_id,
                               origin,
                               fmt::format("the factor of block {} is given twice", block));
            }
            target(entity)(stage, block) = factor.factor;
        }
    }
}

}  // namespace

void resolve_buses(const raw::Case& raw, const Resolver& resolver, sddp::System& system) {
    check_deficit(raw.penalties.bus.deficit_segments, "penalties.json", "bus", resolver.problems);
    for (const raw::Bus& bus : raw.buses) {
        const auto& segments = bus.deficit_segments.value_or(raw.penalties.bus.deficit_segments);
        if (bus.deficit_segments) {
            check_deficit(
                segments, "system/buses.json", fmt::format("bus {}", bus.id), resolver.problems);
        }
        sddp::Bus& out = system.buses.emplace_back();
        out.id = bus.id;
        out.name = bus.name;
        out.deficit = resolve_deficit(segments);
        out.excess_cost = resolver.by_stage(raw.penalties.bus.excess_cost);
        out.mean_load_mw = resolver.by_stage(0);
        out.load_std_mw = resolver.by_stage(0);
        out.load_factor = resolver.by_block(1);
    }
    for_each_override(resolver,
                      "constraints/penalty_overrides_bus.parquet",
                      resolver.buses,
                      raw.bus_costs,
                      [&](const raw::BusCosts& row, const OverrideCell& cell) {
                          apply(system.buses[static_cast<std::size_t>(cell.entity)].excess_cost,
                                cell,
                                row.excess_cost);
                      });
    apply_load(raw, resolver, system.buses);
    apply_factors(raw.load_factors.factors,
                  "scenarios/load_factors.json",
                  resolver.buses,
                  resolver,
                  [&](int bus) -> sddp::ByBlock& {
                      return system.buses[static_cast<std::size_t>(bus)].load_factor;
                  });
}

void resolve_lines(const raw::Case& raw, const Resolver& resolver, sddp::System& system) {
    for (const raw::Line& line : raw.lines) {
        const Origin origin = line_of("system/lines.json", line.line, "line", line.id);
        check_lifecycle(line, origin, resolver);
        sddp::Line& out = system.lines.emplace_back();
        out.id = line.id;
        out.name = line.name;
        out.source = resolver.find(resolver.buses, line.source_bus_id, origin);
        out.target = resolver.find(resolver.buses, line.target_bus_id, origin);
        if (line.source_bus_id == line.target_bus_id) {
            resolver.error(
                ProblemKind::invalid_value, origin, "source and target are the same bus");
        }
        out.losses_percent = line.losses_percent;
        out.exchange_cost =
            resolver.by_stage(line.exchange_cost.value_or(raw.penalties.line.exchange_cost));
        out.direct_mw = resolver.by_block(line.capacity.direct_mw);
        out.reverse_mw = resolver.by_block(line.capacity.reverse_mw);
    }
    for_each_override(resolver,
                      "constraints/line_bounds.parquet",
                      resolver.lines,
                      raw.line_bounds,
                      [&](const raw::LineBounds& row, const OverrideCell& cell) {
                          sddp::Line& line = system.lines[static_cast<std::size_t>(cell.entity)];
                          apply(line.direct_mw, cell, row.direct_mw);
                          apply(line.reverse_mw, cell, row.reverse_mw);
                      });
    for_each_override(resolver,
                      "constraints/penalty_overrides_line.parquet",
                      resolver.lines,
                      raw.line_costs,
                      [&](const raw::LineCosts& row, const OverrideCell& cell) {
                          apply(system.lines[static_cast<std::size_t>(cell.entity)].exchange_cost,
                                cell,
                                row.exchange_cost);
                      });
    for (std::size_t i = 0; i < system.lines.size(); ++i) {
        switch_off(system.lines[i].direct_mw, raw.lines[i], resolver);
        switch_off(system.lines[i].reverse_mw, raw.lines[i], resolver);
    }
}

void resolve_thermals(const raw::Case& raw, const Resolver& resolver, sddp::System& system) {
    constexpr const char* file = "constraints/thermal_bounds.parquet";
    for (const raw::Thermal& thermal : raw.thermals) {
        const Origin origin = line_of("system/thermals.json", thermal.line, "thermal", thermal.id);
        check_lifecycle(thermal, origin, resolver);
        check_order(resolver,
                    origin,
                    "min_mw > max_mw",
                    thermal.generation.min_mw,
                    thermal.generation.max_mw);
        sddp::Thermal& out = system.thermals.emplace_back();
        out.id = thermal.id;
        out.name = thermal.name;
        out.bus = resolver.find(resolver.buses, thermal.bus_id, origin);
        out.cost = resolver.by_stage(thermal.cost_per_mwh);
        out.min_mw = resolver.by_block(thermal.generation.min_mw);
        out.max_mw = resolver.by_block(thermal.generation.max_mw);
    }
    for_each_override(resolver,
                      file,
                      resolver.thermals,
                      raw.thermal_bounds,
                      [&](const raw::ThermalBounds& row, const OverrideCell& cell) {
                          sddp::Thermal& thermal =
                              system.thermals[static_cast<std::size_t>(cell.entity)];
                          refuse_in_block_row(resolver, file, cell, "cost_per_mwh", row.cost);
                          apply(thermal.cost, cell, row.cost);
                          apply(thermal.min_mw, cell, row.min_mw);
                          apply(thermal.max_mw, cell, row.max_mw);
                      });
    for (std::size_t i = 0; i < system.thermals.size(); ++i) {
        sddp::Thermal& thermal = system.thermals[i];
        switch_off(thermal.min_mw, raw.thermals[i], resolver);
        switch_off(thermal.max_mw, raw.thermals[i], resolver);
        if (raw.thermals[i].generation.min_mw <= raw.thermals[i].generation.max_mw) {
            check_order(resolver,
                        ProblemKind::invalid_value,
                        {file, fmt::format("thermal {}", thermal.id)},
                        "min_generation_mw > max_generation_mw",
                        thermal.min_mw,
                        thermal.max_mw);
        }
    }
}

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
    out.bus = resolver.find(resolver.buses, source.bus_id, origin);
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
    out.curtailment_cost = resolver.by_stage(
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
    std::vector<std::vector<char>> has_row(sources.size(),
                                           std::vector<char>(resolver.calendar.stages.size()));
    OverrideCells cells(resolver, file, resolver.sources);
    for (std::size_t i = 0; i < raw.source_statistics->size(); ++i) {
        const raw::SourceStatistics& row = (*raw.source_statistics)[i];
        cells.add(i, {row.entity_id, row.stage_id, std::nullopt});
    }
    for (const OverrideCell& cell : cells.take()) {
        const raw::SourceStatistics& row = (*raw.source_statistics)[cell.row];
        sddp::NonControllable& source = sources[static_cast<std::size_t>(cell.entity)];
        const auto stage = static_cast<std::size_t>(cell.stage);
        source.is_stochastic = true;
        source.mean[stage] = row.mean;
        source.std[stage] = row.std;
        has_row[static_cast<std::size_t>(cell.entity)][stage] = 1;
    }
    for (std::size_t i = 0; i < sources.size(); ++i) {
        if (sources[i].is_stochastic) {
            check_coverage(has_row[i],
                           {file, fmt::format("{} {}", resolver.sources.noun(), sources[i].id)},
                           raw.sources[i],
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
        return system.sources[static_cast<std::size_t>(cell.entity)];
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
    apply_factors(raw.source_factors.factors,
                  "scenarios/non_controllable_factors.json",
                  resolver.sources,
                  resolver,
                  [&](int source) -> sddp::ByBlock& {
                      return system.sources[static_cast<std::size_t>(source)].factor;
                  });
}

}  // namespace lockstep::formats::cobre
