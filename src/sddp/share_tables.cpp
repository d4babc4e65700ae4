#include "lockstep/sddp/share_tables.hpp"

#include <utility>

#include "lockstep/runtime/shelf.hpp"

#include "sddp/stage_problem.hpp"

namespace lockstep::sddp {

namespace {

using runtime::Shelf;

template <typename... Tables>
void add_by_block(Shelf& shelf, Tables&... tables) {
    (tables.visit([&](auto& list) { shelf.add(list); }), ...);
}

void add(Shelf& shelf, Bus& bus) {
    shelf.add(bus.excess_cost, bus.mean_load_mw, bus.load_std_mw);
    add_by_block(shelf, bus.load_factor);
}

void add(Shelf& shelf, Line& line) {
    shelf.add(line.exchange_cost);
    add_by_block(shelf, line.direct_mw, line.reverse_mw);
}

void add(Shelf& shelf, Thermal& thermal) {
    shelf.add(thermal.cost);
    add_by_block(shelf, thermal.min_mw, thermal.max_mw);
}

void add(Shelf& shelf, NonControllable& source) {
    shelf.add(
        source.mean, source.std, source.available_mw, source.in_service, source.curtailment_cost);
    add_by_block(shelf, source.factor);
}

void add(Shelf& shelf, UnitGroup& group) {
    add_by_block(shelf,
                 group.min_turbined_m3s,
                 group.max_turbined_m3s,
                 group.min_generation_mw,
                 group.max_generation_mw);
}

void add(Shelf& shelf, Hydro& plant) {
    shelf.add(plant.min_storage_hm3,
              plant.max_storage_hm3,
              plant.withdrawal_m3s,
              plant.productivity,
              plant.equivalent_productivity,
              plant.costs);
    add_by_block(shelf,
                 plant.max_turbined_m3s,
                 plant.max_generation_mw,
                 plant.min_outflow_m3s,
                 plant.max_outflow_m3s,
                 plant.min_spillage_m3s,
                 plant.max_spillage_m3s,
                 plant.min_diversion_m3s,
                 plant.max_diversion_m3s);
    for (auto& group : plant.groups)
        add(shelf, group);
}

template <typename Entities>
void add_all(Shelf& shelf, Entities& entities) {
    for (auto& entity : entities)
        add(shelf, entity);
}

void add(Shelf& shelf, System& system) {
    add_all(shelf, system.buses);
    add_all(shelf, system.lines);
    add_all(shelf, system.thermals);
    add_all(shelf, system.sources);
    add_all(shelf, system.hydros);
}

void add(Shelf& shelf, Process& process) {
    for (auto& stage : process.inflow.stages)
        shelf.add(stage.base, stage.scale, stage.lag);
    for (auto& values : process.tree.values)
        shelf.add(values);
}

}  // namespace

std::int64_t share_tables(Problem& problem, std::shared_ptr<comm::Communicator> node) {
    Shelf shelf;
    add(shelf, problem.system);
    add(shelf, problem.process);
    return shelf.place(std::move(node));
}

}  // namespace lockstep::sddp
