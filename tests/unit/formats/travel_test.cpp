#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "case_fixture.hpp"

namespace lockstep::formats::cobre::test {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* hydros_file = "system/hydros.json";

std::vector<sddp::Hydro> read_hydros(CaseCopy& copy) {
    auto hydros = copy.read().study.system.hydros;
    EXPECT_THAT(copy.errors(), IsEmpty());
    return hydros;
}

// Three stages of 730 h, of which the water takes two.
TEST(TravelTest, OfWholeStages) {
    CaseCopy copy("travel-time-arc");

    const auto hydros = read_hydros(copy);

    ASSERT_EQ(hydros[0].arrival_shares.size(), 3U);
    EXPECT_THAT(hydros[0].arrival_shares[0], ElementsAre(0, 0, 1));
    EXPECT_THAT(hydros[0].arrival_shares[1], ElementsAre(0));  // after the study
    EXPECT_TRUE(hydros[1].arrival_shares.empty());
    EXPECT_EQ(hydros[1].transit_periods(), 2);
    const double month = 0.0036 * 730 * 20;
    EXPECT_THAT(hydros[1].initial_transit_hm3,
                ElementsAre(DoubleNear(month, 1e-9), DoubleNear(month, 1e-9)));
}

TEST(TravelTest, OfPartOfAStage) {
    CaseCopy copy("travel-time-arc");
    copy.set(hydros_file, "hydros.0.travel_time_hours", 73.0);

    const auto hydros = read_hydros(copy);

    EXPECT_THAT(hydros[0].arrival_shares[1],
                ElementsAre(DoubleNear(0.9, 1e-12), DoubleNear(0.1, 1e-12)));
    EXPECT_THAT(hydros[1].initial_transit_hm3, ElementsAre(DoubleNear(0.0036 * 73 * 20, 1e-9)));
}

TEST(TravelTest, NeedsTheOutflowsBeforeTheStudy) {
    CaseCopy copy("travel-time-arc");
    copy.set("initial_conditions.json", "past_defluences.0.start_date", "2023-12-31");

    EXPECT_THAT(copy.errors(),
                ElementsAre("[BusinessRuleViolation] initial_conditions.json (hydro 0): "
                            "past_defluences covers 24 of the 1460 hours before the study whose "
                            "outflow is on its way"));
}

TEST(TravelTest, LeadsToPlantsInService) {
    CaseCopy copy("travel-time-arc");
    copy.set(hydros_file, "hydros.1.entry_stage_id", 1);

    EXPECT_THAT(copy.errors(),
                ElementsAre("[BusinessRuleViolation] system/hydros.json:4 (hydro 0): "
                            "travel_time_hours leads to hydro 1, which enters service in the "
                            "study"));
}

// [0, 300) comes in [73, 373), [300, 730) in [373, 803).
TEST(TravelTest, ReachesBlocksThatFollowEachOther) {
    CaseCopy copy("travel-time-arc");
    copy.set(hydros_file, "hydros.0.travel_time_hours", 73.0);
    copy.set("stages.json", "stages.0.block_mode", "chronological");
    copy.set("stages.json",
             "stages.0.blocks",
             io::parse_json(R"([{"id": 0, "name": "A", "hours": 300},
                                {"id": 1, "name": "B", "hours": 430}])",
                            "t"));

    const auto hydros = read_hydros(copy);

    ASSERT_EQ(hydros[0].arrival_shares.size(), 4U);
    EXPECT_THAT(hydros[0].arrival_shares[0],
                ElementsAre(DoubleNear(227.0 / 300, 1e-12), DoubleNear(73.0 / 300, 1e-12)));
    EXPECT_THAT(hydros[0].arrival_shares[1],
                ElementsAre(DoubleNear(357.0 / 430, 1e-12), DoubleNear(73.0 / 430, 1e-12)));
    EXPECT_THAT(hydros[1].initial_transit_hm3, ElementsAre(DoubleNear(0.0036 * 73 * 20, 1e-9)));
}

TEST(TravelTest, WarnsOfOutflowsThatAreNotOnTheirWay) {
    CaseCopy copy("travel-time-arc");
    copy.set("initial_conditions.json", "past_defluences.0.hydro_id", 1);
    copy.set(hydros_file, "hydros.0.travel_time_hours", 0.0);

    EXPECT_THAT(copy.errors(), IsEmpty());
    EXPECT_EQ(copy.problems().all().back().message,
              "past_defluences has no effect: the plant's outflow has no travel time");
}

}  // namespace
}  // namespace lockstep::formats::cobre::test
