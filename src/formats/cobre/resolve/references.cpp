#include <algorithm>

#include "formats/cobre/resolve/resolve.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr auto buses_file = "system/buses.json";
constexpr auto lines_file = "system/lines.json";
constexpr auto thermals_file = "system/thermals.json";
constexpr auto sources_file = "system/non_controllable_sources.json";
constexpr auto hydros_file = "system/hydros.json";
constexpr auto contracts_file = "system/energy_contracts.json";
constexpr auto batteries_file = "system/batteries.json";
constexpr auto stations_file = "system/pumping_stations.json";

// Errors carry "file:line".
bool is_clean(const Problems& problems, std::string_view file) {
    return std::none_of(problems.all().begin(), problems.all().end(), [&](const Problem& problem) {
        return !is_warning(problem.kind) && problem.file.starts_with(file);
    });
}

void check(const IdMap& known, int id, const Origin& origin, Problems& problems) {
    if (known.find(id) < 0) {
        problems.add(ProblemKind::invalid_reference,
                     origin.file,
                     origin.entity,
                     known.noun() + " " + std::to_string(id) + " does not exist");
    }
}

void check_buses_of_groups(const raw::Case& raw, const IdMap& buses, Problems& out) {
    for (const raw::Hydro& hydro : raw.hydros) {
        for (const raw::UnitGroup& group : hydro.unit_groups) {
            check(buses, group.bus_id, line_of(hydros_file, group.line, "hydro", hydro.id), out);
        }
    }
}

void check_buses(const raw::Case& raw, const IdMap& buses, const Problems& before, Problems& out) {
    if (is_clean(before, lines_file)) {
        for (const raw::Line& line : raw.lines) {
            const Origin origin = line_of(lines_file, line.line, "line", line.id);
            check(buses, line.source_bus_id, origin, out);
            check(buses, line.target_bus_id, origin, out);
        }
    }
    if (is_clean(before, thermals_file)) {
        for (const raw::Thermal& thermal : raw.thermals) {
            check(buses,
                  thermal.bus_id,
                  line_of(thermals_file, thermal.line, "thermal", thermal.id),
                  out);
        }
    }
    if (is_clean(before, sources_file)) {
        for (const raw::Source& source : raw.sources) {
            check(buses,
                  source.bus_id,
                  line_of(sources_file, source.line, "non-controllable source", source.id),
                  out);
        }
    }
    if (is_clean(before, hydros_file)) {
        check_buses_of_groups(raw, buses, out);
    }
    if (is_clean(before, contracts_file)) {
        for (const raw::Contract& contract : raw.contracts) {
            check(buses,
                  contract.bus_id,
                  line_of(contracts_file, contract.line, "contract", contract.id),
                  out);
        }
    }
    if (is_clean(before, batteries_file)) {
        for (const raw::Battery& battery : raw.batteries) {
            check(buses,
                  battery.bus_id,
                  line_of(batteries_file, battery.line, "battery", battery.id),
                  out);
        }
    }
    if (is_clean(before, stations_file)) {
        for (const raw::PumpingStation& station : raw.pumping_stations) {
            check(buses,
                  station.bus_id,
                  line_of(stations_file, station.line, "pumping station", station.id),
                  out);
        }
    }
}

void check_hydros(const raw::Case& raw, const Problems& before, Problems& out) {
    const IdMap hydros("hydro", raw.hydros);
    for (const raw::Hydro& hydro : raw.hydros) {
        const Origin origin = line_of(hydros_file, hydro.line, "hydro", hydro.id);
        if (hydro.downstream_id) {
            check(hydros, *hydro.downstream_id, origin, out);
        }
        if (hydro.diversion) {
            check(hydros, hydro.diversion->downstream_id, origin, out);
        }
    }
    if (is_clean(before, stations_file)) {
        for (const raw::PumpingStation& station : raw.pumping_stations) {
            const Origin origin =
                line_of(stations_file, station.line, "pumping station", station.id);
            check(hydros, station.source_hydro_id, origin, out);
            check(hydros, station.destination_hydro_id, origin, out);
        }
    }
}

}  // namespace

void check_references(const raw::Case& raw, Problems& problems) {
    const Problems before = problems;
    if (is_clean(before, buses_file)) {
        check_buses(raw, IdMap("bus", raw.buses), before, problems);
    }
    if (is_clean(before, hydros_file)) {
        check_hydros(raw, before, problems);
    }
}

}  // namespace lockstep::formats::cobre
