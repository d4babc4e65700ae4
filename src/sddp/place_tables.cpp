#include "lockstep/sddp/place_tables.hpp"

#include <utility>

#include "lockstep/runtime/node_placement.hpp"

#include "sddp/hydro/stage/stage_problem.hpp"

namespace lockstep::sddp {

namespace {

using runtime::NodePlacement;

template <typename... Tables>
void add_by_block(NodePlacement& placement, Tables&... tables) {
    (tables.visit([&](auto& list) { placement.add(list); }), ...);
}

void add(NodePlacement& placement, Bus& bus) {
    placement.add(bus.mean_load_mw, bus.load_std_mw);
    add_by_block(placement, bus.excess_cost, bus.load_factor);
}

void add(NodePlacement& placement, Line& line) {
    add_by_block(placement, line.exchange_cost, line.direct_mw, line.reverse_mw);
}

void add(NodePlacement& placement, Thermal& thermal) {
    placement.add(thermal.cost);
    add_by_block(placement, thermal.min_mw, thermal.max_mw);
}

void add(NodePlacement& placement, NonControllable& source) {
    placement.add(source.mean, source.std, source.available_mw, source.in_service);
    add_by_block(placement, source.factor, source.curtailment_cost);
}

void add(NodePlacement& placement, Contract& contract) {
    add_by_block(placement, contract.price, contract.min_mw, contract.max_mw);
}

void add(NodePlacement& placement, PumpingStation& station) {
    add_by_block(placement, station.min_m3s, station.max_m3s);
}

void add(NodePlacement& placement, Battery& battery) {
    placement.add(battery.min_energy_mwh, battery.max_energy_mwh);
    add_by_block(placement, battery.max_charge_mw, battery.max_discharge_mw);
}

void add(NodePlacement& placement, UnitGroup& group) {
    add_by_block(placement,
                 group.min_turbined_m3s,
                 group.max_turbined_m3s,
                 group.min_generation_mw,
                 group.max_generation_mw);
}

void add(NodePlacement& placement, Hydro& plant) {
    placement.add(plant.min_storage_hm3,
                  plant.max_storage_hm3,
                  plant.withdrawal_m3s,
                  plant.productivity,
                  plant.equivalent_productivity,
                  plant.integrated_productivity,
                  plant.costs,
                  plant.storage_target_hm3);
    add_by_block(placement,
                 plant.max_turbined_m3s,
                 plant.max_generation_mw,
                 plant.min_outflow_m3s,
                 plant.max_outflow_m3s,
                 plant.min_spillage_m3s,
                 plant.max_spillage_m3s,
                 plant.min_diversion_m3s,
                 plant.max_diversion_m3s);
    for (auto& group : plant.groups) {
        add(placement, group);
    }
}

template <typename Entities>
void add_all(NodePlacement& placement, Entities& entities) {
    for (auto& entity : entities) {
        add(placement, entity);
    }
}

void add(NodePlacement& placement, System& system) {
    add_all(placement, system.buses);
    add_all(placement, system.lines);
    add_all(placement, system.thermals);
    add_all(placement, system.sources);
    add_all(placement, system.hydros);
    add_all(placement, system.contracts);
    add_all(placement, system.pumping_stations);
    add_all(placement, system.batteries);
}

void add(NodePlacement& placement, Process& process) {
    for (auto& stage : process.inflow.stages) {
        placement.add(stage.base, stage.scale, stage.lag);
    }
    for (auto& values : process.tree.values) {
        placement.add(values);
    }
}

}  // namespace

std::int64_t place_tables(Problem& problem, std::shared_ptr<comm::Communicator> node) {
    NodePlacement placement;
    add(placement, problem.system);
    add(placement, problem.process);
    return placement.place(std::move(node));
}

}  // namespace lockstep::sddp
