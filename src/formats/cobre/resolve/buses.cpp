#include <fmt/format.h>

#include "lockstep/base/index.hpp"

#include "formats/cobre/resolve/penalties.hpp"
#include "formats/cobre/resolve/process/statistics.hpp"
#include "formats/cobre/resolve/resolve.hpp"

namespace lockstep::formats::cobre {

namespace {

void apply_load(const raw::Case& raw, const Resolver& resolver, std::vector<sddp::Bus>& buses) {
    constexpr const char* file = "scenarios/load_seasonal_stats.parquet";
    if (!raw.load_statistics || raw.load_statistics->empty()) {
        return;
    }
    StageCells cells(resolver.buses.size(), resolver);
    for_each_statistic(*raw.load_statistics,
                       file,
                       resolver.buses,
                       resolver,
                       [&](const raw::LoadStatistics& row, const OverrideCell& cell) {
                           sddp::Bus& bus = buses[at(cell.entity)];
                           const auto stage = static_cast<std::size_t>(cell.stage);
                           bus.mean_load_mw[stage] = row.mean_mw;
                           bus.load_std_mw[stage] = row.std_mw;
                           bus.is_stochastic = bus.is_stochastic || row.std_mw > 0;
                           cells.tick(cell.entity, cell.stage);
                       });
    for (std::size_t i = 0; i < buses.size(); ++i) {
        cells.check_coverage(
            static_cast<int>(i), {}, {file, fmt::format("bus {}", buses[i].id)}, resolver);
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
        out.excess_cost = resolver.by_block(raw.penalties.bus.excess_cost);
        out.mean_load_mw = resolver.by_stage(0);
        out.load_std_mw = resolver.by_stage(0);
        out.load_factor = resolver.by_block(1);
    }
    for_each_override(resolver,
                      "constraints/penalty_overrides_bus.parquet",
                      resolver.buses,
                      raw.bus_costs,
                      [&](const raw::BusCosts& row, const OverrideCell& cell) {
                          apply(system.buses[at(cell.entity)].excess_cost, cell, row.excess_cost);
                      });
    apply_load(raw, resolver, system.buses);
    apply_all_factors(raw.load_factors.factors,
                      "scenarios/load_factors.json",
                      resolver.buses,
                      resolver,
                      [&](int bus) -> sddp::ByBlock& { return system.buses[at(bus)].load_factor; });
}

}  // namespace lockstep::formats::cobre
