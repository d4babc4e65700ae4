#include <cstdint>

#include "formats/cobre/write/tables/simulation.hpp"

namespace lockstep::formats::cobre::out {
namespace {

using Row = SimulationRow;

const sddp::Thermal& thermal(const Row& r) {
    return r.of(r.system().thermals);
}
const sddp::Line& line(const Row& r) {
    return r.of(r.system().lines);
}
const sddp::Bus& bus(const Row& r) {
    return r.of(r.system().buses);
}
const sddp::PumpingStation& station(const Row& r) {
    return r.of(r.system().pumping_stations);
}
const sddp::Contract& contract(const Row& r) {
    return r.of(r.system().contracts);
}
const sddp::NonControllable& source(const Row& r) {
    return r.of(r.system().sources);
}

/// Codes of operative_state: an entity that cannot run is deactivated.
std::int8_t operative_state(bool can_run) {
    return can_run ? 2 : 0;
}

/// Of a row of anticipated_lanes.
const sddp::Delivery& delivery(const Row& r) {
    return thermal(r).deliveries[at(r.block)];
}
int first_commitment(const Row& r) {
    int first = 0;
    for (int j = 0; j < r.entity; ++j) {
        first += r.system().thermals[at(j)].commitments;
    }
    return first;
}

double direct(const Row& r) {
    return r.by_block(r.result->direct_mw);
}
double reverse(const Row& r) {
    return r.by_block(r.result->reverse_mw);
}
double losses(const Row& r) {
    return line(r).losses_percent / 100 * (direct(r) + reverse(r));
}
double pumped(const Row& r) {
    return r.by_block(r.result->pumped_m3s);
}
double consumed(const Row& r) {
    return station(r).consumption_mw_per_m3s * pumped(r);
}
double traded(const Row& r) {
    return r.by_block(r.result->contract_mw);
}
double price(const Row& r) {
    return contract(r).price(r.result->stage, r.block);
}
const sddp::Battery& battery(const Row& r) {
    return r.of(r.system().batteries);
}
/// Energy of a battery after `blocks` blocks of a stage whose blocks follow each other.
double energy_after(const Row& r, int blocks) {
    double energy = r.by_entity(r.result->energy_initial_mwh);
    Row before = r;
    for (before.block = 0; before.block < blocks; ++before.block) {
        energy += before.hours() *
                  (battery(r).charge_efficiency * before.by_block(r.result->charge_mw) -
                   before.by_block(r.result->discharge_mw) / battery(r).discharge_efficiency);
    }
    return energy;
}
double energy_initial(const Row& r) {
    return energy_after(r, r.result->periods > 1 ? r.block : 0);
}
double energy_final(const Row& r) {
    return r.block + 1 < r.result->periods ? energy_after(r, r.block + 1)
                                           : r.by_entity(r.result->energy_final_mwh);
}
double curtailed(const Row& r) {
    return r.by_block(r.result->curtailed_mw);
}
double used(const Row& r) {
    return r.by_block(r.result->available_mw) - curtailed(r);
}

}  // namespace

TableDefinition<SimulationRow> thermals_definition() {
    return simulation_definition(
        "thermals",
        true,
        {
            {"thermal_id", "", "Plant", [](const Row& r) -> std::int32_t { return thermal(r).id; }},
            {"generation_mw",
             "MW",
             "Generation",
             [](const Row& r) { return r.by_block(r.result->thermal_mw); }},
            {"generation_mwh",
             "MWh",
             "Generation over the block",
             [](const Row& r) { return r.by_block(r.result->thermal_mw) * r.hours(); }},
            {"generation_cost",
             "$",
             "Cost over the block; of generation that was decided before, 0",
             [](const Row& r) {
                 return (thermal(r).delivered_in(r.result->stage) == nullptr
                             ? r.by_stage(thermal(r).cost)
                             : 0) *
                        (r.by_block(r.result->thermal_mw) * r.hours());
             }},
            {"is_anticipated",
             "",
             "Whether the plant decides generation ahead of its delivery",
             [](const Row& r) { return !thermal(r).deliveries.empty(); }},
            {"anticipated_committed_mw",
             "MW",
             "Mean generation of the stage that was decided before; null where it was not",
             [](const Row& r) {
                 return thermal(r).delivered_in(r.result->stage) == nullptr
                            ? std::nullopt
                            : std::optional(r.by_entity(r.result->committed_mw));
             }},
            {"anticipated_decision_mw",
             "MW",
             "Mean generation of later stages, decided in this one; null where none is. Single "
             "deliveries are in simulation/anticipated_lanes",
             [](const Row& r) {
                 return thermal(r).decided_in(r.result->stage).empty()
                            ? std::nullopt
                            : std::optional(r.by_entity(r.result->decided_mw));
             }},
            {"operative_state_code",
             "",
             "See codes.json",
             [](const Row& r) {
                 return operative_state(thermal(r).max_mw(r.result->stage, r.block) > 0);
             }},
        });
}

TableDefinition<SimulationRow> anticipated_lanes_definition() {
    return simulation_definition(
        "anticipated_lanes",
        false,
        {
            {"thermal_id", "", "Plant", [](const Row& r) -> std::int32_t { return thermal(r).id; }},
            {"start_date",
             "",
             "First day of the stage that is delivered in",
             [](const Row& r) { return delivery(r).start; }},
            {"end_date",
             "",
             "Day after the last of that stage",
             [](const Row& r) { return delivery(r).end; }},
            {"value_mw",
             "MW",
             "Mean generation decided for that stage, pending at the end of this one; after the "
             "last stage past_anticipated_commitments of a study that follows",
             [](const Row& r) {
                 const int place = delivery(r).stage % thermal(r).commitments;
                 return r.result->pending_mw[at(first_commitment(r) + place)];
             }},
            {"is_decided_here",
             "",
             "Whether this stage decides it",
             [](const Row& r) { return delivery(r).decided_in == r.result->stage; }},
        });
}

TableDefinition<SimulationRow> exchanges_definition() {
    return simulation_definition(
        "exchanges",
        true,
        {
            {"line_id", "", "Line", [](const Row& r) -> std::int32_t { return line(r).id; }},
            {"direct_flow_mw",
             "MW",
             "Flow from source to target",
             [](const Row& r) { return direct(r); }},
            {"reverse_flow_mw",
             "MW",
             "Flow from target to source",
             [](const Row& r) { return reverse(r); }},
            {"net_flow_mw",
             "MW",
             "Direct - reverse",
             [](const Row& r) { return direct(r) - reverse(r); }},
            {"net_flow_mwh",
             "MWh",
             "Net flow over the block",
             [](const Row& r) { return (direct(r) - reverse(r)) * r.hours(); }},
            {"losses_mw",
             "MW",
             "Stated loss share of both flows; in the balance with modeling.line_losses only",
             [](const Row& r) { return losses(r); }},
            {"losses_mwh",
             "MWh",
             "Losses over the block",
             [](const Row& r) { return losses(r) * r.hours(); }},
            {"exchange_cost",
             "$",
             "Cost over the block",
             [](const Row& r) {
                 return line(r).exchange_cost(r.result->stage, r.block) *
                        ((direct(r) + reverse(r)) * r.hours());
             }},
            {"operative_state_code",
             "",
             "See codes.json",
             [](const Row& r) {
                 const int stage = r.result->stage;
                 return operative_state(line(r).direct_mw(stage, r.block) > 0 ||
                                        line(r).reverse_mw(stage, r.block) > 0);
             }},
        });
}

TableDefinition<SimulationRow> buses_definition() {
    return simulation_definition(
        "buses",
        true,
        {
            {"bus_id", "", "Bus", [](const Row& r) -> std::int32_t { return bus(r).id; }},
            {"load_mw",
             "MW",
             "Realised load",
             [](const Row& r) { return r.by_block(r.result->load_mw); }},
            {"load_mwh",
             "MWh",
             "Load over the block",
             [](const Row& r) { return r.by_block(r.result->load_mw) * r.hours(); }},
            {"deficit_mw",
             "MW",
             "Unserved load",
             [](const Row& r) { return r.by_block(r.result->deficit_mw); }},
            {"deficit_mwh",
             "MWh",
             "Unserved load over the block",
             [](const Row& r) { return r.by_block(r.result->deficit_mw) * r.hours(); }},
            {"excess_mw",
             "MW",
             "Power without use",
             [](const Row& r) { return r.by_block(r.result->excess_mw); }},
            {"excess_mwh",
             "MWh",
             "Power without use over the block",
             [](const Row& r) { return r.by_block(r.result->excess_mw) * r.hours(); }},
            {"spot_price",
             "$/MWh",
             "Dual of the load balance: cost of one more MWh",
             [](const Row& r) { return r.by_block(r.result->spot_price); }},
        });
}

TableDefinition<SimulationRow> pumping_stations_definition() {
    return simulation_definition(
        "pumping_stations",
        true,
        {
            {"pumping_station_id",
             "",
             "Pumping station",
             [](const Row& r) -> std::int32_t { return station(r).id; }},
            {"pumped_flow_m3s", "m3/s", "Pumped flow", [](const Row& r) { return pumped(r); }},
            {"pumped_volume_hm3",
             "hm3",
             "Pumped volume over the block",
             [](const Row& r) { return sddp::hm3_per_m3s_hour * pumped(r) * r.hours(); }},
            {"power_consumption_mw",
             "MW",
             "Power that the pumps take",
             [](const Row& r) { return consumed(r); }},
            {"energy_consumption_mwh",
             "MWh",
             "Consumption over the block",
             [](const Row& r) { return consumed(r) * r.hours(); }},
            {"pumping_cost",
             "$",
             "Always 0: pumping costs its power, which the load balance has",
             [](const Row&) { return 0.0; }},
            {"operative_state_code",
             "",
             "See codes.json",
             [](const Row& r) {
                 return operative_state(station(r).max_m3s(r.result->stage, r.block) > 0);
             }},
        });
}

TableDefinition<SimulationRow> contracts_definition() {
    return simulation_definition(
        "contracts",
        true,
        {
            {"contract_id",
             "",
             "Contract",
             [](const Row& r) -> std::int32_t { return contract(r).id; }},
            {"power_mw", "MW", "Power, bought or sold", [](const Row& r) { return traded(r); }},
            {"energy_mwh",
             "MWh",
             "Energy over the block",
             [](const Row& r) { return traded(r) * r.hours(); }},
            {"price_per_mwh",
             "$/MWh",
             "Price; negative: revenue",
             [](const Row& r) { return price(r); }},
            {"total_cost",
             "$",
             "Cost over the block, negative: revenue",
             [](const Row& r) { return price(r) * (traded(r) * r.hours()); }},
            {"operative_state_code",
             "",
             "See codes.json",
             [](const Row& r) {
                 return operative_state(contract(r).max_mw(r.result->stage, r.block) > 0);
             }},
        });
}

TableDefinition<SimulationRow> batteries_definition() {
    return simulation_definition(
        "batteries",
        true,
        {
            {"battery_id",
             "",
             "Battery",
             [](const Row& r) -> std::int32_t { return battery(r).id; }},
            {"charge_mw",
             "MW",
             "Power taken from the bus",
             [](const Row& r) { return r.by_block(r.result->charge_mw); }},
            {"discharge_mw",
             "MW",
             "Power given to the bus",
             [](const Row& r) { return r.by_block(r.result->discharge_mw); }},
            {"energy_initial_mwh",
             "MWh",
             "Energy at the start of the stage, of the block where blocks are chronological",
             [](const Row& r) { return energy_initial(r); }},
            {"energy_final_mwh",
             "MWh",
             "Energy at the end of the stage, of the block where blocks are chronological",
             [](const Row& r) { return energy_final(r); }},
            {"operative_state_code",
             "",
             "See codes.json",
             [](const Row& r) {
                 const int stage = r.result->stage;
                 return operative_state(battery(r).max_charge_mw(stage, r.block) > 0 ||
                                        battery(r).max_discharge_mw(stage, r.block) > 0);
             }},
        });
}

TableDefinition<SimulationRow> non_controllables_definition() {
    return simulation_definition(
        "non_controllables",
        true,
        {
            {"non_controllable_id",
             "",
             "Source",
             [](const Row& r) -> std::int32_t { return source(r).id; }},
            {"generation_mw", "MW", "Used generation", [](const Row& r) { return used(r); }},
            {"generation_mwh",
             "MWh",
             "Used generation over the block",
             [](const Row& r) { return used(r) * r.hours(); }},
            {"available_mw",
             "MW",
             "Realised availability",
             [](const Row& r) { return r.by_block(r.result->available_mw); }},
            {"curtailment_mw", "MW", "Available - used", [](const Row& r) { return curtailed(r); }},
            {"curtailment_mwh",
             "MWh",
             "Curtailment over the block",
             [](const Row& r) { return curtailed(r) * r.hours(); }},
            {"curtailment_cost",
             "$",
             "Cost over the block",
             [](const Row& r) {
                 return source(r).curtailment_cost(r.result->stage, r.block) *
                        (curtailed(r) * r.hours());
             }},
            {"operative_state_code",
             "",
             "See codes.json",
             [](const Row& r) { return operative_state(r.by_stage(source(r).in_service) > 0); }},
        });
}

}  // namespace lockstep::formats::cobre::out
