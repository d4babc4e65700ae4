#include "formats/cobre/write/output_simulation_shape.hpp"

#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

namespace lockstep::formats::cobre::out {
namespace {

struct Named {
    std::string_view name;
    std::size_t found;
};

void expect(std::size_t expected, std::initializer_list<Named> arrays, int stage) {
    for (const Named& array : arrays) {
        if (array.found != expected) {
            throw AssertionError(fmt::format("result of stage {}: {} holds {} values, expected {}",
                                             stage,
                                             array.name,
                                             array.found,
                                             expected));
        }
    }
}

void check_hydros(std::size_t hydros,
                  std::size_t blocks,
                  std::size_t periods,
                  const sddp::StageResult& result) {
    const auto& h = result.hydro;
    expect(hydros,
           {{"storage_initial_hm3", h.storage_initial_hm3.size()},
            {"storage_final_hm3", h.storage_final_hm3.size()},
            {"incremental_inflow_m3s", h.incremental_inflow_m3s.size()},
            {"withdrawal_above_m3s", h.withdrawal_above_m3s.size()},
            {"withdrawal_below_m3s", h.withdrawal_below_m3s.size()},
            {"inflow_slack_m3s", h.inflow_slack_m3s.size()},
            {"storage_below_hm3", h.storage_below_hm3.size()}},
           result.stage);
    expect(hydros * (periods - 1),
           {{"storage_between_hm3", h.storage_between_hm3.size()}},
           result.stage);
    expect(hydros * periods,
           {{"evaporation_m3s", h.evaporation_m3s.size()},
            {"evaporation_above_m3s", h.evaporation_above_m3s.size()},
            {"evaporation_below_m3s", h.evaporation_below_m3s.size()},
            {"water_value_per_hm3", h.water_value_per_hm3.size()}},
           result.stage);
    expect(hydros * blocks,
           {{"turbined_m3s", h.turbined_m3s.size()},
            {"spillage_m3s", h.spillage_m3s.size()},
            {"diverted_m3s", h.diverted_m3s.size()},
            {"generation_mw", h.generation_mw.size()},
            {"arriving_m3s", h.arriving_m3s.size()},
            {"turbined_slack_m3s", h.turbined_slack_m3s.size()},
            {"outflow_slack_below_m3s", h.outflow_slack_below_m3s.size()},
            {"outflow_slack_above_m3s", h.outflow_slack_above_m3s.size()},
            {"generation_slack_mw", h.generation_slack_mw.size()},
            {"spillage_cost", h.spillage_cost.size()}},
           result.stage);
}

void check_cells(std::size_t blocks, const sddp::StageResult& result) {
    const auto& cell = result.cell;
    expect(cell.hydro.size(), {{"cell.bus", cell.bus.size()}}, result.stage);
    expect(cell.hydro.size() * blocks,
           {{"cell.turbined_m3s", cell.turbined_m3s.size()},
            {"cell.generation_mw", cell.generation_mw.size()}},
           result.stage);
}

void check_system(const sddp::System& system, std::size_t blocks, const sddp::StageResult& result) {
    expect(
        system.thermals.size() * blocks, {{"thermal_mw", result.thermal_mw.size()}}, result.stage);
    expect(static_cast<std::size_t>(system.transit_count()),
           {{"transit_hm3", result.transit_hm3.size()}},
           result.stage);
    expect(system.thermals.size(),
           {{"committed_mw", result.committed_mw.size()}, {"decided_mw", result.decided_mw.size()}},
           result.stage);
    expect(static_cast<std::size_t>(system.commitment_count()),
           {{"pending_mw", result.pending_mw.size()}},
           result.stage);
    expect(system.lines.size() * blocks,
           {{"direct_mw", result.direct_mw.size()}, {"reverse_mw", result.reverse_mw.size()}},
           result.stage);
    expect(system.buses.size() * blocks,
           {{"load_mw", result.load_mw.size()},
            {"deficit_mw", result.deficit_mw.size()},
            {"excess_mw", result.excess_mw.size()},
            {"spot_price", result.spot_price.size()}},
           result.stage);
    expect(system.sources.size() * blocks,
           {{"available_mw", result.available_mw.size()},
            {"curtailed_mw", result.curtailed_mw.size()}},
           result.stage);
    expect(system.contracts.size() * blocks,
           {{"contract_mw", result.contract_mw.size()}},
           result.stage);
    expect(system.batteries.size() * blocks,
           {{"charge_mw", result.charge_mw.size()}, {"discharge_mw", result.discharge_mw.size()}},
           result.stage);
    expect(system.batteries.size(),
           {{"energy_initial_mwh", result.energy_initial_mwh.size()},
            {"energy_final_mwh", result.energy_final_mwh.size()}},
           result.stage);
    expect(system.pumping_stations.size() * blocks,
           {{"pumped_m3s", result.pumped_m3s.size()}},
           result.stage);
}

}  // namespace

void check_shape(const sddp::Problem& problem, const sddp::StageResult& result) {
    if (result.stage < 0 || result.stage >= problem.stage_count()) {
        throw AssertionError(fmt::format(
            "result of stage {}: the problem has {} stages", result.stage, problem.stage_count()));
    }
    const auto& stage = problem.calendar.stages[at(result.stage)];
    const auto blocks = stage.blocks.size();
    expect(blocks, {{"blocks", static_cast<std::size_t>(result.blocks)}}, result.stage);
    const std::size_t hydros = problem.system.hydros.size();
    const auto periods = static_cast<std::size_t>(stage.periods());
    expect(periods, {{"periods", static_cast<std::size_t>(result.periods)}}, result.stage);
    check_hydros(hydros, blocks, periods, result);
    check_cells(blocks, result);
    check_system(problem.system, blocks, result);
    const auto lags = static_cast<std::size_t>(problem.process.inflow.lags);
    expect(hydros * lags, {{"incoming_lags_m3s", result.incoming_lags_m3s.size()}}, result.stage);
}

}  // namespace lockstep::formats::cobre::out
