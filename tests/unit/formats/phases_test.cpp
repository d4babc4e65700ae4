#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "case_fixture.hpp"

namespace lockstep::formats::cobre::test {
namespace {

using sddp::HydroPhase;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* hydros_file = "system/hydros.json";

std::vector<double> list(const sddp::ByStage& values) {
    return {values.begin(), values.end()};
}

/// The plant of cases/sddp/filling that is filled in stages 1 to 3 and operates from stage 4 on.
class FillingTest : public testing::Test {
protected:
    sddp::Hydro read() {
        const sddp::Hydro hydro = copy_.read().study.system.hydros.at(1);
        EXPECT_THAT(copy_.errors(), IsEmpty());
        return hydro;
    }
    CaseCopy copy_{"filling"};
};

TEST_F(FillingTest, GoesThroughThePhases) {
    const sddp::Hydro hydro = read();

    EXPECT_THAT(hydro.phases,
                ElementsAre(HydroPhase::not_built,
                            HydroPhase::filling,
                            HydroPhase::filling,
                            HydroPhase::filling,
                            HydroPhase::operating,
                            HydroPhase::operating));
    EXPECT_EQ(hydro.max_spillage_m3s(0, 0), 0);
    EXPECT_GT(hydro.max_spillage_m3s(1, 0), 1e9);
    EXPECT_EQ(hydro.max_turbined_m3s(3, 0), 0);
    EXPECT_EQ(hydro.max_turbined_m3s(4, 0), 60);
    EXPECT_EQ(hydro.groups[0].max_generation_mw(3, 0), 0);
    EXPECT_EQ(hydro.initial_storage_hm3, 0);
}

// By hand: 12 m³/s are 31.104 hm³ in the 720 h of stage 3 and 32.1408 hm³ in the 744 h of stage 2.
TEST_F(FillingTest, SetsTargetsThatTheLeastFlowReaches) {
    const sddp::Hydro hydro = read();

    EXPECT_THAT(
        list(hydro.storage_target_hm3),
        ElementsAre(
            0, DoubleNear(90 - 31.104 - 32.1408, 1e-9), DoubleNear(90 - 31.104, 1e-9), 90, 90, 90));
    EXPECT_THAT(list(hydro.min_storage_hm3), ElementsAre(0, 0, 0, 0, 0, 0));
    EXPECT_EQ(hydro.costs[0].filling_below, 10'000);
    EXPECT_EQ(hydro.costs[0].storage_below, 10'000);
}

TEST_F(FillingTest, TakesTheLeastFlowOfAStage) {
    copy_.write(
        "constraints/hydro_bounds.parquet",
        {ints("hydro_id", {1}), ints("stage_id", {3}), reals("filling_min_rate_m3s", {20})});

    EXPECT_THAT(read().storage_target_hm3[2], DoubleNear(90 - 0.0036 * 720 * 20, 1e-9));
}

TEST_F(FillingTest, TellsAScheduleThatIsTooSlow) {
    copy_.set(hydros_file, "hydros.1.filling.filling_min_rate_m3s", 5.0);

    EXPECT_THAT(copy_.errors(),
                ElementsAre("[BusinessRuleViolation] system/hydros.json:35 (hydro 1): "
                            "filling_min_rate_m3s brings the storage to 38.88 hm³ only, below the "
                            "dead volume of 90 hm³, by the time that the plant operates"));
}

TEST_F(FillingTest, NeedsAnEntryAndNoExit) {
    copy_.set(hydros_file, "hydros.1.exit_stage_id", 5);
    EXPECT_THAT(copy_.errors(),
                ElementsAre("[BusinessRuleViolation] system/hydros.json:35 (hydro 1): a plant with "
                            "filling needs entry_stage_id and has no exit_stage_id"));

    CaseCopy late("filling");
    late.set(hydros_file, "hydros.1.filling.start_stage_id", 4);
    EXPECT_THAT(
        late.errors(),
        ElementsAre("[InvalidValue] system/hydros.json:35 (hydro 1): filling.start_stage_id "
                    "4 must be before entry_stage_id 4"));
}

TEST(LifecycleTest, LetsWaterPassAPlantThatIsClosed) {
    CaseCopy copy("d03-two-hydro-cascade");
    copy.set(hydros_file, "hydros.1.exit_stage_id", 1);

    const sddp::Hydro hydro = copy.read().study.system.hydros.at(1);

    EXPECT_THAT(copy.errors(), IsEmpty());
    EXPECT_THAT(hydro.phases,
                ElementsAre(HydroPhase::operating, HydroPhase::not_built, HydroPhase::not_built));
    EXPECT_TRUE(hydro.storage_target_hm3.empty());
    EXPECT_EQ(hydro.max_turbined_m3s(1, 0), 0);
}

TEST(LifecycleTest, APumpingStationNeedsBothPlants) {
    CaseCopy copy("pumping-transfer");
    copy.set(hydros_file, "hydros.1.entry_stage_id", 1);

    EXPECT_THAT(copy.errors(),
                ElementsAre("[BusinessRuleViolation] system/pumping_stations.json (pumping station "
                            "0): it pumps in stage 0, in which hydro 1 does not operate"));
}

TEST(SoftStorageTest, MovesTheMinimumToTheTargets) {
    CaseCopy copy("d03-two-hydro-cascade");
    copy.set(hydros_file, "hydros.0.reservoir.min_storage_hm3", 30.0);
    copy.set(hydros_file, "hydros.0.reservoir.min_storage_is_soft", true);

    const sddp::Hydro hydro = copy.read().study.system.hydros.at(0);

    EXPECT_THAT(copy.errors(), IsEmpty());
    EXPECT_TRUE(hydro.phases.empty());
    EXPECT_THAT(list(hydro.storage_target_hm3), ElementsAre(30, 30, 30));
    EXPECT_THAT(list(hydro.min_storage_hm3), ElementsAre(0, 0, 0));
}

}  // namespace
}  // namespace lockstep::formats::cobre::test
