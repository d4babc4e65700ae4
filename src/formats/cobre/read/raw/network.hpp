#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "formats/cobre/read/raw/about.hpp"
#include "formats/cobre/read/raw/penalties.hpp"
#include "formats/cobre/records.hpp"
#include "formats/records/about.hpp"
#include "formats/records/fields.hpp"

namespace lockstep::formats::cobre::raw {

// system/{buses,lines,thermals,non_controllable_sources,pumping_stations,energy_contracts}.json.

/// What every entity says about itself. Entities are ordered by (start, id).
struct Entity {
    int line = 0;
    int id = 0;
    std::string name;
    Date operational_start_date{};
    template <typename Fields>
    void entity_fields(Fields& f) {
        f.line(line);
        f.required("id", id, about::id, at_least(0));
        f.required("name", name, about::name);
        f.required("operational_start_date", operational_start_date, about::operational_start_date);
    }
};

/// In service at stage ids in [entry, exit); no limit where empty.
struct Lifecycle {
    std::optional<int> entry_stage_id;
    std::optional<int> exit_stage_id;
    template <typename Fields>
    void lifecycle_fields(Fields& f) {
        f.optional("entry_stage_id", entry_stage_id, about::entry_stage_id);
        f.optional("exit_stage_id", exit_stage_id, about::exit_stage_id);
    }
    [[nodiscard]] bool covers(int stage_id) const noexcept {
        return stage_id >= entry_stage_id.value_or(stage_id) &&
               (!exit_stage_id || stage_id < *exit_stage_id);
    }
};

struct Bus : Entity {
    std::optional<std::vector<DeficitSegment>> deficit_segments;
    template <typename Fields>
    void fields(Fields& f) {
        entity_fields(f);
        f.optional("deficit_segments",
                   deficit_segments,
                   {"Steps of the cost of load that is not served at this bus; null: those of "
                    "penalties.json"});
    }
};

struct Capacity {
    double direct_mw = 0;
    double reverse_mw = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("direct_mw",
                   direct_mw,
                   {"Largest flow from the source bus to the target bus", "500"},
                   non_negative);
        f.required("reverse_mw",
                   reverse_mw,
                   {"Largest flow from the target bus to the source bus", "500"},
                   non_negative);
    }
};

struct Line : Entity, Lifecycle {
    int source_bus_id = 0;
    int target_bus_id = 0;
    Capacity capacity;
    std::optional<double> exchange_cost;
    double losses_percent = 0;
    template <typename Fields>
    void fields(Fields& f) {
        entity_fields(f);
        f.required("source_bus_id",
                   source_bus_id,
                   {"Bus at which the line begins: its id in system/buses.json", "0"},
                   at_least(0));
        f.required("target_bus_id",
                   target_bus_id,
                   {"Bus at which the line ends, another one than the source", "1"},
                   at_least(0));
        f.required("capacity", capacity, {"What the line can carry in each direction"});
        f.optional(
            "exchange_cost",
            exchange_cost,
            {"Cost of a flow in either direction; null: that of penalties.json", "0.01", "$/MWh"},
            positive);
        f.optional("losses_percent",
                   losses_percent,
                   {"Share of a flow that is lost. Told in the results; without effect on them "
                    "unless modeling.line_losses of config.json is true"},
                   non_negative);
        lifecycle_fields(f);
    }
};

struct ThermalGeneration {
    double min_mw = 0;
    double max_mw = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.required(
            "min_mw", min_mw, {"Generation that the plant is never below", "0"}, non_negative);
        f.required("max_mw", max_mw, {"Largest generation", "250"}, non_negative);
    }
};

struct AnticipatedConfig {
    std::optional<int> lead_stages;
    std::optional<double> lead_time_hours;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("lead_stages",
                   lead_stages,
                   {"Stages between decision and delivery; or lead_time_hours", "2"},
                   at_least(1));
        f.optional("lead_time_hours",
                   lead_time_hours,
                   {"Time between decision and delivery; or lead_stages", "1440"},
                   positive);
    }
};

struct Thermal : Entity, Lifecycle {
    int bus_id = 0;
    double cost_per_mwh = 0;
    ThermalGeneration generation;
    std::optional<AnticipatedConfig> anticipated_config;
    template <typename Fields>
    void fields(Fields& f) {
        entity_fields(f);
        f.required("bus_id", bus_id, about::feeds_bus, at_least(0));
        f.required("cost_per_mwh",
                   cost_per_mwh,
                   {"Variable cost of generation, fuel above all", "120"},
                   non_negative);
        f.required("generation", generation, {"Limits of generation"});
        f.replaced("gnl_config", R"(it is "anticipated_config")");
        f.optional("anticipated_config",
                   anticipated_config,
                   {"Generation is decided before it is delivered, as for liquefied gas, and paid "
                    "when it is decided"});
        lifecycle_fields(f);
    }
};

struct Source : Entity, Lifecycle {
    int bus_id = 0;
    double max_generation_mw = 0;
    std::optional<double> curtailment_cost;
    bool allow_curtailment = true;
    template <typename Fields>
    void fields(Fields& f) {
        entity_fields(f);
        f.required("bus_id", bus_id, about::feeds_bus, at_least(0));
        f.required("max_generation_mw",
                   max_generation_mw,
                   {"Installed capacity: generation at an availability of 1", "300"},
                   non_negative);
        f.optional("curtailment_cost",
                   curtailment_cost,
                   {"Cost of available generation that is not used; null: that of penalties.json",
                    "0.05",
                    "$/MWh"},
                   positive);
        f.optional("allow_curtailment",
                   allow_curtailment,
                   {"false: everything that is available has to be generated"});
        lifecycle_fields(f);
    }
};

