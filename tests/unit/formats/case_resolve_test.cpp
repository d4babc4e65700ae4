#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "case_fixture.hpp"

namespace lockstep::formats::cobre::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

TEST(CaseRegimesTest, NodesMayHaveInflowsOfTheirOwn) {
    CaseCopy copy("node-tree");
    copy.write("scenarios/inflow_node_stats.parquet",
               {ints("hydro_id", {0, 0}),
                ints("node_id", {1, 2}),
                reals("mean_m3s", {30, 10}),
                reals("std_m3s", {5, 0})});
    const auto regimes = copy.read().study.process.node_inflows;
    EXPECT_THAT(copy.errors(), IsEmpty());
    ASSERT_THAT(regimes, SizeIs(2));
    EXPECT_EQ(regimes[1].node, 2);
    EXPECT_EQ(regimes[1].mean_m3s, 10);

    copy.write("scenarios/inflow_node_stats.parquet",
               {ints("hydro_id", {0, 0, 0, 9}),
                ints("node_id", {1, 1, 77, 1}),
                reals("mean_m3s", {30, 10, 1, 1}),
                reals("std_m3s", {5, 0, 0, 1})});
    EXPECT_THAT(copy.errors(), Contains(HasSubstr("node 77 does not exist in stages.json")));
    EXPECT_THAT(copy.errors(), Contains(HasSubstr("node 1 is given twice for hydro 0")));
}

TEST(CaseServiceTest, SwitchesEntitiesOffOutsideTheirLife) {
    CaseCopy copy("d03-two-hydro-cascade");
    copy.set("system/thermals.json", "thermals.0.entry_stage_id", 1);
    copy.set("system/thermals.json", "thermals.0.exit_stage_id", 2);

    const Case read = copy.read();

    EXPECT_THAT(copy.errors(), IsEmpty());
    const sddp::Thermal& thermal = read.study.system.thermals[0];
    EXPECT_EQ(thermal.max_mw(0, 0), 0);
    EXPECT_GT(thermal.max_mw(1, 0), 0);
    EXPECT_EQ(thermal.max_mw(2, 0), 0);
}

TEST(CaseServiceTest, RefusesALifeThatEndsBeforeItStarts) {
    CaseCopy copy("d03-two-hydro-cascade");
    copy.set("system/thermals.json", "thermals.0.entry_stage_id", 2);
    copy.set("system/thermals.json", "thermals.0.exit_stage_id", 2);

    EXPECT_THAT(
        copy.errors(),
        ElementsAre("[InvalidValue] system/thermals.json:3 (thermal 0): entry_stage_id 2 must "
                    "be before exit_stage_id 2"));
}

TEST(CaseServiceTest, TakesStatisticsOfASourceOnlyWhereItServes) {
    CaseCopy copy("d15-non-controllable-source");
    copy.set(
        "system/non_controllable_sources.json", "non_controllable_sources.0.entry_stage_id", 1);
    copy.write(
        "scenarios/non_controllable_stats.parquet",
        {ints("ncs_id", {0}), ints("stage_id", {1}), reals("mean", {0.5}), reals("std", {0})});

    const Case read = copy.read();

    EXPECT_THAT(copy.errors(), IsEmpty());
    EXPECT_THAT(read.study.system.sources[0].in_service, ElementsAre(0, 1));
}

TEST(CaseCostsTest, LetsASymmetricCostSetBothDirectionsUnlessTheyAreGiven) {
    CaseCopy copy("d23-bidirectional-withdrawal");
    copy.set("system/hydros.json",
             "hydros.0.penalties",
             io::parse_json(R"({"evaporation_violation_cost": 7})", "test"));
    copy.write("constraints/penalty_overrides_hydro.parquet",
               {ints("hydro_id", {0, 0}),
                ints("stage_id", {0, 1}),
                optional_reals("water_withdrawal_violation_cost", {20, 30}),
                optional_reals("water_withdrawal_violation_neg_cost", {{}, 40})});

    const Case read = copy.read();

    EXPECT_THAT(copy.errors(), IsEmpty());
    const auto& costs = read.study.system.hydros[0].costs;
    EXPECT_EQ(costs[0].evaporation_above, 7);
    EXPECT_EQ(costs[0].evaporation_below, 7);
    EXPECT_EQ(costs[0].withdrawal_above, 20);
    EXPECT_EQ(costs[0].withdrawal_below, 20);
    EXPECT_EQ(costs[1].withdrawal_above, 30);
    EXPECT_EQ(costs[1].withdrawal_below, 40);
}

