#include <fmt/format.h>

#include "lockstep/base/index.hpp"

#include "formats/cobre/resolve/bounds.hpp"
#include "formats/cobre/resolve/resolve.hpp"
#include "formats/cobre/resolve/service.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr const char* file = "system/pumping_stations.json";
constexpr const char* bounds_file = "constraints/pumping_bounds.parquet";

sddp::PumpingStation make_station(const raw::PumpingStation& station, const Resolver& resolver) {
    const Origin origin = line_of(file, station.line, "pumping station", station.id);
    check_lifecycle(station, origin, resolver);
    check_order(resolver, origin, "min_m3s > max_m3s", station.flow.min_m3s, station.flow.max_m3s);
    if (station.source_hydro_id == station.destination_hydro_id) {
        resolver.error(
            ProblemKind::invalid_value, origin, "source and destination are the same plant");
    }
    sddp::PumpingStation out;
    out.id = station.id;
    out.name = station.name;
    out.bus = resolver.buses.find(station.bus_id);
    out.source = resolver.hydros.find(station.source_hydro_id);
    out.destination = resolver.hydros.find(station.destination_hydro_id);
    out.consumption_mw_per_m3s = station.consumption_mw_per_m3s;
    out.min_m3s = resolver.by_block(station.flow.min_m3s);
    out.max_m3s = resolver.by_block(station.flow.max_m3s);
    return out;
}

/// Water is lifted between plants that operate.
void check_plants(const sddp::PumpingStation& station,
                  const Resolver& resolver,
                  const sddp::System& system) {
    for (int stage = 0; stage < resolver.stage_count(); ++stage) {
        bool is_active = false;
        for (int block = 0; block < resolver.block_count(stage); ++block) {
            is_active = is_active || station.max_m3s(stage, block) > 0;
        }
        for (const int plant : {station.source, station.destination}) {
            if (is_active && plant >= 0 &&
                system.hydros[at(plant)].phase(stage) != sddp::HydroPhase::operating) {
                return resolver.error(
                    ProblemKind::business_rule_violation,
                    {file, fmt::format("pumping station {}", station.id)},
                    fmt::format("it pumps in stage {}, in which hydro {} does not operate",
                                resolver.calendar.stages[at(stage)].id,
                                system.hydros[at(plant)].id));
            }
        }
    }
}

}  // namespace

void resolve_pumping_stations(const raw::Case& raw,
                              const Resolver& resolver,
                              sddp::System& system) {
    for (const raw::PumpingStation& station : raw.pumping_stations) {
        system.pumping_stations.push_back(make_station(station, resolver));
    }
    for_each_override(resolver,
                      bounds_file,
                      resolver.pumping_stations,
                      raw.pumping_bounds,
                      [&](const raw::PumpingBounds& row, const OverrideCell& cell) {
                          sddp::PumpingStation& station = system.pumping_stations[at(cell.entity)];
                          apply(station.min_m3s, cell, row.min_m3s);
                          apply(station.max_m3s, cell, row.max_m3s);
                      });
    for (std::size_t i = 0; i < system.pumping_stations.size(); ++i) {
        sddp::PumpingStation& station = system.pumping_stations[i];
        finish_limits(resolver,
                      raw.pumping_stations[i],
                      raw.pumping_stations[i].flow.min_m3s <= raw.pumping_stations[i].flow.max_m3s,
                      {bounds_file, fmt::format("pumping station {}", station.id)},
                      "min_m3s > max_m3s",
                      station.min_m3s,
                      station.max_m3s);
        check_plants(station, resolver, system);
    }
}

}  // namespace lockstep::formats::cobre
