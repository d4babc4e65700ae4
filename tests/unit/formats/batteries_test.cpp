#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "case_fixture.hpp"
#include "formats/cobre/write/output_dictionaries.hpp"
#include "unit/formats/output_checks.hpp"

namespace lockstep::formats::cobre::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* battery_file = "system/batteries.json";
constexpr const char* bounds_file = "constraints/battery_bounds.parquet";
constexpr const char* text = R"({"batteries": [{"id": 3, "name": "Store", "bus_id": 0,
    "operational_start_date": "2000-01-01", "entry_stage_id": 1,
    "charge": {"max_mw": 40, "efficiency": 0.9}, "discharge": {"max_mw": 50},
    "energy": {"min_mwh": 10, "max_mwh": 200, "initial_mwh": 60}}]})";

TEST(BatteryTest, IsRead) {
    CaseCopy copy("d03-two-hydro-cascade");
    copy.write_text(battery_file, text);

    const auto system = copy.read().study.system;

    EXPECT_THAT(copy.errors(), IsEmpty());
    ASSERT_EQ(system.batteries.size(), 1U);
    const sddp::Battery& battery = system.batteries[0];
    EXPECT_EQ(battery.charge_efficiency, 0.9);
    EXPECT_EQ(battery.discharge_efficiency, 1);
    EXPECT_EQ(battery.max_charge_mw(0, 0), 0);  // it enters at stage 1
    EXPECT_EQ(battery.max_charge_mw(1, 0), 40);
    EXPECT_EQ(battery.max_discharge_mw(1, 0), 50);
    EXPECT_THAT(battery.min_energy_mwh, testing::Each(10));
    EXPECT_EQ(battery.initial_energy_mwh, 60);
}

TEST(BatteryTest, HasItsLimitsInTheDictionaryOfBounds) {
    CaseCopy copy("d03-two-hydro-cascade");
    copy.write_text(battery_file, text);
    auto study = copy.read().study;
    sddp::Problem problem;
    problem.calendar = std::move(study.calendar);
    problem.system = std::move(study.system);

    std::map<out::BoundCode, double> found;
    for (const auto& row : out::bound_rows(problem)) {
        if (row.entity == out::EntityCode::battery && row.stage_id == 1) {
            EXPECT_EQ(row.id, 3);
            found[row.bound] = row.value;
        }
    }

    using enum out::BoundCode;
    EXPECT_THAT(found,
                ElementsAre(testing::Pair(energy_min, 10),
                            testing::Pair(energy_max, 200),
                            testing::Pair(charge_max, 40),
                            testing::Pair(discharge_max, 50)));
}

TEST(BatteryTest, HasLimitsByStageAndBlock) {
    CaseCopy copy("d03-two-hydro-cascade");
    copy.write_text(battery_file, text);
    copy.write(bounds_file,
               {ints("battery_id", {3, 3}),
                ints("stage_id", {1, 1}),
                optional_ints("block_id", {0, std::nullopt}),
                reals("max_charge_mw", {30, 20}),
                optional_reals("min_energy_mwh", {std::nullopt, 15}),
                optional_reals("max_energy_mwh", {std::nullopt, 150})});

    const auto system = copy.read().study.system;

    EXPECT_THAT(copy.errors(), IsEmpty());
    const sddp::Battery& battery = system.batteries.at(0);
    EXPECT_EQ(battery.max_charge_mw(1, 0), 30);
    EXPECT_EQ(battery.max_discharge_mw(1, 0), 50);
    EXPECT_EQ(battery.min_energy_mwh[0], 10);
    EXPECT_EQ(battery.min_energy_mwh[1], 15);
    EXPECT_EQ(battery.max_energy_mwh[1], 150);
}

TEST(BatteryTest, TellsMistakesOfLimits) {
    CaseCopy copy("d03-two-hydro-cascade");
    copy.write_text(battery_file, text);
    copy.write(bounds_file,
               {ints("battery_id", {3, 3}),
                ints("stage_id", {0, 1}),
                optional_ints("block_id", {std::nullopt, 0}),
                reals("min_energy_mwh", {300, 15})});
    EXPECT_THAT(copy.errors(),
                ElementsAre("[BusinessRuleViolation] constraints/battery_bounds.parquet (row 2): "
                            "min_energy_mwh holds for a whole stage: block_id must be null",
                            "[BusinessRuleViolation] constraints/battery_bounds.parquet (battery "
                            "3): min_energy_mwh > max_energy_mwh in stage 0: 300 > 200"));
}