constexpr const char* hydro_costs = "constraints/penalty_overrides_hydro.parquet";

CaseCopy& with_two_blocks(CaseCopy& copy) {
    copy.set("stages.json",
             "stages.0.blocks",
             io::parse_json(R"([{"id": 0, "name": "A", "hours": 300},
                                {"id": 1, "name": "B", "hours": 430}])",
                            "test"));
    return copy;
}

// The row of a block goes before the row of all blocks, whatever their order.
TEST(CaseCostsTest, DifferByBlock) {
    CaseCopy copy("d03-two-hydro-cascade");
    with_two_blocks(copy);
    copy.write(hydro_costs,
               {ints("hydro_id", {0, 0}),
                ints("stage_id", {0, 0}),
                optional_ints("block_id", {1, {}}),
                optional_reals("spillage_cost", {3, 2}),
                optional_reals("turbined_cost", {{}, 5})});
    copy.write("constraints/penalty_overrides_bus.parquet",
               {ints("bus_id", {0}),
                ints("stage_id", {0}),
                optional_ints("block_id", {1}),
                reals("excess_cost", {9})});

    const sddp::System system = copy.read().study.system;

    EXPECT_THAT(copy.errors(), IsEmpty());
    const sddp::Hydro& plant = system.hydros[0];
    EXPECT_EQ(plant.costs_in(0, -1).spillage, 2);
    EXPECT_EQ(plant.costs_in(0, 0).spillage, 2);
    EXPECT_EQ(plant.costs_in(0, 1).spillage, 3);
    EXPECT_EQ(plant.costs_in(0, 1).turbined, 5);
    EXPECT_EQ(plant.costs_in(1, 0).spillage, plant.costs[1].spillage);
    EXPECT_NE(system.buses[0].excess_cost(0, 0), 9);
    EXPECT_EQ(system.buses[0].excess_cost(0, 1), 9);
}

TEST(CaseCostsTest, AreOfAWholeStageWhereBlocksHaveNoRow) {
    CaseCopy copy("d03-two-hydro-cascade");
    with_two_blocks(copy);
    copy.write(hydro_costs,
               {ints("hydro_id", {0}),
                ints("stage_id", {0}),
                optional_ints("block_id", {1}),
                reals("evaporation_violation_cost", {3}),
                reals("inflow_nonnegativity_cost", {4})});
    const std::string row =
        "[BusinessRuleViolation] constraints/penalty_overrides_hydro.parquet (row 1): ";
    const std::string why = " holds for a whole stage: block_id must be null";
    EXPECT_THAT(copy.errors(),
                ElementsAre(row + "inflow_nonnegativity_cost" + why,
                            row + "evaporation_violation_cost" + why));

    copy.set("stages.json", "stages.0.block_mode", "chronological");
    EXPECT_THAT(copy.errors(), ElementsAre(row + "inflow_nonnegativity_cost" + why));
}

TEST(CaseStageTest, FindsTheSeasonOfAStageThatNamesNone) {
    CaseCopy copy("d26-estimated-par2");
    const sddp::Calendar given = copy.read().study.calendar;
    for (std::size_t t = 0; t < given.stages.size(); ++t) {
        copy.erase("stages.json", "stages." + std::to_string(t), "season_id");
    }

    const sddp::Calendar found = copy.read().study.calendar;

    for (std::size_t t = 0; t < given.stages.size(); ++t) {
        EXPECT_EQ(found.stages[t].season, given.stages[t].season) << t;
    }
}

