#include "app/rl/report/metrics.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::app {
namespace {

using io::Json;
using testing::ElementsAre;

Json line(double seconds, double waited, std::int64_t transitions) {
    return Json::Object{
        {"seconds", seconds},
        {"t_wait", waited},
        {"transitions_total", transitions},
        {"staleness_histogram", Json::Array{Json(2), Json(1)}},
        {"by_rank", Json::Array{Json::Object{{"learn_s", 0.5}}, Json::Object{{"learn_s", 0.25}}}}};
}

TEST(RlMetricsTest, SharesAreOfTheTimeSinceTheLineBefore) {
    const Metrics metrics({line(2, 1, 10), line(6, 1, 30)});

    EXPECT_THAT(metrics.shares("t_wait"), ElementsAre(50, 25));
    EXPECT_THAT(metrics.column("transitions_total"), ElementsAre(10, 30));
    EXPECT_EQ(metrics.sum("t_wait"), 2);
}

TEST(RlMetricsTest, AddsUpRanksAndAges) {
    const Metrics metrics({line(2, 1, 10), line(6, 1, 30)});

    EXPECT_EQ(metrics.rank_count(), 2U);
    EXPECT_THAT(metrics.by_rank("learn_s"), ElementsAre(1.0, 0.5));
    EXPECT_EQ(metrics.learn_seconds(), 1.5);
    EXPECT_THAT(metrics.staleness_histogram(), ElementsAre(4, 2));
}

TEST(RlMetricsTest, WhatALineDoesNotTellIsNoNumber) {
    const Metrics metrics({Json::Object{{"return_mean", Json()}}});

    EXPECT_TRUE(std::isnan(metrics.column("return_mean")[0]));
    EXPECT_EQ(metrics.rank_count(), 0U);
    EXPECT_TRUE(metrics.staleness_histogram().empty());
}

TEST(RlMetricsTest, ShowsNoMoreThanAPageCanAndAlwaysTheLast) {
    std::vector<Json> lines;
    for (int i = 0; i < 5000; ++i) {
        lines.push_back(line(i, 0, i));
    }

    const auto shown = Metrics(std::move(lines)).column("transitions_total");

    EXPECT_LE(shown.size(), Metrics::most_points);
    EXPECT_GT(shown.size(), Metrics::most_points / 2);
    EXPECT_EQ(shown.back(), 4999);
}

}  // namespace
}  // namespace lockstep::app
