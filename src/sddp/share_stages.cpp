#include "sddp/share_stages.hpp"

#include <utility>

#include "lockstep/runtime/shelf.hpp"

namespace lockstep::sddp {

namespace {

void add_model(runtime::Shelf& shelf, lp::Model& model) {
    shelf.add(model.cost,
              model.column_lower,
              model.column_upper,
              model.row_lower,
              model.row_upper,
              model.column_start,
              model.row_index,
              model.value);
}

void add_map(runtime::Shelf& shelf, StageMap& map) {
    shelf.add(map.cells, map.first_cell, map.storage, map.water_row, map.load_row);
    shelf.add(map.spillage, map.diversion, map.outflow_below, map.outflow_above);
    shelf.add(map.turbined, map.generation, map.turbined_below, map.generation_below);
    shelf.add(map.evaporation, map.evaporation_above, map.evaporation_below);
    shelf.add(map.evaporation_substituted);
    shelf.add(map.withdrawal_above, map.withdrawal_below, map.inflow_slack);
    shelf.add(map.thermal, map.direct, map.reverse, map.excess, map.curtailed);
    shelf.add(map.first_segment, map.deficit, map.generic);
}

void add_stage(runtime::Shelf& shelf, StageProblem& stage) {
    add_model(shelf, stage.model);
    add_map(shelf, stage.map);
    for (auto* table : {&stage.storage_coupling, &stage.inflow_coupling})
        shelf.add(table->first, table->entries);
    shelf.add(stage.column_tags, stage.row_tags);
}

}  // namespace

std::int64_t share_stages(std::vector<StageProblem>& stages,
                          std::shared_ptr<comm::Communicator> node) {
    runtime::Shelf shelf;
    for (auto& stage : stages)
        add_stage(shelf, stage);
    return shelf.place(std::move(node));
}

}  // namespace lockstep::sddp
