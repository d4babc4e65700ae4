#include <cstdint>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "case_fixture.hpp"
#include "unit/formats/output_checks.hpp"

namespace lockstep::formats::cobre::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* battery_file = "system/batteries.json";
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
    EXPECT_EQ(battery.min_energy_mwh, 10);
    EXPECT_EQ(battery.initial_energy_mwh, 60);
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
