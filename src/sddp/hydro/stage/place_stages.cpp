#include "sddp/hydro/stage/place_stages.hpp"

#include <utility>

#include "lockstep/runtime/node_placement.hpp"

namespace lockstep::sddp {

namespace {

void add_model(runtime::NodePlacement& placement, lp::Model& model) {
    placement.add(model.cost,
                  model.column_lower,
                  model.column_upper,
                  model.row_lower,
                  model.row_upper,
                  model.column_start,
                  model.row_index,
                  model.value);
}

void add_map(runtime::NodePlacement& placement, StageMap& map) {
    placement.add(map.cells, map.first_cell, map.storage, map.water_row, map.load_row);
    placement.add(map.spillage, map.diversion, map.outflow_below, map.outflow_above);
    placement.add(map.turbined, map.generation, map.turbined_below, map.generation_below);
    placement.add(map.evaporation, map.evaporation_above, map.evaporation_below);
    placement.add(map.evaporation_substituted);
    placement.add(map.withdrawal_above, map.withdrawal_below, map.inflow_slack);
    placement.add(map.thermal, map.direct, map.reverse, map.excess, map.curtailed);
    placement.add(
        map.contract, map.pumped, map.storage_below, map.between, map.commitment, map.transit);
    placement.add(map.charge, map.discharge, map.energy);
    placement.add(map.first_segment, map.deficit, map.generic);
}

void add_stage(runtime::NodePlacement& placement, StageProblem& stage) {
    add_model(placement, stage.model);
    add_map(placement, stage.map);
    for (auto* table :
         {&stage.decided_coupling, &stage.drawn_coupling, &stage.available_coupling}) {
        placement.add(table->first, table->entries);
    }
    placement.add(stage.decided, stage.outcome_theta, stage.column_tags, stage.row_tags);
}

}  // namespace

std::int64_t place_stages(std::vector<StageProblem>& stages,
                          std::shared_ptr<comm::Communicator> node) {
    runtime::NodePlacement placement;
    for (auto& stage : stages) {
        add_stage(placement, stage);
    }
    return placement.place(std::move(node));
}

}  // namespace lockstep::sddp
