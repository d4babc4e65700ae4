#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "formats/cobre/write/tables/simulation.hpp"

namespace lockstep::formats::cobre::out {
namespace {

using Row = SimulationRow;

double hydro_violations(const sddp::CostBreakdown& c) {
    return c.outflow_below + c.outflow_above + c.turbined_below + c.generation_below +
           c.evaporation + c.withdrawal;
}

}  // namespace

TableDefinition<SimulationRow> costs_definition() {
    return simulation_definition(
        "costs",
        false,
        {
            {"block_id",
             "",
             "Null: costs of the stage",
             [](const Row&) -> std::optional<std::int32_t> { return std::nullopt; }},
            {"total_cost",
             "$",
             "immediate_cost + future_cost, undiscounted (a total)",
             [](const Row& r) { return r.result->cost.immediate + r.result->cost.future; }},
            {"immediate_cost",
             "$",
             "Cost of the stage (a total): all later columns but future_cost, discount_factor and "
             "hydro_violation_cost add "
             "up to it",
             [](const Row& r) { return r.result->cost.immediate; }},
            {"future_cost",
             "$",
             "What the cuts say of the later stages, discounted to this stage",
             [](const Row& r) { return r.result->cost.future; }},
            {"discount_factor",
             "",
             "Factor from this stage to the first",
             [](const Row& r) { return r.result->cost.discount; }},
            {"thermal_cost", "$", "Fuel", [](const Row& r) { return r.result->cost.thermal; }},
            {"anticipated_thermal_cost",
             "$",
             "Fuel of generation that is decided in this stage for later ones",
             [](const Row& r) { return r.result->cost.anticipated; }},
            {"contract_cost",
             "$",
             "Power bought by contract, less the revenue of power sold",
             [](const Row& r) { return r.result->cost.contract; }},
            {"deficit_cost",
             "$",
             "Unserved load",
             [](const Row& r) { return r.result->cost.deficit; }},
            {"excess_cost",
             "$",
             "Power without use",
             [](const Row& r) { return r.result->cost.excess; }},
            {"storage_violation_cost",
             "$",
             "Storage below its minimum",
             [](const Row& r) { return r.result->cost.storage_below; }},
            {"filling_target_cost",
             "$",
             "Storage below the targets of plants that are filled",
             [](const Row& r) { return r.result->cost.filling_below; }},
            {"hydro_violation_cost",
             "$",
             "Subtotal of the six columns after it: outflow below and above, turbined, generation, "
             "evaporation, "
             "withdrawal",
             [](const Row& r) { return hydro_violations(r.result->cost); }},
            {"outflow_violation_below_cost",
             "$",
             "Outflow below its minimum",
             [](const Row& r) { return r.result->cost.outflow_below; }},
            {"outflow_violation_above_cost",
             "$",
             "Outflow above its maximum",
             [](const Row& r) { return r.result->cost.outflow_above; }},
            {"turbined_violation_cost",
             "$",
             "Turbined flow below its minimum",
             [](const Row& r) { return r.result->cost.turbined_below; }},
            {"generation_violation_cost",
             "$",
             "Hydro generation below its minimum",
             [](const Row& r) { return r.result->cost.generation_below; }},
            {"evaporation_violation_cost",
             "$",
             "Evaporation off its model",
             [](const Row& r) { return r.result->cost.evaporation; }},
            {"withdrawal_violation_cost",
             "$",
             "Withdrawal off its demand",
             [](const Row& r) { return r.result->cost.withdrawal; }},
            {"inflow_penalty_cost",
             "$",
             "Water added to negative inflows",
             [](const Row& r) { return r.result->cost.inflow_slack; }},
            {"generic_violation_cost",
             "$",
             "Slack of generic constraints",
             [](const Row& r) { return r.result->cost.generic; }},
            {"spillage_cost",
             "$",
             "Spillage and diversion",
             [](const Row& r) { return r.result->cost.spillage; }},
            {"turbined_cost",
             "$",
             "Regularisation of turbined flow",
             [](const Row& r) { return r.result->cost.turbined; }},
            {"curtailment_cost",
             "$",
             "Unused non-controllable energy",
             [](const Row& r) { return r.result->cost.curtailment; }},
            {"exchange_cost",
             "$",
             "Flows on lines",
             [](const Row& r) { return r.result->cost.exchange; }},
            {"pumping_cost",
             "$",
             "Always 0: pumping costs its power, which the load balance has",
             [](const Row&) { return 0.0; }},
        });
}

std::vector<std::string> cost_parts() {
    static constexpr std::array not_parts = {std::string_view("total_cost"),
                                             std::string_view("immediate_cost"),
                                             std::string_view("future_cost"),
                                             std::string_view("hydro_violation_cost")};
    std::vector<std::string> parts;
    for (const io::Column& column : costs_definition().schema().columns) {
        if (column.name.ends_with("_cost") &&
            std::find(not_parts.begin(), not_parts.end(), column.name) == not_parts.end()) {
            parts.push_back(column.name);
        }
    }
    return parts;
}

TableDefinition<SimulationRow> generic_violations_definition() {
    using Slack = sddp::StageResult::Slack;
    return simulation_definition(
        "violations/generic",
        false,
        {
            {"block_id",
             "",
             "Block index, from 0; null for a row of the whole stage",
             [](const Row& r) -> std::optional<std::int32_t> {
                 const Slack& slack = r.of(r.result->generic);
                 return slack.block >= 0 ? std::optional<std::int32_t>(slack.block) : std::nullopt;
             }},
            {"constraint_id",
             "",
             "Generic constraint",
             [](const Row& r) -> std::int32_t {
                 const auto index = static_cast<std::size_t>(r.of(r.result->generic).constraint);
                 return r.system().constraints[index].id;
             }},
            {"slack_value",
             "by constraint",
             "Violation of the row, 0 without slack; of a row with two bounds, negative above the "
             "upper",
             [](const Row& r) { return r.of(r.result->generic).value; }},
            {"slack_cost",
             "$",
             "Its cost",
             [](const Row& r) { return r.of(r.result->generic).cost; }},
        });
}

}  // namespace lockstep::formats::cobre::out
