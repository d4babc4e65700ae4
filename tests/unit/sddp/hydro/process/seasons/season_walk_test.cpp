#include "sddp/hydro/process/seasons/season_walk.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sddp/hydro/process/seasons/season_rings.hpp"
#include "unit/sddp/hydro/process/process_fixtures.hpp"

namespace lockstep::sddp {
namespace {

using ::testing::ElementsAre;

/// Twelve months and, with the ids 12 to 15, four quarters; February ends on the 28th.
Calendar months_and_quarters() {
    Calendar calendar = monthly_calendar(2024, 1, 6);
    calendar.cycle = SeasonCycle::custom;
    calendar.seasons[1].day_end = 28;
    for (int quarter = 0; quarter < 4; ++quarter) {
        const auto first = static_cast<unsigned>(3 * quarter + 1);
        calendar.seasons.push_back({12 + quarter, "", first, 1, first + 2, 31});
    }
    return calendar;
}

Calendar weeks_from(Date start, int stages) {
    Calendar calendar;
    calendar.cycle = SeasonCycle::weekly;
    for (int week = 0; week < 52; ++week) {
        calendar.seasons.push_back({week, "", 1, 1, 12, 31});
    }
    for (int t = 0; t < stages; ++t) {
        Stage stage;
        stage.id = t;
        stage.start = start + std::chrono::days(7 * t);
        stage.end = stage.start + std::chrono::days(7);
        stage.season = calendar.season_of(stage.start);
        calendar.stages.push_back(stage);
    }
    return calendar;
}

TEST(SeasonWalkTest, AWeekOfAMonthIsInTheMonthThatItsSeasonSays) {
    const Calendar calendar = monthly_calendar(2024, 1, 3);
    const SeasonWalk walk(calendar);

    EXPECT_EQ(walk.find(day(2024, 1, 29), day(2024, 2, 5), 0),
              (Occurrence{0, day(2024, 1), day(2024, 2)}));
    EXPECT_EQ(walk.find(day(2024, 1, 29), day(2024, 2, 5), 1),
              (Occurrence{1, day(2024, 2), day(2024, 3)}));
    EXPECT_FALSE(walk.find(day(2024, 1, 29), day(2024, 2, 5), 2));
}

TEST(SeasonWalkTest, MonthsGoBackOverTheYear) {
    const Calendar calendar = monthly_calendar(2024, 1, 3);
    const SeasonWalk walk(calendar);

    EXPECT_EQ(walk.before(*walk.of(calendar.stages[1]), 3),
              (Occurrence{10, day(2023, 11), day(2023, 12)}));
}

TEST(SeasonWalkTest, QuartersGoBackToQuartersAndMonthsToMonths) {
    const Calendar calendar = months_and_quarters();
    const SeasonWalk walk(calendar);
    const auto summer = walk.find(day(2024, 7), day(2024, 10), 14);

    ASSERT_TRUE(summer);
    EXPECT_EQ(walk.before(*summer), (Occurrence{13, day(2024, 4), day(2024, 7)}));
    EXPECT_EQ(walk.before(*summer, 3), (Occurrence{15, day(2023, 10), day(2024, 1)}));
    EXPECT_EQ(walk.before(*walk.find(day(2024, 7), day(2024, 8), 6)),
              (Occurrence{5, day(2024, 6), day(2024, 7)}));
    EXPECT_EQ(walk.before(*walk.find(day(2024, 3), day(2024, 4), 2)),
              (Occurrence{1, day(2024, 2), day(2024, 3)}))
        << "the leap day is in February";
}

TEST(SeasonWalkTest, WeeksAreCountedFromTheStudy) {
    const Calendar calendar = weeks_from(day(2026, 4, 4), 3);  // a Saturday
    const SeasonWalk walk(calendar);

    EXPECT_EQ(walk.before(*walk.of(calendar.stages[0])),
              (Occurrence{12, day(2026, 3, 28), day(2026, 4, 4)}));
}

TEST(SeasonWalkTest, WithoutAMapTheStageIsTheSeason) {
    Calendar calendar = monthly_calendar(2024, 1, 1);
    calendar.cycle = SeasonCycle::none;
    const SeasonWalk walk(calendar);

    EXPECT_EQ(walk.of(calendar.stages[0]), (Occurrence{-1, day(2024, 1), day(2024, 2)}));
    EXPECT_EQ(walk.years_later(*walk.of(calendar.stages[0]), -24),
              (Occurrence{-1, day(2000, 1), day(2000, 2)}));
}

TEST(SeasonWalkTest, AYearLaterFebruaryMayBeShorter) {
    const Calendar calendar = monthly_calendar(2024, 1, 3);
    const SeasonWalk walk(calendar);

    EXPECT_EQ(walk.years_later(*walk.of(calendar.stages[1]), 1),
              (Occurrence{1, day(2025, 2), day(2025, 3)}));
}

TEST(SeasonRingsTest, QuartersAreACycleOfTheirOwn) {
    const SeasonRings rings(months_and_quarters());

    ASSERT_EQ(rings.rings().size(), 2U);
    EXPECT_THAT(rings.rings()[0], ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
    EXPECT_THAT(rings.rings()[1], ElementsAre(12, 13, 14, 15));
}

TEST(SeasonRingsTest, WeeksAreACycleOf52) {
    const SeasonRings rings(weeks_from(day(2026, 1, 5), 2));

    ASSERT_EQ(rings.rings().size(), 1U);
    EXPECT_EQ(rings.size(), 52U);
    EXPECT_EQ(rings.name(51), "week 52");
}

}  // namespace
}  // namespace lockstep::sddp
