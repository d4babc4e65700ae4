#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "case_fixture.hpp"

namespace lockstep::formats::cobre::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

sddp::Thermal read_plant(CaseCopy& copy) {
    const sddp::Thermal thermal = copy.read().study.system.thermals.at(1);
    EXPECT_THAT(copy.errors(), IsEmpty());
    return thermal;
}

TEST(DeliveryTest, IsDecidedSomeStagesBefore) {
    CaseCopy copy("anticipated-2");

    const sddp::Thermal thermal = read_plant(copy);

    EXPECT_EQ(thermal.commitments, 2);
    ASSERT_EQ(thermal.deliveries.size(), 5U);
    EXPECT_EQ(thermal.deliveries[1].decided_in, -1);
    EXPECT_EQ(thermal.deliveries[1].committed_mw, 35);
    EXPECT_EQ(thermal.deliveries[4].decided_in, 2);
    EXPECT_EQ(thermal.deliveries[4].max_mw, 90);
    EXPECT_EQ(thermal.deliveries[4].cost_per_mw, 100 * 744);
    EXPECT_TRUE(thermal.decided_in(3).empty());
}

// As the description of the case says: 2 in 0, 3 in 2, 4 in 3.
TEST(DeliveryTest, IsDecidedSomeHoursBeforeItsEnd) {
    CaseCopy copy("anticipated-hours");

    const sddp::Thermal thermal = read_plant(copy);

    ASSERT_EQ(thermal.deliveries.size(), 5U);
    EXPECT_EQ(thermal.deliveries[0].decided_in, -1);
    EXPECT_EQ(thermal.deliveries[1].decided_in, -1);
    EXPECT_EQ(thermal.deliveries[2].decided_in, 0);
    EXPECT_EQ(thermal.deliveries[3].decided_in, 2);
    EXPECT_EQ(thermal.deliveries[4].decided_in, 3);
    EXPECT_TRUE(thermal.decided_in(1).empty());
}

TEST(DeliveryTest, GoesOnAfterTheStudy) {
    CaseCopy copy("anticipated");
    copy.write_text("post_study_stages.json",
                    R"({"stages": [{"start_date": "2024-05-01", "duration_hours": 744}],
                        "thermal_bounds": [{"thermal_id": 1, "post_study_stage_index": 0,
                                            "cost_per_mwh": 70, "min_mw": 4, "max_mw": 50}]})");

    const sddp::Thermal thermal = read_plant(copy);

    ASSERT_EQ(thermal.deliveries.size(), 5U);
    EXPECT_EQ(thermal.deliveries[4].stage, 4);
    EXPECT_EQ(thermal.deliveries[4].decided_in, 3);
    EXPECT_EQ(thermal.deliveries[4].min_mw, 4);
    EXPECT_EQ(thermal.deliveries[4].cost_per_mw, 70 * 744);
}

constexpr const char* three_months = R"({
    "stages": [{"start_date": "2024-05-01", "duration_hours": 744},
               {"start_date": "2024-06-01", "duration_hours": 240},
               {"start_date": "2024-06-11", "duration_hours": 240}],
    "thermal_bounds": [
        {"thermal_id": 1, "post_study_stage_index": 0, "cost_per_mwh": 70, "min_mw": 0, "max_mw": 90},
        {"thermal_id": 1, "post_study_stage_index": 1, "cost_per_mwh": 70, "min_mw": 0, "max_mw": 90},
        {"thermal_id": 1, "post_study_stage_index": 2, "cost_per_mwh": 70, "min_mw": 0, "max_mw": 90}
    ]})";

// The study has January to April; what ends on the 11th and the 21st of June is decided in April.
TEST(DeliveryTest, IsDecidedWithOthersInOneStage) {
    CaseCopy copy("anticipated");
    copy.write_text("post_study_stages.json", three_months);
    copy.set("system/thermals.json",
             "thermals.1.anticipated_config",
             io::parse_json(R"({"lead_time_hours": 1450})", "t"));
    copy.set("initial_conditions.json", "past_anticipated_commitments.0.end_date", "2024-03-01");

    const sddp::Thermal thermal = read_plant(copy);

    const auto april = thermal.decided_in(3);
    ASSERT_EQ(april.size(), 3U);
    EXPECT_EQ(april[0].stage, 4);
    EXPECT_EQ(april[2].stage, 6);
    EXPECT_EQ(april[2].cost_per_mw, 70 * 240);
    EXPECT_EQ(thermal.commitments, 3);
}

TEST(DeliveryTest, AfterTheStudyMayBeDecidedBeforeIt) {
    CaseCopy copy("anticipated");
    copy.write_text("post_study_stages.json", three_months);
    copy.set("system/thermals.json", "thermals.1.anticipated_config.lead_stages", 5);
    copy.set("initial_conditions.json", "past_anticipated_commitments.0.end_date", "2024-06-01");

    const sddp::Thermal thermal = read_plant(copy);

    const auto before = thermal.decided_in(-1);
    ASSERT_EQ(before.size(), 5U);
    EXPECT_EQ(before[4].stage, 4);
    EXPECT_GT(before[4].committed_mw, 0);
    EXPECT_EQ(thermal.decided_in(0)[0].stage, 5);
    EXPECT_EQ(thermal.commitments, 5);
}

TEST(DeliveryTest, NeedsLimitsAfterTheStudy) {
    CaseCopy copy("anticipated");
    copy.write_text("post_study_stages.json",
                    R"({"stages": [{"start_date": "2024-05-01", "duration_hours": 744}],
                        "thermal_bounds": []})");
    EXPECT_THAT(copy.errors(),
                ElementsAre("[BusinessRuleViolation] post_study_stages.json (thermal 1): "
                            "thermal_bounds has no entry for stage 0, whose generation is decided "
                            "before"));
}

TEST(DeliveryTest, NeedsWhatWasDecidedBeforeTheStudy) {
    CaseCopy copy("anticipated");
    copy.set("initial_conditions.json", "past_anticipated_commitments.0.end_date", "2024-01-21");
    EXPECT_THAT(copy.errors(),
                ElementsAre("[BusinessRuleViolation] initial_conditions.json (thermal 1): "
                            "past_anticipated_commitments covers 20 of the 31 days of stage 0, "
                            "whose generation was decided before the study"));

    CaseCopy large("anticipated");
    large.set("initial_conditions.json", "past_anticipated_commitments.0.value_mw", 91.0);
    EXPECT_THAT(large.errors(),
                ElementsAre("[InvalidValue] initial_conditions.json (thermal 1): 91 MW committed "
                            "for stage 0, outside the limits [0, 90]"));
}

TEST(DeliveryTest, TakesOneLeadOnly) {
    CaseCopy copy("anticipated");
    copy.set("system/thermals.json", "thermals.1.anticipated_config.lead_time_hours", 100.0);

    const auto errors = copy.errors();
    ASSERT_FALSE(errors.empty());
    EXPECT_EQ(errors.front(),
              "[InvalidValue] system/thermals.json:14 (thermal 1): anticipated_config needs "
              "lead_stages or lead_time_hours, and not both");
}

}  // namespace
}  // namespace lockstep::formats::cobre::test