TEST(BatteryTest, IsAVariableOfConstraints) {
    CaseCopy copy("d03-two-hydro-cascade");
    copy.write_text(battery_file, text);
    copy.write_text("constraints/generic_constraints.json", R"({"constraints": [
        {"id": 0, "name": "reserve", "slack": {"enabled": true, "penalty": 5},
         "expression": "battery_energy_final(3) - battery_energy_initial(3) >= 2"},
        {"id": 1, "name": "ramp", "slack": {"enabled": true, "penalty": 5},
         "expression": "battery_charge(3) + 2 * battery_discharge(3) <= 9"}]})");
    copy.write("constraints/generic_constraint_bounds.parquet",
               {ints("constraint_id", {0, 1}), ints("stage_id", {1, 1})});

    const auto constraints = copy.read().study.system.constraints;

    EXPECT_THAT(copy.errors(), IsEmpty());
    ASSERT_EQ(constraints.size(), 2U);
    const auto& reserve = constraints[0].rows.at(0);
    EXPECT_EQ(reserve.block, -1);  // an energy is one of the stage
    EXPECT_EQ(reserve.lower, 2);
    EXPECT_EQ(reserve.terms.at(0).quantity, sddp::Quantity::battery_energy_initial);
    EXPECT_EQ(reserve.terms.at(0).coefficient, -1);
    const auto& ramp = constraints[1].rows.at(0);
    EXPECT_EQ(ramp.block, 0);
    EXPECT_EQ(ramp.terms.at(1).quantity, sddp::Quantity::battery_discharge);
    EXPECT_EQ(ramp.terms.at(1).coefficient, 2);
}

TEST(BatteryTest, TellsMistakes) {
    CaseCopy copy("d03-two-hydro-cascade");
    copy.write_text(battery_file, text);
    copy.set(battery_file, "batteries.0.energy.initial_mwh", 5.0);
    EXPECT_THAT(copy.errors(),
                ElementsAre("[InvalidValue] system/batteries.json:3 (battery 3): initial_mwh 5 is "
                            "outside the limits [10, 200]"));

    copy.write_text(battery_file, text);
    copy.set(battery_file, "batteries.0.bus_id", 8);
    EXPECT_THAT(copy.errors(),
                ElementsAre("[InvalidReference] system/batteries.json:3 (battery 3): bus 8 does "
                            "not exist"));

    copy.write_text(battery_file, text);
    copy.set(battery_file, "batteries.0.charge.efficiency", 0.0);
    EXPECT_THAT(copy.errors(), ElementsAre(testing::HasSubstr("efficiency")));
}

// Of 3 MW charged at 0.5 and 2 MW discharged at 0.8, blocks of 50 h and 150 h.
TEST(BatteryTest, TellsTheEnergyOfBlocksThatFollowEachOther) {
    const Folder folder;
    sddp::Problem problem = test::problem();
    problem.calendar.stages[1].is_chronological = true;
    sddp::Battery& battery = problem.system.batteries.emplace_back();
    battery.id = 3;
    battery.charge_efficiency = 0.5;
    battery.discharge_efficiency = 0.8;
    battery.max_charge_mw = battery.max_discharge_mw = sddp::ByBlock(problem.calendar, 5);
    battery.min_energy_mwh = battery.max_energy_mwh = {0, 0};
    sddp::ScenarioResult scenario = scenario_result(problem, 0);
    sddp::StageResult& last = scenario.stages[1];
    last.periods = 2;
    last.hydro.storage_between_hm3 = {1, 2};
    for (auto* values : {&last.hydro.evaporation_m3s,
                         &last.hydro.evaporation_above_m3s,
                         &last.hydro.evaporation_below_m3s,
                         &last.hydro.water_value_per_hm3}) {
        values->assign(4, 0);
    }

    SimulationWriter(folder.path(), problem, {SimulationLayout::folders, 1}).add(scenario);

    const io::Table table =
        io::read_parquet(folder.path() / "simulation/batteries/scenario_id=0000/data.parquet");
    const double middle = 100 + 50 * (3 * 0.5 - 2 / 0.8);
    EXPECT_THAT(values<std::int32_t>(table, "battery_id"), ElementsAre(3, 3, 3));
    EXPECT_THAT(reals(table, "energy_initial_mwh"), ElementsAre(100, 100, middle));
    EXPECT_THAT(reals(table, "energy_final_mwh"), ElementsAre(150, middle, 150));
    const io::Table hydros =
        io::read_parquet(folder.path() / "simulation/hydros/scenario_id=0000/data.parquet");
    EXPECT_EQ(reals(hydros, "storage_final_hm3")[2], 1);
    EXPECT_EQ(reals(hydros, "storage_initial_hm3")[3], 1);
}

}  // namespace
}  // namespace lockstep::formats::cobre::test
