#include <fmt/format.h>

#include "lockstep/base/index.hpp"

#include "formats/cobre/resolve/bounds.hpp"
#include "formats/cobre/resolve/resolve.hpp"
#include "formats/cobre/resolve/service.hpp"

namespace lockstep::formats::cobre {

namespace {

double loss_share(const raw::Line& line, const Origin& origin, const Resolver& resolver) {
    if (line.losses_percent < 100) {
        return line.losses_percent / 100;
    }
    resolver.error(ProblemKind::invalid_value,
                   origin,
                   fmt::format("losses_percent {} must be below 100 with modeling.line_losses",
                               line.losses_percent));
    return 0;
}

}  // namespace

void resolve_lines(const raw::Case& raw, const Resolver& resolver, sddp::System& system) {
    for (const raw::Line& line : raw.lines) {
        const Origin origin = line_of("system/lines.json", line.line, "line", line.id);
        check_lifecycle(line, origin, resolver);
        sddp::Line& out = system.lines.emplace_back();
        out.id = line.id;
        out.name = line.name;
        out.source = resolver.buses.find(line.source_bus_id);
        out.target = resolver.buses.find(line.target_bus_id);
        if (line.source_bus_id == line.target_bus_id) {
            resolver.error(
                ProblemKind::invalid_value, origin, "source and target are the same bus");
        }
        out.losses_percent = line.losses_percent;
        if (raw.config.modeling.line_losses) {
            out.loss_share = loss_share(line, origin, resolver);
        }
        out.exchange_cost =
            resolver.by_block(line.exchange_cost.value_or(raw.penalties.line.exchange_cost));
        out.direct_mw = resolver.by_block(line.capacity.direct_mw);
        out.reverse_mw = resolver.by_block(line.capacity.reverse_mw);
    }
    for_each_override(resolver,
                      "constraints/line_bounds.parquet",
                      resolver.lines,
                      raw.line_bounds,
                      [&](const raw::LineBounds& row, const OverrideCell& cell) {
                          sddp::Line& line = system.lines[at(cell.entity)];
                          apply(line.direct_mw, cell, row.direct_mw);
                          apply(line.reverse_mw, cell, row.reverse_mw);
                      });
    for_each_override(resolver,
                      "constraints/penalty_overrides_line.parquet",
                      resolver.lines,
                      raw.line_costs,
                      [&](const raw::LineCosts& row, const OverrideCell& cell) {
                          apply(
                              system.lines[at(cell.entity)].exchange_cost, cell, row.exchange_cost);
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
        out.bus = resolver.buses.find(thermal.bus_id);
        out.cost = resolver.by_stage(thermal.cost_per_mwh);
        out.min_mw = resolver.by_block(thermal.generation.min_mw);
        out.max_mw = resolver.by_block(thermal.generation.max_mw);
    }
    for_each_override(
        resolver,
        file,
        resolver.thermals,
        raw.thermal_bounds,
        [&](const raw::ThermalBounds& row, const OverrideCell& cell) {
            sddp::Thermal& thermal = system.thermals[at(cell.entity)];
            refuse_in_block_row(resolver, file, cell, "cost_per_mwh", row.cost);
            if (raw.thermals[at(cell.entity)].anticipated_config && cell.is_block_row) {
                resolver.error(ProblemKind::business_rule_violation,
                               row_of(file, cell.row),
                               "limits of a plant that decides ahead hold for a whole "
                               "stage: block_id must be null");
            }
            apply(thermal.cost, cell, row.cost);
            apply(thermal.min_mw, cell, row.min_mw);
            apply(thermal.max_mw, cell, row.max_mw);
        });
    for (std::size_t i = 0; i < system.thermals.size(); ++i) {
        sddp::Thermal& thermal = system.thermals[i];
        finish_limits(resolver,
                      raw.thermals[i],
                      raw.thermals[i].generation.min_mw <= raw.thermals[i].generation.max_mw,
                      {file, fmt::format("thermal {}", thermal.id)},
                      "min_generation_mw > max_generation_mw",
                      thermal.min_mw,
                      thermal.max_mw);
    }
}

}  // namespace lockstep::formats::cobre
