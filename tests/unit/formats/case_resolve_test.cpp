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

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(CaseServiceTest, SwitchesEntitiesOffOutsideTheirLife) {
    CaseCopy copy("d03-two-hydro-cascade");
    copy.set("system/thermals.json", "thermals.0.entry_stage_id", 1);
    copy.set("system/thermals.json", "thermals.0.exit_stage_id", 2);

    const Case read = copy.read();

    EXPECT_THAT(copy.errors(), IsEmpty());
    const sddp::Thermal& thermal = read.system.thermals[0];
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
    EXPECT_THAT(read.system.sources[0].in_service, ElementsAre(0, 1));
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
    const auto& costs = read.system.hydros[0].costs;
    EXPECT_EQ(costs[0].evaporation_above, 7);
    EXPECT_EQ(costs[0].evaporation_below, 7);
    EXPECT_EQ(costs[0].withdrawal_above, 20);
    EXPECT_EQ(costs[0].withdrawal_below, 20);
    EXPECT_EQ(costs[1].withdrawal_above, 30);
    EXPECT_EQ(costs[1].withdrawal_below, 40);
}

TEST(CaseHydroTest, ClipsInitialStorageWithAWarning) {
    CaseCopy copy("d23-bidirectional-withdrawal");
    copy.set("system/hydros.json", "hydros.0.reservoir.max_storage_hm3", 60.0);
    copy.set("initial_conditions.json", "storage.0.value_hm3", 61.0);

    EXPECT_THAT(
        copy.warnings(),
        ElementsAre("[ModelQuality] initial_conditions.json (hydro 0): initial storage 61 is "
                    "outside the limits [0, 60] of the first stage: 60 is used"));
    EXPECT_EQ(copy.read().system.hydros[0].initial_storage_hm3, 60);
}

TEST(CaseHydroTest, MayLowerButNotRaiseWhatMachinesCanDo) {
    CaseCopy copy("d02-single-hydro");
    copy.write("constraints/hydro_bounds.parquet",
               {ints("hydro_id", {0, 0}),
                ints("stage_id", {0, 1}),
                optional_reals("max_turbined_m3s", {40, 60})});

    const Case read = copy.read();

    EXPECT_EQ(read.system.hydros[0].max_turbined_m3s(0, 0), 40);
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

    EXPECT_EQ(read.system.hydros[0].groups[0].min_turbined_m3s(1, 2), 3);
    EXPECT_EQ(read.system.hydros[0].groups[0].min_turbined_m3s(1, 1), 0);
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
    EXPECT_EQ(read.system.hydros[0].planes[0].at(0).intercept, 1);
    EXPECT_EQ(read.system.hydros[0].planes[1].at(0).intercept, 3);
    EXPECT_EQ(read.system.hydros[0].planes[1].at(0).spilled, -0.1);
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
    EXPECT_THAT(copy.read().system.hydros[0].equivalent_productivity, ElementsAre(1, 1));
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
    EXPECT_FALSE(copy.read().system.hydros[0].evaporation[0]);
}

TEST(CaseScenarioTest, NeedsStatisticsOfEveryStage) {
    CaseCopy copy("d02-single-hydro");
    copy.write(
        "scenarios/load_seasonal_stats.parquet",
        {ints("bus_id", {0}), ints("stage_id", {0}), reals("mean_mw", {80}), reals("std_mw", {0})});
    copy.write(
        "scenarios/inflow_seasonal_stats.parquet",
        {ints("hydro_id", {}), ints("stage_id", {}), reals("mean_m3s", {}), reals("std_m3s", {})});

    EXPECT_THAT(
        copy.errors(),
        ElementsAre("[DimensionMismatch] scenarios/load_seasonal_stats.parquet (bus 0): no row "
                    "for stage 1",
                    "[DimensionMismatch] scenarios/inflow_seasonal_stats.parquet (hydro 0): no "
                    "row for stage 0 and 1 more"));
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
                    "stage -7 does not exist",
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
    EXPECT_THAT(copy.read().process.correlation->profiles.at(0).groups.at(0).matrix,
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