TEST(CaseStageTest, WarnsOfHoursThatAreNotThoseOfTheDates) {
    CaseCopy copy("d02-single-hydro");
    EXPECT_THAT(copy.warnings(), Not(Contains(HasSubstr("hours")))) << "730 hours in a month";
    copy.set("stages.json", "stages.0.blocks.0.hours", 7300.0);

    EXPECT_THAT(copy.warnings(),
                Contains("[ModelQuality] stages.json:7 (stage 0): its blocks have 7300 hours, its "
                         "dates 744: energies and volumes follow the blocks"));
}

TEST(CaseScenarioTest, WarnsOfYearsOfZerosInARecord) {
    CaseCopy copy("d26-estimated-par2");
    const auto record = [&](int zero_years) {
        std::vector<std::int32_t> hydros;
        std::vector<Date> starts;
        std::vector<Date> ends;
        std::vector<double> values;
        for (int month = 0; month < 40 * 12; ++month) {
            const auto start =
                std::chrono::year(1980) / std::chrono::January + std::chrono::months(month);
            hydros.push_back(0);
            starts.push_back(std::chrono::sys_days(start / 1));
            ends.push_back(std::chrono::sys_days((start + std::chrono::months(1)) / 1));
            values.push_back(month < zero_years * 12 ? 0 : 50 + month % 7);
        }
        copy.write("scenarios/inflow_history.parquet",
                   {ints("hydro_id", hydros),
                    io::Column{"start_date", starts, false, {}},
                    io::Column{"end_date", ends, false, {}},
                    reals("value_m3s", values)});
        return copy.warnings();
    };

    EXPECT_THAT(record(5),
                Contains("[ModelQuality] scenarios/inflow_history.parquet (hydro 0): every value "
                         "from 1980-01-01 to 1985-01-01 is 0: a gap filled with zeros pulls the "
                         "estimates down; leave missing windows out"));
    EXPECT_THAT(record(4), Not(Contains(HasSubstr("is 0"))));
    EXPECT_THAT(record(40), Not(Contains(HasSubstr("is 0")))) << "a plant without any inflow";
}

TEST(CaseHydroTest, ClipsInitialStorageWithAWarning) {
    CaseCopy copy("d23-bidirectional-withdrawal");
    copy.set("system/hydros.json", "hydros.0.reservoir.max_storage_hm3", 100.0);
    copy.write("constraints/hydro_bounds.parquet",
               {ints("hydro_id", {0}), ints("stage_id", {0}), reals("max_storage_hm3", {60})});
    copy.set("initial_conditions.json", "storage.0.value_hm3", 61.0);

    EXPECT_THAT(
        copy.warnings(),
        ElementsAre("[ModelQuality] initial_conditions.json (hydro 0): initial storage 61 is "
                    "outside the limits [0, 60] of the first stage: 60 is used"));
    EXPECT_EQ(copy.read().study.system.hydros[0].initial_storage_hm3, 60);
}

TEST(CaseHydroTest, RefusesAnInitialStorageOutsideTheReservoir) {
    CaseCopy copy("d23-bidirectional-withdrawal");
    copy.set("system/hydros.json", "hydros.0.reservoir.max_storage_hm3", 60.0);
    copy.set("initial_conditions.json", "storage.0.value_hm3", 61.0);

    EXPECT_THAT(
        copy.errors(),
        ElementsAre(AllOf(HasSubstr("[InvalidValue] initial_conditions.json (hydro 0): initial "
                                    "storage 61 hm³ is outside the reservoir's [0, 60]"),
                          HasSubstr("max_storage_hm3 in system/hydros.json"))));
}

