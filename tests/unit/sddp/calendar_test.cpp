#include "lockstep/sddp/calendar.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "unit/sddp/hydro/process/process_fixtures.hpp"

namespace lockstep::sddp {
namespace {

TEST(CalendarTest, StageHoursAreThoseOfItsBlocks) {
    Stage stage;
    stage.blocks = {{"peak", 100}, {"middle", 300.5}, {"low", 343.5}};

    EXPECT_EQ(stage.hours(), 744);
}

TEST(CalendarTest, DiscountCountsCalendarDays) {
    Stage stage;
    stage.start = day(2024, 1);
    stage.end = day(2024, 2);
    stage.annual_discount_rate = 0.12;

    EXPECT_EQ(stage.calendar_days(), 31);
    EXPECT_NEAR(stage.discount_factor(), std::pow(1.12, -31 / 365.25), 1e-15);
}

TEST(CalendarTest, NoRateMeansNoDiscount) {
    Stage stage;
    stage.start = day(2024, 1);
    stage.end = day(2029, 1);

    EXPECT_EQ(stage.discount_factor(), 1);
}

TEST(CalendarTest, MonthlySeasonsGoByTheMonth) {
    const Calendar calendar = monthly_calendar(2024, 1, 1);

    EXPECT_EQ(calendar.season_of(day(2024, 1, 31)), 0);
    EXPECT_EQ(calendar.season_of(day(1999, 12, 1)), 11);
}

// ISO 8601: 2026-01-01 lies in week 1, 2021-01-01 in week 53 of 2020, 2024-12-30 in week 1 of 2025.
TEST(CalendarTest, WeeklySeasonsAreIsoWeeksWithTheLastTwoJoined) {
    Calendar calendar;
    calendar.cycle = SeasonCycle::weekly;
    for (int week = 0; week < 52; ++week) {
        calendar.seasons.push_back({week, "", 1, 1, 12, 31});
    }

    EXPECT_EQ(calendar.season_of(day(2026, 1, 1)), 0);
    EXPECT_EQ(calendar.season_of(day(2021, 1, 1)), 51);
    EXPECT_EQ(calendar.season_of(day(2020, 12, 27)), 51);
    EXPECT_EQ(calendar.season_of(day(2024, 12, 30)), 0);
    EXPECT_EQ(calendar.season_of(day(2024, 7, 1)), 26);
}

TEST(CalendarTest, CustomSeasonsMayWrapTheYearsEnd) {
    Calendar calendar;
    calendar.cycle = SeasonCycle::custom;
    calendar.seasons = {{7, "wet", 11, 15, 4, 30}, {8, "dry", 5, 1, 10, 31}};

    EXPECT_EQ(calendar.season_of(day(2024, 12, 31)), 7);
    EXPECT_EQ(calendar.season_of(day(2024, 4, 30)), 7);
    EXPECT_EQ(calendar.season_of(day(2024, 5, 1)), 8);
    EXPECT_EQ(calendar.season_of(day(2024, 11, 14)), -1);
}

TEST(CalendarTest, WithoutACycleThereAreNoSeasons) {
    EXPECT_EQ(Calendar{}.season_of(day(2024, 1)), -1);
}

TEST(CalendarTest, BlockTablesFollowTheBlocksOfEachStage) {
    Calendar calendar;
    calendar.stages.resize(2);
    calendar.stages[0].blocks.resize(2);
    calendar.stages[1].blocks.resize(1);
    ByBlock table(calendar, 3);

    table(0, 1) = 5;

    EXPECT_EQ(table(0, 0), 3);
    EXPECT_EQ(table(0, 1), 5);
    EXPECT_EQ(table(1, 0), 3);
}

}  // namespace
}  // namespace lockstep::sddp
