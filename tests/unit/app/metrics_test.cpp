#include "app/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::app {
namespace {

using testing::HasSubstr;

TEST(MetricsTest, TellsTheRunAndEachRank) {
    sddp::IterationReport report;
    report.iteration = 7;
    report.lower_bound = 1234.5;
    report.ranks.resize(2);
    report.ranks[1].wait_seconds = 0.25;
    report.ranks[1].solves = 40;

    const auto text = prometheus_text(report);

    EXPECT_THAT(text, HasSubstr("# TYPE lockstep_iteration gauge\nlockstep_iteration 7\n"));
    EXPECT_THAT(text, HasSubstr("lockstep_lower_bound_dollars 1234.5\n"));
    EXPECT_THAT(text, HasSubstr("lockstep_rank_wait_seconds{rank=\"0\"} 0\n"));
    EXPECT_THAT(text, HasSubstr("lockstep_rank_wait_seconds{rank=\"1\"} 0.25\n"));
    EXPECT_THAT(text, HasSubstr("lockstep_rank_lp_solves{rank=\"1\"} 40\n"));
    EXPECT_EQ(text.back(), '\n');
}

}  // namespace
}  // namespace lockstep::app