struct Buses {
    std::vector<Bus> buses;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("buses", buses, {"Buses: places where generation and load are balanced"});
    }
};

struct Lines {
    std::vector<Line> lines;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("lines", lines, {"Lines between buses"});
    }
};

struct Thermals {
    std::vector<Thermal> thermals;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("thermals", thermals, {"Thermal plants"});
    }
};

struct Sources {
    std::vector<Source> sources;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("non_controllable_sources",
                   sources,
                   {"Sources that nobody dispatches: wind, sun, small plants"});
    }
};

struct PumpFlow {
    double min_m3s = 0;
    double max_m3s = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("min_m3s", min_m3s, {"Flow that the station is never below", "0"}, non_negative);
        f.required("max_m3s", max_m3s, {"Largest flow", "60"}, non_negative);
    }
};

struct PumpingStation : Entity, Lifecycle {
    int bus_id = 0;
    int source_hydro_id = 0;
    int destination_hydro_id = 0;
    double consumption_mw_per_m3s = 0;
    PumpFlow flow;
    template <typename Fields>
    void fields(Fields& f) {
        entity_fields(f);
        f.required("bus_id",
                   bus_id,
                   {"Bus that feeds the pumps: its id in system/buses.json", "1"},
                   at_least(0));
        f.required(
            "source_hydro_id",
            source_hydro_id,
            {"Plant whose reservoir the water is taken from: its id in system/hydros.json", "1"},
            at_least(0));
        f.required("destination_hydro_id",
                   destination_hydro_id,
                   {"Plant whose reservoir receives the water, another one than the source", "0"},
                   at_least(0));
        f.required("consumption_mw_per_m3s",
                   consumption_mw_per_m3s,
                   {"Power that pumping 1 m³/s takes", "0.8"},
                   non_negative);
        f.required("flow", flow, {"Limits of the pumped flow"});
        lifecycle_fields(f);
    }
};

enum class ContractType { import_power, export_power };
constexpr std::array<Choice<ContractType>, 2> choices(ContractType) {
    return {{{"import", ContractType::import_power}, {"export", ContractType::export_power}}};
}

struct ContractLimits {
    double min_mw = 0;
    double max_mw = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("min_mw", min_mw, {"Power that the contract is never below", "0"}, non_negative);
        f.required("max_mw", max_mw, {"Largest power", "100"}, non_negative);
    }
};

struct Contract : Entity, Lifecycle {
    int bus_id = 0;
    ContractType type = ContractType::import_power;
    double price_per_mwh = 0;
    ContractLimits limits;
    template <typename Fields>
    void fields(Fields& f) {
        entity_fields(f);
        f.required("bus_id",
                   bus_id,
                   {"Bus that the power comes to or leaves: its id in system/buses.json", "1"},
                   at_least(0));
        f.required("type", type, {"import: the power comes to the bus; export: it leaves the bus"});
        f.required("price_per_mwh",
                   price_per_mwh,
                   {"Cost of the energy, of imports and of exports alike: negative is revenue, as "
                    "exports have as a rule",
                    "-45",
                    "$/MWh"});
        f.required("limits", limits, {"Limits of the power"});
        lifecycle_fields(f);
    }
};

struct BatteryPower {
    double max_mw = 0;
    double efficiency = 1;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("max_mw", max_mw, {"Largest power, at the bus", "50"}, non_negative);
        f.optional("efficiency",
                   efficiency,
                   {"Share of the energy that is not lost on this way", "0.95", dimensionless},
                   {0, 1, true});
    }
};

struct BatteryEnergy {
    double min_mwh = 0;
    double max_mwh = 0;
    double initial_mwh = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("min_mwh",
                   min_mwh,
                   {"Energy that the battery is never below", "20", "MWh"},
                   non_negative);
        f.required("max_mwh",
                   max_mwh,
                   {"Energy that the battery is never above", "200", "MWh"},
                   non_negative);
        f.required("initial_mwh",
                   initial_mwh,
                   {"Energy at the start of the study, within the limits", "100", "MWh"},
                   non_negative);
    }
};

/// No part of Cobre's format.
struct Battery : Entity, Lifecycle {
    int bus_id = 0;
    BatteryPower charge;
    BatteryPower discharge;
    BatteryEnergy energy;
    template <typename Fields>
    void fields(Fields& f) {
        entity_fields(f);
        f.required("bus_id",
                   bus_id,
                   {"Bus that it is charged from and feeds: its id in system/buses.json", "1"},
                   at_least(0));
        f.required("charge", charge, {"Power that is taken from the bus"});
        f.required("discharge", discharge, {"Power that is given to the bus"});
        f.required("energy", energy, {"Limits of the energy that is kept; they hold always"});
        lifecycle_fields(f);
    }
};

struct Batteries {
    std::vector<Battery> batteries;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("batteries", batteries, {"Batteries, which keep energy from stage to stage"});
    }
};

struct PumpingStations {
    std::vector<PumpingStation> pumping_stations;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("pumping_stations", pumping_stations, {"Pumps between reservoirs"});
    }
};

struct Contracts {
    std::vector<Contract> contracts;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("contracts", contracts, {"Imports and exports by contract"});
    }
};

}  // namespace lockstep::formats::cobre::raw
