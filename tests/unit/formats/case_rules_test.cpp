#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "case_fixture.hpp"

namespace lockstep::formats::cobre::test {
namespace {

using testing::Contains;

struct Change {
    const char* base;
    const char* file;
    const char* path;
    const char* value;  ///< JSON
    const char* error;
};

void PrintTo(const Change& change, std::ostream* out) {
    *out << change.base << "/" << change.file << " " << change.path << " = " << change.value;
}

class CaseRuleTest : public testing::TestWithParam<Change> {};

TEST_P(CaseRuleTest, ReportsTheMistake) {
    const Change& change = GetParam();
    CaseCopy copy(change.base);
    copy.set(change.file, change.path, io::parse_json(change.value, "test"));

    EXPECT_THAT(copy.errors(), Contains(change.error)) << change.path;
}

constexpr Change rules[] = {
    {"d04-transmission",
     "system/lines.json",
     "lines.0.source_bus_id",
     "9",
     "[InvalidReference] system/lines.json:3 (line 0): bus 9 does not exist"},
    {"d04-transmission",
     "system/lines.json",
     "lines.0.source_bus_id",
     "1",
     "[InvalidValue] system/lines.json:3 (line 0): source and target are the same bus"},
    {"d02-single-hydro",
     "system/hydros.json",
     "hydros.0.downstream_id",
     "4",
     "[InvalidReference] system/hydros.json:3 (hydro 0): hydro 4 does not exist"},
    {"d02-single-hydro",
     "system/hydros.json",
     "hydros.0.downstream_id",
     "0",
     "[CycleDetected] system/hydros.json: downstream_id forms a cycle: 0 -> 0"},
    {"d03-two-hydro-cascade",
     "system/hydros.json",
     "hydros.1.downstream_id",
     "0",
     "[CycleDetected] system/hydros.json: downstream_id forms a cycle: 0 -> 1 -> 0"},
    {"d02-single-hydro",
     "system/hydros.json",
     "hydros.0.reservoir.min_storage_hm3",
     "300",
     "[InvalidValue] system/hydros.json:3 (hydro 0): min_storage_hm3 > max_storage_hm3: 300 > 200"},
    {"d02-single-hydro",
     "system/hydros.json",
     "hydros.0.outflow.min_outflow_m3s",
     "60",
     "[InvalidValue] system/hydros.json:3 (hydro 0): min_outflow_m3s > max_outflow_m3s: 60 > 50"},
    {"d02-single-hydro",
     "system/hydros.json",
     "hydros.0.unit_groups",
     "[]",
     "[InvalidValue] system/hydros.json:3 (hydro 0): unit_groups must not be empty"},
    {"d02-single-hydro",
     "system/hydros.json",
     "hydros.0.generation.max_turbined_m3s",
     "40",
     "[BusinessRuleViolation] system/hydros.json:3 (hydro 0): max_turbined_m3s of the unit groups "
     "sums to 50: must not be above the plant's 40"},
    {"d02-single-hydro",
     "system/hydros.json",
     "hydros.0.generation.min_turbined_m3s",
     "4",
     "[BusinessRuleViolation] system/hydros.json:3 (hydro 0): min_turbined_m3s of the unit groups "
     "sums to 0: must not be below the plant's 4"},
    {"d02-single-hydro",
     "system/hydros.json",
     "hydros.0.diversion",
     R"({"downstream_id": 8, "max_flow_m3s": 3})",
     "[InvalidReference] system/hydros.json:3 (hydro 0): hydro 8 does not exist"},
    {"d08-evaporation",
     "system/hydros.json",
     "hydros.0.evaporation.coefficients_mm",
     "[1, 2]",
     "[SchemaViolation] system/hydros.json:23 (hydros[0].evaporation.coefficients_mm): expected 12 "
     "values, found 2"},
    {"d02-single-hydro",
     "system/hydros.json",
     "hydros.0.evaporation",
     R"({"coefficients_mm": [1,1,1,1,1,1,1,1,1,1,1,1]})",
     "[BusinessRuleViolation] system/hydros.json:3 (hydro 0): evaporation needs rows of this hydro "
     "in "
     "system/hydro_geometry.parquet"},
    {"d02-single-hydro",
     "system/thermals.json",
     "thermals.0.bus_id",
     "3",
     "[InvalidReference] system/thermals.json:3 (thermal 0): bus 3 does not exist"},
    {"d02-single-hydro",
     "system/thermals.json",
     "thermals.0.generation.min_mw",
     "300",
     "[InvalidValue] system/thermals.json:3 (thermal 0): min_mw > max_mw: 300 > 100"},
    {"d02-single-hydro",
     "system/buses.json",
     "buses.0.deficit_segments",
     "[]",
     "[InvalidValue] system/buses.json (bus 0): deficit_segments must not be empty"},
    {"d02-single-hydro",
     "penalties.json",
     "bus.deficit_segments.0.depth_mw",
     "5",
     "[InvalidValue] penalties.json:4 (bus): depth_mw of the last deficit segment must be null"},
    {"d02-single-hydro",
     "penalties.json",
     "hydro.spillage_cost",
     "0",
     "[SchemaViolation] penalties.json:15 (hydro.spillage_cost): 0 is out of range: must be > 0"},
    {"d02-single-hydro",
     "stages.json",
     "stages",
     "[]",
     "[InvalidValue] stages.json (stages): at least one stage is required"},
    {"d02-single-hydro",
     "stages.json",
     "stages.1.id",
     "0",
     "[DuplicateId] stages.json:20 (stage 0): stage id is used twice"},
    {"d02-single-hydro",
     "stages.json",
     "stages.1.end_date",
     "\"2024-02-01\"",
     "[InvalidValue] stages.json:20 (stage 1): start_date must be before end_date"},
    {"d02-single-hydro",
     "stages.json",
     "stages.1.blocks",
     "[]",
     "[InvalidValue] stages.json:20 (stage 1): at least one block is required"},
    {"d02-single-hydro",
     "stages.json",
     "stages.1.blocks.0.id",
     "2",
     "[InvalidValue] stages.json:20 (stage 1): block ids must be 0, 1, 2 … in order: found 2 at "
     "place "
     "0"},
    {"d02-single-hydro",
     "stages.json",
     "stages.1.blocks.0.hours",
     "0",
     "[SchemaViolation] stages.json:28 (stages[1].blocks[0].hours): 0 is out of range: must be > "
     "0"},
    {"d16-par1-lag-shift",
     "stages.json",
     "stages.1.season_id",
     "40",
     "[InvalidReference] stages.json:33 (stage 1): season 40 does not exist"},
    {"d16-par1-lag-shift",
     "stages.json",
     "pre_study_stages.0.id",
     "5",
     "[InvalidValue] stages.json:7 (stage 5): ids of pre_study_stages must be negative"},
    {"d02-single-hydro",
     "stages.json",
     "policy_graph.transitions",
     R"([{"source_id": 0, "target_id": 1, "probability": 0.5}])",
     "[InvalidValue] stages.json:6 (transition from stage 0): probabilities sum to 0.5: must be 1"},
    {"d02-single-hydro",
     "stages.json",
     "policy_graph.transitions",
     R"([{"source_id": 0, "target_id": 4, "probability": 1}])",
     "[InvalidReference] stages.json:6 (transition from stage 0): stage 4 does not exist"},
    {"d02-single-hydro",
     "config.json",
     "training.stopping_rules",
     R"([{"type": "time_limit", "seconds": 3}])",
     "[BusinessRuleViolation] config.json (training.stopping_rules): at least one rule of type "
     "\"iteration_limit\" is required"},
    {"d02-single-hydro",
     "config.json",
     "training.scenario_source",
     R"({"inflow": {"scheme": "out_of_sample"}})",
     "[BusinessRuleViolation] config.json (training.scenario_source): \"seed\" is required unless "
     "every scheme is \"in_sample\""},
    {"d02-single-hydro",
     "initial_conditions.json",
     "storage.0.hydro_id",
     "3",
     "[InvalidReference] initial_conditions.json:3 (hydro 3): hydro 3 does not exist"},
    {"d02-single-hydro",
     "initial_conditions.json",
     "recent_observations",
     R"([{"hydro_id": 0, "start_date": "2024-01-01", "end_date": "2024-01-08", "value_m3s": 1}])",
     "[InvalidValue] initial_conditions.json:10 (hydro 0): the observation ends after the study "
     "starts"},
    {"d19-multi-hydro-par",
     "initial_conditions.json",
     "recent_observations.1.end_date",
     "\"2023-12-05\"",
     "[InvalidValue] initial_conditions.json:14 (hydro 0): the window overlaps another one of "
     "hydro 0"},
    {"d24-productivity-override",
     "system/hydro_production_models.json",
     "production_models.0.stage_ranges.0.productivity_mw_per_m3s",
     "null",
     "[BusinessRuleViolation] system/hydros.json:3 (hydro 0): stage 0: no productivity: give "
     "productivity_mw_per_m3s in system/hydro_production_models.json or a row in "
     "system/hydro_energy_productivity.parquet"},
    {"d24-productivity-override",
     "system/hydro_production_models.json",
     "production_models.0.hydro_id",
     "3",
     "[InvalidReference] system/hydro_production_models.json:3 (hydro 3): hydro 3 does not exist"},
    {"d06-fpha-variable-head",
     "system/hydro_production_models.json",
     "production_models.0.stage_ranges.0.fpha_config",
     "null",
     "[BusinessRuleViolation] system/hydros.json:3 (hydro 0): stage 0 and 1 more: the model "
     "\"fpha\" "
     "needs an entry with fpha_config in system/hydro_production_models.json"},
    {"d06-fpha-variable-head",
     "system/hydro_production_models.json",
     "production_models.0.stage_ranges.0.productivity_mw_per_m3s",
     "1",
     "[InvalidValue] system/hydro_production_models.json:7 (hydro 0): productivity_mw_per_m3s does "
     "not go with the model \"fpha\""},
    {"d14-block-factors",
     "scenarios/load_factors.json",
     "load_factors.0.block_factors.1.block_id",
     "5",
     "[InvalidReference] scenarios/load_factors.json:3 (bus 0): block 5 does not exist: stage 0 "
     "has 2 "
     "blocks, numbered from 0"},
    {"d14-block-factors",
     "scenarios/load_factors.json",
     "load_factors.1.stage_id",
     "0",
     "[DuplicateId] scenarios/load_factors.json:17 (bus 0): factors of stage 0 are given twice"},
    {"d13-generic-constraint",
     "constraints/generic_constraints.json",
     "constraints.0.slack.penalty",
     "null",
     "[InvalidValue] constraints/generic_constraints.json:3 (constraint 1): slack.penalty > 0 is "
     "required when the slack is enabled"},
    {"d15-non-controllable-source",
     "system/non_controllable_sources.json",
     "non_controllable_sources.0.bus_id",
     "6",
     "[InvalidReference] system/non_controllable_sources.json:3 (non-controllable source 0): bus 6 "
     "does not exist"},
};

INSTANTIATE_TEST_SUITE_P(All, CaseRuleTest, testing::ValuesIn(rules));

}  // namespace
}  // namespace lockstep::formats::cobre::test