TEST(CaseHydroTest, MayLowerButNotRaiseWhatMachinesCanDo) {
    CaseCopy copy("d02-single-hydro");
    copy.write("constraints/hydro_bounds.parquet",
               {ints("hydro_id", {0, 0}),
                ints("stage_id", {0, 1}),
                optional_reals("max_turbined_m3s", {40, 60})});

    const Case read = copy.read();

    EXPECT_EQ(read.study.system.hydros[0].max_turbined_m3s(0, 0), 40);
    EXPECT_THAT(copy.errors(),
                ElementsAre("[BusinessRuleViolation] constraints/hydro_bounds.parquet (row 2): "
                            "max_turbined_m3s 60 is above the declared 50"));
}

TEST(CaseHydroTest, OverridesUnitGroups) {
    CaseCopy copy("d22-per-block-min-outflow");
    copy.write("constraints/hydro_unit_group_bounds.parquet",
               {ints("hydro_id", {0, 0}),
                ints("hydro_unit_group_id", {0, 5}),
                ints("stage_id", {1, 1}),
                optional_ints("block_id", {2, {}}),
                optional_reals("min_turbined_m3s", {3, 3})});

    const Case read = copy.read();

    EXPECT_EQ(read.study.system.hydros[0].groups[0].min_turbined_m3s(1, 2), 3);
    EXPECT_EQ(read.study.system.hydros[0].groups[0].min_turbined_m3s(1, 1), 0);
    EXPECT_THAT(
        copy.errors(),
        ElementsAre("[InvalidReference] constraints/hydro_unit_group_bounds.parquet (row 2): "
                    "unit group 5 of hydro 0 does not exist"));
}

TEST(CaseHydroTest, RefusesTwoSourcesOfProductivity) {
    CaseCopy copy("d02-single-hydro");
    copy.write("system/hydro_energy_productivity.parquet",
               {ints("hydro_id", {0}),
                optional_ints("stage_id", {1}),
                optional_reals("equivalent_productivity_mw_per_m3s", {1.5})});

    EXPECT_THAT(
        copy.errors(),
        ElementsAre("[BusinessRuleViolation] system/hydros.json:3 (hydro 0): stage 1: "
                    "productivity is given both in system/hydro_production_models.json and in "
                    "system/hydro_energy_productivity.parquet"));
}

TEST(CaseHydroTest, LetsPlanesOfAStageBeatPlanesOfAllStages) {
    CaseCopy copy("d06-fpha-variable-head");
    copy.write("system/fpha_hyperplanes.parquet",
               {ints("hydro_id", {0, 0}),
                optional_ints("stage_id", {{}, 1}),
                ints("plane_id", {0, 0}),
                reals("gamma_0", {2, 3}),
                reals("gamma_v", {0, 0}),
                reals("gamma_q", {1, 1}),
                reals("gamma_s", {0, -0.1}),
                optional_reals("kappa", {0.5, {}})});

    const Case read = copy.read();

    EXPECT_THAT(copy.errors(), IsEmpty());
    EXPECT_EQ(read.study.system.hydros[0].planes[0].at(0).intercept, 1);
    EXPECT_EQ(read.study.system.hydros[0].planes[1].at(0).intercept, 3);
    EXPECT_EQ(read.study.system.hydros[0].planes[1].at(0).spilled, -0.1);
}

TEST(CaseHydroTest, DerivesTheEquivalentProductivityFromTheHead) {
    CaseCopy copy("d06-fpha-variable-head");
    std::filesystem::remove(copy.path() / "system/hydro_energy_productivity.parquet");
    copy.write("system/hydro_geometry.parquet",
               {ints("hydro_id", {0, 0}),
                reals("volume_hm3", {0, 200}),
                reals("height_m", {100, 200}),
                reals("area_km2", {0, 0})});
    copy.set("system/hydros.json", "hydros.0.specific_productivity_mw_per_m3s_per_m", 0.01);
    copy.set("system/hydros.json",
             "hydros.0.tailrace",
             io::parse_json(R"({"type": "polynomial", "coefficients": [60, 0.1]})", "test"));

    // volume 0.65·200 = 130, level 165; tailrace at 50 m³/s: 65; head 100
    EXPECT_THAT(copy.read().study.system.hydros[0].equivalent_productivity, ElementsAre(1, 1));
    EXPECT_THAT(copy.errors(), IsEmpty());
}

