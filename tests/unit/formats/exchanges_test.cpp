#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/formats/cobre/output.hpp"

#include "case_fixture.hpp"
#include "unit/formats/output_checks.hpp"

namespace lockstep::formats::cobre::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* contracts_file = "system/energy_contracts.json";
constexpr const char* stations_file = "system/pumping_stations.json";

TEST(ContractTest, BoundsOfABlockGoBeforeThoseOfTheStage) {
    CaseCopy copy("contracts");
    copy.set("stages.json",
             "stages.1.blocks",
             io::parse_json(R"([{"id": 0, "name": "A", "hours": 300},
                                {"id": 1, "name": "B", "hours": 396}])",
                            "t"));
    copy.write("constraints/contract_bounds.parquet",
               {ints("contract_id", {0, 0}),
                ints("stage_id", {1, 1}),
                optional_ints("block_id", {1, std::nullopt}),
                optional_reals("min_mw", {std::nullopt, 7}),
                optional_reals("max_mw", {9, 20}),
                optional_reals("price_per_mwh", {-3, 90})});

    const sddp::System system = copy.read().study.system;

    EXPECT_THAT(copy.errors(), IsEmpty());
    ASSERT_EQ(system.contracts.size(), 2U);
    const sddp::Contract& import = system.contracts[0];
    EXPECT_TRUE(import.is_import);
    EXPECT_FALSE(system.contracts[1].is_import);
    EXPECT_EQ(import.max_mw(0, 0), 0);  // it enters at stage 1
    EXPECT_EQ(import.min_mw(1, 0), 7);
    EXPECT_EQ(import.max_mw(1, 0), 20);
    EXPECT_EQ(import.price(1, 0), 90);
    EXPECT_EQ(import.min_mw(1, 1), 7);
    EXPECT_EQ(import.max_mw(1, 1), 9);
    EXPECT_EQ(import.price(1, 1), -3);
    EXPECT_EQ(import.price(2, 0), 80);
}

TEST(ContractTest, TellsMistakes) {
    CaseCopy copy("contracts");
    copy.set(contracts_file, "contracts.0.bus_id", 4);
    EXPECT_THAT(copy.errors(),
                ElementsAre("[InvalidReference] system/energy_contracts.json:3 (contract 0): bus "
                            "4 does not exist"));

    CaseCopy limits("contracts");
    limits.set(contracts_file, "contracts.0.limits.min_mw", 31.0);
    EXPECT_THAT(limits.errors(),
                ElementsAre("[InvalidValue] system/energy_contracts.json:3 (contract 0): min_mw > "
                            "max_mw: 31 > 30"));

    CaseCopy rows("contracts");
    rows.write("constraints/contract_bounds.parquet",
               {ints("contract_id", {1}), ints("stage_id", {2}), reals("min_mw", {25})});
    EXPECT_THAT(rows.errors(),
                ElementsAre("[InvalidValue] constraints/contract_bounds.parquet (contract 1): "
                            "min_mw > max_mw in stage 2, block 0: 25 > 20"));
}

TEST(PumpingTest, BoundsOfAStageReplaceTheDeclaredOnes) {
    CaseCopy copy("pumping-transfer");
    copy.write("constraints/pumping_bounds.parquet",
               {ints("pumping_station_id", {0}), ints("stage_id", {1}), reals("max_m3s", {12})});

    const sddp::PumpingStation station = copy.read().study.system.pumping_stations.at(0);

    EXPECT_THAT(copy.errors(), IsEmpty());
    EXPECT_EQ(station.source, 0);
    EXPECT_EQ(station.destination, 1);
    EXPECT_EQ(station.consumption_mw_per_m3s, 0.5);
    EXPECT_EQ(station.min_m3s(1, 0), 10);
    EXPECT_EQ(station.max_m3s(0, 0), 60);
    EXPECT_EQ(station.max_m3s(1, 0), 12);
}

TEST(PumpingTest, TellsMistakes) {
    CaseCopy same("pumping-transfer");
    same.set(stations_file, "pumping_stations.0.destination_hydro_id", 0);
    EXPECT_THAT(same.errors(),
                ElementsAre("[InvalidValue] system/pumping_stations.json:4 (pumping station 0): "
                            "source and destination are the same plant"));

    CaseCopy unknown("pumping-transfer");
    unknown.set(stations_file, "pumping_stations.0.source_hydro_id", 7);
    EXPECT_THAT(unknown.errors(),
                ElementsAre("[InvalidReference] system/pumping_stations.json:4 (pumping station "
                            "0): hydro 7 does not exist"));
}

TEST(ExchangeTablesTest, HaveARowABlock) {
    const Folder folder;
    const sddp::Problem problem = test::problem();

    SimulationWriter(folder.path(), problem, {SimulationLayout::folders, 1})
        .add(scenario_result(problem, 0));

    const auto table = [&](const std::string& name) {
        return io::read_parquet(folder.path() / "simulation" / name / "scenario_id=0000" /
                                "data.parquet");
    };
    const double hours = problem.calendar.stages[0].blocks[0].hours;
    const io::Table contracts = table("contracts");
    EXPECT_EQ(values<std::int32_t>(contracts, "contract_id")[0], 4);
    EXPECT_EQ(values<double>(contracts, "power_mw")[0], 7);
    EXPECT_EQ(values<double>(contracts, "energy_mwh")[0], 7 * hours);
    EXPECT_EQ(values<double>(contracts, "price_per_mwh")[0], -20);
    EXPECT_EQ(values<double>(contracts, "total_cost")[0], -140 * hours);
    const io::Table stations = table("pumping_stations");
    EXPECT_EQ(values<std::int32_t>(stations, "pumping_station_id")[0], 6);
    EXPECT_EQ(values<double>(stations, "pumped_flow_m3s")[0], 4);
    EXPECT_DOUBLE_EQ(values<double>(stations, "pumped_volume_hm3")[0], 0.0036 * 4 * hours);
    EXPECT_EQ(values<double>(stations, "power_consumption_mw")[0], 2);
    EXPECT_EQ(values<double>(stations, "energy_consumption_mwh")[0], 2 * hours);
}

}  // namespace
}  // namespace lockstep::formats::cobre::test
