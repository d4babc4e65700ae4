#include "formats/cobre/write/output_dictionaries.hpp"

#include <utility>

#include <fmt/format.h>

#include "lockstep/formats/cobre/output.hpp"

#include "formats/cobre/write/output_files.hpp"

namespace lockstep::formats::cobre::out {
namespace {

using io::Json;

Json code_list(const std::vector<std::pair<int, const char*>>& codes) {
    Json out = Json::object();
    for (const auto& [code, meaning] : codes) {
        out.set(std::to_string(code), meaning);
    }
    return out;
}

std::string entity_line(EntityCode type, int id, const std::string& name, int bus_id) {
    return fmt::format("{},{},{},{},0\n", static_cast<int>(type), id, csv_field(name), bus_id);
}

Json state_variable(const char* type, int hydro_id, const char* unit) {
    return Json::Object{
        {"type", type}, {"entity_type", "hydro"}, {"entity_id", hydro_id}, {"unit", unit}};
}

}  // namespace

Json codes() {
    return Json::Object{
        {"version", "1.0"},
        {"entity_type",
         code_list({{0, "hydro"},
                    {1, "thermal"},
                    {2, "bus"},
                    {3, "line"},
                    {4, "pumping_station"},
                    {5, "contract"},
                    {7, "non_controllable"},
                    {8, "hydro_unit_group"},
                    {9, "battery"}})},
        {"operative_state",
         code_list({{0, "deactivated"}, {1, "maintenance"}, {2, "operating"}, {3, "saturated"}})},
        {"storage_binding",
         code_list({{0, "none"}, {1, "below_minimum"}, {2, "above_maximum"}, {3, "both"}})},
        {"contract_type", code_list({{0, "import"}, {1, "export"}})},
        {"bound_type",
         code_list({{0, "storage_min"},
                    {1, "storage_max"},
                    {2, "turbined_min"},
                    {3, "turbined_max"},
                    {4, "outflow_min"},
                    {5, "outflow_max"},
                    {6, "generation_min"},
                    {7, "generation_max"},
                    {8, "flow_min"},
                    {9, "flow_max"},
                    {10, "energy_min"},
                    {11, "energy_max"},
                    {12, "charge_max"},
                    {13, "discharge_max"}})},
    };
}

std::string entities_csv(const sddp::System& system) {
    const auto bus_id = [&system](int bus) {
        return system.buses.at(static_cast<std::size_t>(bus)).id;
    };
    std::string out = "entity_type_code,entity_id,name,bus_id,system_id\n";
    for (const sddp::Hydro& hydro : system.hydros) {
        out +=
            entity_line(EntityCode::hydro, hydro.id, hydro.name, bus_id(hydro.groups.front().bus));
    }
    for (const sddp::Thermal& thermal : system.thermals) {
        out += entity_line(EntityCode::thermal, thermal.id, thermal.name, bus_id(thermal.bus));
    }
    for (const sddp::Bus& bus : system.buses) {
        out += entity_line(EntityCode::bus, bus.id, bus.name, bus.id);
    }
    for (const sddp::Line& line : system.lines) {
        out += entity_line(EntityCode::line, line.id, line.name, -1);
    }
    for (const sddp::PumpingStation& station : system.pumping_stations) {
        out +=
            entity_line(EntityCode::pumping_station, station.id, station.name, bus_id(station.bus));
    }
    for (const sddp::Contract& contract : system.contracts) {
        out += entity_line(EntityCode::contract, contract.id, contract.name, bus_id(contract.bus));
    }
    for (const sddp::Battery& battery : system.batteries) {
        out += entity_line(EntityCode::battery, battery.id, battery.name, bus_id(battery.bus));
    }
    for (const sddp::NonControllable& source : system.sources) {
        out +=
            entity_line(EntityCode::non_controllable, source.id, source.name, bus_id(source.bus));
    }
    return out;
}

std::string variables_csv() {
    std::string out = "file,column,type,unit,description,nullable\n";
    for (const ColumnDescription& column : describe_columns()) {
        out += fmt::format("{},{},{},{},{},{}\n",
                           csv_field(column.file),
                           csv_field(column.column),
                           csv_field(column.type),
                           csv_field(column.unit),
                           csv_field(column.description),
                           column.nullable);
    }
    return out;
}

Json state_dictionary(const sddp::Problem& problem) {
    Json variables = Json::array();
    for (const sddp::Hydro& hydro : problem.system.hydros) {
        variables.push(state_variable("storage", hydro.id, "hm3"));
    }
    for (const sddp::Hydro& hydro : problem.system.hydros) {
        for (int later = 1; later <= hydro.transit_periods(); ++later) {
            variables.push(state_variable("transit", hydro.id, "hm3").set("slot_index", later));
        }
    }
    for (const sddp::Thermal& thermal : problem.system.thermals) {
        for (int place = 0; place < thermal.commitments; ++place) {
            variables.push(Json::Object{{"type", "commitment"},
                                        {"entity_type", "thermal"},
                                        {"entity_id", thermal.id},
                                        {"unit", "MW"},
                                        {"slot_index", place}});
        }
    }
    for (const sddp::Battery& battery : problem.system.batteries) {
        variables.push(Json::Object{{"type", "energy"},
                                    {"entity_type", "battery"},
                                    {"entity_id", battery.id},
                                    {"unit", "MWh"},
                                    {"slot_index", 0}});
    }
    for (int lag = 1; lag <= problem.process.inflow.lags; ++lag) {
        for (const sddp::Hydro& hydro : problem.system.hydros) {
            variables.push(state_variable("inflow_lag", hydro.id, "m3/s").set("lag_index", lag));
        }
    }
    return Json::Object{{"version", "1.0"}, {"state_variables", variables}};
}

}  // namespace lockstep::formats::cobre::out
