#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "lockstep/base/index.hpp"

#include "formats/cobre/write/tables/simulation.hpp"

namespace lockstep::formats::cobre::out {
namespace {

using Row = SimulationRow;
using Hydro = sddp::StageResult::Hydro;

constexpr double seconds_per_hour = 3600;
constexpr double cubic_metres_per_hm3 = 1e6;

const sddp::Hydro& plant(const Row& r) {
    return r.of(r.system().hydros);
}

double outflow(const Row& r) {
    return r.by_block(r.result->hydro.turbined_m3s) + r.by_block(r.result->hydro.spillage_m3s);
}

std::optional<double> evaporation(const Row& r) {
    const auto& model = plant(r).evaporation[at(r.result->stage)];
    return model ? std::optional<double>(r.by_period(r.result->hydro.evaporation_m3s))
                 : std::nullopt;
}

std::optional<double> diverted_inflow(const Row& r) {
    const auto& diverters = r.of(r.facts->diverters);
    if (diverters.empty()) {
        return std::nullopt;
    }
    double sum = 0;
    for (const int hydro : diverters) {
        sum += r.block_value(r.result->hydro.diverted_m3s, hydro);
    }
    return sum;
}

std::optional<double> diverted_outflow(const Row& r) {
    if (plant(r).diversion_target < 0) {
        return std::nullopt;
    }
    return r.by_block(r.result->hydro.diverted_m3s);
}

double equivalent(const Row& r) {
    return r.by_stage(plant(r).equivalent_productivity);
}
double accumulated(const Row& r) {
    return r.by_stage(r.of(r.facts->accumulated));
}

/// Energy that the useful volume gives on its way down the cascade [MWh].
double stored_energy(const Row& r, const std::vector<double>& storage) {
    const double useful = r.by_entity(storage) - plant(r).entity_min_storage_hm3;
    return useful * accumulated(r) * (cubic_metres_per_hm3 / seconds_per_hour);
}

/// Without planes the productivity does not depend on the level, so its mean over levels is itself.
std::optional<double> integrated(const Row& r, const sddp::Hydro& hydro) {
    if (hydro.planes[at(r.result->stage)].empty()) {
        return r.by_stage(hydro.equivalent_productivity);
    }
    const auto& known = hydro.integrated_productivity;
    return known.empty() || std::isnan(r.by_stage(known)) ? std::nullopt
                                                          : std::optional(r.by_stage(known));
}

std::optional<double> integrated_accumulated(const Row& r) {
    const auto& hydros = r.system().hydros;
    double sum = 0;
    for (int h = r.entity; h >= 0; h = hydros[at(h)].downstream) {
        const auto productivity = integrated(r, hydros[at(h)]);
        if (!productivity) {
            return std::nullopt;
        }
        sum += *productivity;
    }
    return sum;
}

/// Storage at the end of the block before (of the stage before for the first block), where blocks
/// follow each other; else of the stage.
double storage_before(const Row& r) {
    const int between = r.result->periods - 1;
    return between > 0 && r.block > 0
               ? r.result->hydro.storage_between_hm3[at(r.entity * between + r.block - 1)]
               : r.by_entity(r.result->hydro.storage_initial_hm3);
}
double storage_after(const Row& r) {
    const int between = r.result->periods - 1;
    return r.block < between ? r.result->hydro.storage_between_hm3[at(r.entity * between + r.block)]
                             : r.by_entity(r.result->hydro.storage_final_hm3);
}

template <std::vector<double> Hydro::*Values>
Field<Row> block_field(std::string name, std::string unit, std::string description) {
    return {std::move(name), std::move(unit), std::move(description), [](const Row& r) {
                return r.by_block(r.result->hydro.*Values);
            }};
}

template <std::vector<double> Hydro::*Values>
Field<Row> period_field(std::string name, std::string unit, std::string description) {
    return {
        std::move(name),
        std::move(unit),
        std::move(description) + "; of the stage, on every block row, where blocks are parallel",
        [](const Row& r) { return r.by_period(r.result->hydro.*Values); }};
}

template <std::vector<double> Hydro::*Values>
Field<Row> stage_field(std::string name, std::string unit, std::string description) {
    return {std::move(name),
            std::move(unit),
            std::move(description) + "; of the stage, on every block row",
            [](const Row& r) { return r.by_entity(r.result->hydro.*Values); }};
}

/// When water on its way comes.
struct Arrival {
    int stages_later = 1;
    std::optional<std::int32_t> block{};
};

/// Of the row's period after the stage. What comes after the study has stages of one period.
Arrival arrival_of(const Row& r) {
    const auto& stages = r.facts->problem->calendar.stages;
    Arrival arrival;
    int period = r.block - 1;
    for (auto stage = at(r.result->stage + 1); stage < stages.size(); ++stage) {
        if (period < stages[stage].periods()) {
            arrival.block = stages[stage].periods() > 1 ? std::optional(period) : std::nullopt;
            return arrival;
        }
        period -= stages[stage].periods();
        ++arrival.stages_later;
    }
    arrival.stages_later += period;
    return arrival;
}

bool is_filling(const Row& r) {
    return plant(r).phase(r.result->stage) == sddp::HydroPhase::filling;
}
double lacking(const Row& r) {
    return r.by_entity(r.result->hydro.storage_below_hm3);
}

std::vector<Field<Row>> flow_fields() {
    return {
        {"hydro_id", "", "Plant", [](const Row& r) -> std::int32_t { return plant(r).id; }},
        block_field<&Hydro::turbined_m3s>("turbined_m3s", "m3/s", "Turbined flow"),
        block_field<&Hydro::spillage_m3s>("spillage_m3s", "m3/s", "Spilled flow"),
        {"outflow_m3s",
         "m3/s",
         "Turbined + spilled, diversion left out",
         [](const Row& r) { return outflow(r); }},
        {"evaporation_m3s",
         "m3/s",
         "Net evaporation, negative for rain; null without a model; of the stage, on every block "
         "row, where blocks are parallel",
         [](const Row& r) { return evaporation(r); }},
        {"diverted_inflow_m3s",
         "m3/s",
         "Water that other plants divert into this one; null when none can",
         [](const Row& r) { return diverted_inflow(r); }},
        {"diverted_outflow_m3s",
         "m3/s",
         "Water diverted away; null without a diversion",
         [](const Row& r) { return diverted_outflow(r); }},
        stage_field<&Hydro::incremental_inflow_m3s>(
            "incremental_inflow_m3s",
            "m3/s",
            "Natural inflow between this plant and those upstream"),
        {"inflow_m3s",
         "m3/s",
         "Incremental inflow + water that arrives from upstream plants",
         [](const Row& r) {
             return r.by_entity(r.result->hydro.incremental_inflow_m3s) +
                    r.by_block(r.result->hydro.arriving_m3s);
         }},
        {"storage_initial_hm3",
         "hm3",
         "Storage at the start of the stage, of the block where blocks are chronological",
         [](const Row& r) { return storage_before(r); }},
        {"storage_final_hm3",
         "hm3",
         "Storage at the end of the stage, of the block where blocks are chronological",
         [](const Row& r) { return storage_after(r); }},
        block_field<&Hydro::generation_mw>("generation_mw", "MW", "Generation"),
        {"generation_mwh",
         "MWh",
         "Generation over the block",
         [](const Row& r) { return r.by_block(r.result->hydro.generation_mw) * r.hours(); }},
    };
}

std::vector<Field<Row>> energy_fields() {
    return {
        {"equivalent_productivity_mw_per_m3s",
         "MW/(m3/s)",
         "Productivity at the reference level",
         [](const Row& r) { return equivalent(r); }},
        {"accumulated_productivity_mw_per_m3s",
         "MW/(m3/s)",
         "Equivalent productivities of this plant and all downstream, added up",
         [](const Row& r) { return accumulated(r); }},
        {"incremental_inflow_energy_mw",
         "MW",
         "Incremental inflow times accumulated productivity",
         [](const Row& r) {
             return r.by_entity(r.result->hydro.incremental_inflow_m3s) * accumulated(r);
         }},
        {"stored_energy_initial_mwh",
         "MWh",
         "Useful volume at the start of the stage times accumulated productivity",
         [](const Row& r) { return stored_energy(r, r.result->hydro.storage_initial_hm3); }},
        {"stored_energy_final_mwh",
         "MWh",
         "Useful volume at the end of the stage times accumulated productivity",
         [](const Row& r) { return stored_energy(r, r.result->hydro.storage_final_hm3); }},
    };
}

std::vector<Field<Row>> state_fields() {
    return {
        block_field<&Hydro::spillage_cost>("spillage_cost", "$", "Cost of spillage and diversion"),
        period_field<&Hydro::water_value_per_hm3>(
            "water_value_per_hm3",
            "$/hm3",
            "Dual of the water balance: change of cost with one hm3 more, negative where it saves"),
        {"storage_binding_code",
         "",
         "See codes.json; 1 where storage lacks to its minimum or target",
         [](const Row& r) { return lacking(r) > 0 ? std::int8_t{1} : std::int8_t{0}; }},
        {"operative_state_code",
         "",
         "See codes.json; 0 while the plant is not built or filled",
         [](const Row& r) {
             const bool operates = plant(r).phase(r.result->stage) == sddp::HydroPhase::operating;
             return operates ? std::int8_t{2} : std::int8_t{0};
         }},
    };
}

std::vector<Field<Row>> violation_fields() {
    return {
        block_field<&Hydro::turbined_slack_m3s>(
            "turbined_slack_m3s", "m3/s", "Turbined flow lacking to its minimum"),
        block_field<&Hydro::outflow_slack_below_m3s>(
            "outflow_slack_below_m3s", "m3/s", "Outflow lacking to its minimum"),
        block_field<&Hydro::outflow_slack_above_m3s>(
            "outflow_slack_above_m3s", "m3/s", "Outflow over its maximum"),
        block_field<&Hydro::generation_slack_mw>(
            "generation_slack_mw", "MW", "Generation lacking to its minimum"),
        {"storage_violation_below_hm3",
         "hm3",
         "Storage lacking to its minimum; of the stage, on every block row",
         [](const Row& r) { return is_filling(r) ? 0 : lacking(r); }},
        {"filling_target_violation_hm3",
         "hm3",
         "Storage lacking to the target of a plant that is filled; of the stage, on every block "
         "row",
         [](const Row& r) { return is_filling(r) ? lacking(r) : 0; }},
        period_field<&Hydro::evaporation_above_m3s>(
            "evaporation_violation_pos_m3s", "m3/s", "Evaporation over its model"),
        period_field<&Hydro::evaporation_below_m3s>(
            "evaporation_violation_neg_m3s", "m3/s", "Evaporation under its model"),
        stage_field<&Hydro::inflow_slack_m3s>(
            "inflow_nonnegativity_slack_m3s", "m3/s", "Water added to a negative inflow"),
        stage_field<&Hydro::withdrawal_above_m3s>(
            "water_withdrawal_violation_pos_m3s", "m3/s", "Withdrawal over its demand"),
        stage_field<&Hydro::withdrawal_below_m3s>(
            "water_withdrawal_violation_neg_m3s", "m3/s", "Withdrawal under its demand"),
    };
}

std::vector<Field<Row>> integrated_fields() {
    return {
        {"integrated_equivalent_productivity_mw_per_m3s",
         "MW/(m3/s)",
         "Productivity averaged over the storage range; null where neither geometry nor a "
         "specific productivity tells it",
         [](const Row& r) { return integrated(r, plant(r)); }},
        {"integrated_accumulated_productivity_mw_per_m3s",
         "MW/(m3/s)",
         "The same, added up over this plant and all downstream; null where one of them has none",
         [](const Row& r) { return integrated_accumulated(r); }},
        {"stored_energy_initial_mw",
         "MW",
         "stored_energy_initial_mwh spread over the stage",
         [](const Row& r) {
             return stored_energy(r, r.result->hydro.storage_initial_hm3) / r.stage().hours();
         }},
        {"stored_energy_final_mw",
         "MW",
         "stored_energy_final_mwh spread over the stage",
         [](const Row& r) {
             return stored_energy(r, r.result->hydro.storage_final_hm3) / r.stage().hours();
         }},
    };
}

}  // namespace

TableDefinition<SimulationRow> hydros_definition() {
    std::vector<Field<Row>> fields;
    for (const auto& group : {flow_fields(),
                              energy_fields(),
                              state_fields(),
                              violation_fields(),
                              integrated_fields()}) {
        fields.insert(fields.end(), group.begin(), group.end());
    }
    return simulation_definition("hydros", true, std::move(fields));
}

TableDefinition<SimulationRow> hydro_bus_generation_definition() {
    return simulation_definition(
        "hydro_bus_generation",
        true,
        {
            {"hydro_id",
             "",
             "Plant",
             [](const Row& r) -> std::int32_t {
                 return r.system().hydros[at(r.of(r.result->cell.hydro))].id;
             }},
            {"bus_id",
             "",
             "Bus that this part of the plant feeds",
             [](const Row& r) -> std::int32_t {
                 return r.system().buses[at(r.of(r.result->cell.bus))].id;
             }},
            {"turbined_m3s",
             "m3/s",
             "Turbined flow",
             [](const Row& r) { return r.by_block(r.result->cell.turbined_m3s); }},
            {"generation_mw",
             "MW",
             "Generation",
             [](const Row& r) { return r.by_block(r.result->cell.generation_mw); }},
            {"generation_mwh",
             "MWh",
             "Generation over the block",
             [](const Row& r) { return r.by_block(r.result->cell.generation_mw) * r.hours(); }},
        });
}

TableDefinition<SimulationRow> inflow_lags_definition() {
    return simulation_definition(
        "inflow_lags",
        false,
        {
            {"hydro_id", "", "Plant", [](const Row& r) -> std::int32_t { return plant(r).id; }},
            {"lag_index",
             "",
             "0 for the season before, 1 for the one before that …; behind the longest lag, means "
             "so far of seasons that later stages read",
             [](const Row& r) -> std::int32_t { return r.block; }},
            {"inflow_m3s",
             "m3/s",
             "Past inflow that the stage starts from",
             [](const Row& r) {
                 const auto hydros = static_cast<std::size_t>(r.facts->problem->hydro_count());
                 return r.result->incoming_lags_m3s[static_cast<std::size_t>(r.block) * hydros +
                                                    static_cast<std::size_t>(r.entity)];
             }},
        });
}

TableDefinition<SimulationRow> in_transit_definition() {
    return simulation_definition(
        "in_transit",
        false,
        {
            {"hydro_id",
             "",
             "Plant that the water is on its way to",
             [](const Row& r) -> std::int32_t { return plant(r).id; }},
            {"stages_later",
             "",
             "1 for water that arrives in the next stage, 2 for the one after it …",
             [](const Row& r) -> std::int32_t { return arrival_of(r).stages_later; }},
            {"block_id",
             "",
             "Block of that stage, from 0, where blocks are chronological; else null",
             [](const Row& r) -> std::optional<std::int32_t> { return arrival_of(r).block; }},
            {"volume_hm3",
             "hm3",
             "Water on its way at the end of the stage",
             [](const Row& r) {
                 int place = r.block - 1;
                 for (int h = 0; h < r.entity; ++h) {
                     place += r.system().hydros[at(h)].transit_periods();
                 }
                 return r.result->transit_hm3[at(place)];
             }},
        });
}

TableDefinition<SimulationRow> transit_seed_definition() {
    return simulation_definition(
        "transit_seed",
        false,
        {
            {"hydro_id", "", "Plant", [](const Row& r) -> std::int32_t { return plant(r).id; }},
            {"start_date",
             "",
             "First day of the stage",
             [](const Row& r) { return r.stage().start; }},
            {"end_date",
             "",
             "Day after the last of the stage",
             [](const Row& r) { return r.stage().end; }},
            {"value_m3s",
             "m3/s",
             "Mean outflow, turbined and spilled, of a stage of which some is on its way when the "
             "study ends: past_defluences of a study that follows",
             [](const Row& r) {
                 double volume = 0;
                 Row in = r;
                 for (in.block = 0; in.block < r.result->blocks; ++in.block) {
                     volume += outflow(in) * in.hours();
                 }
                 return volume / r.stage().hours();
             }},
        });
}

}  // namespace lockstep::formats::cobre::out