TEST(CaseHydroTest, SwitchesEvaporationOffWithoutAreas) {
    CaseCopy copy("d08-evaporation");
    copy.write("system/hydro_geometry.parquet",
               {ints("hydro_id", {0, 0}),
                reals("volume_hm3", {0, 200}),
                reals("height_m", {1, 2}),
                reals("area_km2", {0, 0})});

    EXPECT_THAT(copy.warnings(),
                Contains("[ModelQuality] system/hydros.json:3 (hydro 0): all areas in "
                         "system/hydro_geometry.parquet are 0: evaporation is "
                         "switched off"));
    EXPECT_FALSE(copy.read().study.system.hydros[0].evaporation[0]);
}

TEST(CaseScenarioTest, NeedsStatisticsOfEveryStage) {
    CaseCopy copy("d02-single-hydro");
    copy.write(
        "scenarios/load_seasonal_stats.parquet",
        {ints("bus_id", {0}), ints("stage_id", {0}), reals("mean_mw", {80}), reals("std_mw", {0})});
    copy.write("scenarios/inflow_seasonal_stats.parquet",
               {ints("hydro_id", {0}),
                ints("stage_id", {1}),
                reals("mean_m3s", {5}),
                reals("std_m3s", {0})});

    EXPECT_THAT(
        copy.errors(),
        ElementsAre("[DimensionMismatch] scenarios/load_seasonal_stats.parquet (bus 0): no row "
                    "for stage 1",
                    "[DimensionMismatch] scenarios/inflow_seasonal_stats.parquet (hydro 0): no "
                    "row for stage 0"));
}

TEST(CaseScenarioTest, ATableWithoutRowsIsAsGoodAsNone) {
    CaseCopy copy("d16-par1-lag-shift");
    copy.write(
        "scenarios/inflow_ar_coefficients.parquet",
        {ints("hydro_id", {}), ints("stage_id", {}), ints("lag", {}), reals("coefficient", {})});
    copy.write(
        "scenarios/load_seasonal_stats.parquet",
        {ints("bus_id", {}), ints("stage_id", {}), reals("mean_mw", {}), reals("std_mw", {})});

    EXPECT_THAT(copy.errors(), IsEmpty());
    EXPECT_FALSE(copy.read().study.process.coefficients.has_value());
}

TEST(CaseScenarioTest, RowsOutsideTheStudyAreLeftOutAndCounted) {
    CaseCopy copy("d16-par1-lag-shift");
    copy.write("constraints/thermal_bounds.parquet",
               {ints("thermal_id", {0, 0}),
                ints("stage_id", {70, 71}),
                optional_reals("max_generation_mw", {1, 1})});
    copy.write_text("scenarios/load_factors.json",
                    R"({"load_factors": [{"bus_id": 0, "stage_id": 99,
                        "block_factors": [{"block_id": 0, "factor": 2}]}]})");

    EXPECT_THAT(copy.errors(), IsEmpty());
    EXPECT_THAT(
        copy.warnings(),
        testing::IsSupersetOf(
            {std::string("[UnusedEntity] constraints/thermal_bounds.parquet (stage 70): 2 rows "
                         "about stages outside the study left out; this is the first"),
             std::string("[UnusedEntity] scenarios/load_factors.json (stage 99): 1 row about "
                         "stages outside the study left out; this is the first")}));
}

TEST(CaseScenarioTest, FindsGapsInLagsAndOrphans) {
    CaseCopy copy("d16-par1-lag-shift");
    copy.write("scenarios/inflow_ar_coefficients.parquet",
               {ints("hydro_id", {0, 0}),
                ints("stage_id", {0, -7}),
                ints("lag", {2, 1}),
                reals("coefficient", {0.5, 0.5})});

    EXPECT_THAT(
        copy.errors(),
        ElementsAre("[InvalidReference] scenarios/inflow_ar_coefficients.parquet (row 2): "
                    "hydro 0, stage -7 has no row in scenarios/inflow_seasonal_stats.parquet",
                    "[InvalidValue] scenarios/inflow_ar_coefficients.parquet (row 1): lag 2 of "
                    "hydro 0, stage 0 has no row for lag 1"));
}

TEST(CaseScenarioTest, ChecksCorrelationMatrices) {
    CaseCopy copy("d19-multi-hydro-par");
    const auto correlate = [&](const std::string& matrix) {
        copy.write_text("scenarios/correlation.json",
                        R"({"method": "spectral", "profiles": {"default": {"correlation_groups": [{
                            "name": "all", "entities": [{"type": "inflow", "id": 0},
                            {"type": "inflow", "id": 1}], "matrix": )" +
                            matrix + "}]}}}");
        return copy.errors();
    };

    EXPECT_THAT(correlate("[[1, 0.5], [0.5, 1]]"), IsEmpty());
    EXPECT_THAT(copy.read().study.process.correlation->profiles.at(0).groups.at(0).matrix,
                ElementsAre(1, 0.5, 0.5, 1));
    const std::string place = " scenarios/correlation.json:1 (profile default, group all): ";
    EXPECT_THAT(correlate("[[1, 0.5]]"),
                ElementsAre("[DimensionMismatch]" + place +
                            "matrix must be 2 x 2, one row and column for each entity"));
    EXPECT_THAT(correlate("[[1, 0.5], [0.4, 1]]"),
                ElementsAre("[InvalidValue]" + place +
                            "matrix is not symmetric: entry (1, 0) is 0.4, entry (0, 1) is 0.5"));
    EXPECT_THAT(
        correlate("[[1, 0.5], [0.5, 0.9]]"),
        ElementsAre("[InvalidValue]" + place + "diagonal entry 1 of matrix is 0.9: must be 1"));
    EXPECT_THAT(correlate("[[1, 2], [2, 1]]"), SizeIs(2));
}

TEST(CaseScenarioTest, NeedsACompleteOpeningTree) {
    CaseCopy copy("d02-single-hydro");
    const auto openings = [&](std::vector<std::int32_t> stages,
                              std::vector<std::uint32_t> indices,
                              std::vector<double> values) {
        copy.write("scenarios/noise_openings.parquet",
                   {ints("stage_id", std::move(stages)),
                    {"opening_index", std::move(indices), false, {}},
                    {"entity_index", std::vector<std::uint32_t>(values.size(), 0), false, {}},
                    reals("value", values)});
        return copy.errors({{"training.scenario_source.openings.source", "file"}});
    };

    EXPECT_THAT(openings({0, 1}, {0, 0}, {0.5, -0.5}), IsEmpty());
    EXPECT_THAT(
        openings({0}, {0}, {0.5}),
        ElementsAre("[DimensionMismatch] scenarios/noise_openings.parquet (stage 1): 1 of 1 "
                    "values are missing (1 openings of 1 entities)"));
    EXPECT_THAT(
        openings({0, 1, 1, 0}, {0, 0, 3, 0}, {0, 0, 0, 0}),
        ElementsAre("[DimensionMismatch] scenarios/noise_openings.parquet (row 3): opening 3, "
                    "entity 0: stage 1 has 1 openings of 1 entities, numbered from 0",
                    "[DuplicateId] scenarios/noise_openings.parquet (row 4): the same opening "
                    "and entity has another row"));
}

TEST(CaseScenarioTest, NeedsTheFileOfOpenings) {
    CaseCopy copy("d02-single-hydro");

    EXPECT_THAT(
        copy.errors({{"training.scenario_source.openings.source", "file"}}),
        ElementsAre("[FileNotFound] scenarios/noise_openings.parquet: required file is missing"));
}

}  // namespace
}  // namespace lockstep::formats::cobre::test
