#include "app/job/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::app {
namespace {

using testing::HasSubstr;

TEST(MetricsTest, TellsTheRunAndEachRank) {
    Progress progress{"training", "iteration", 7, 10, 1.5};
    progress.figures = {{"lower_bound", 1234.5, "$", "lower", "Lower bound"},
                        {"gap", 0.5, "1", "gap", "Gap"}};
    progress.ranks = {{{"wait", 0, "s", "", "Waiting"}, {"lp_solves", 3, "", "", "Solves"}},
                      {{"wait", 0.25, "s", "", "Waiting"}, {"lp_solves", 40, "", "", "Solves"}}};

    const auto text = prometheus_text(progress);

    EXPECT_THAT(text, HasSubstr("# TYPE lockstep_iteration gauge\nlockstep_iteration 7\n"));
    EXPECT_THAT(text, HasSubstr("lockstep_lower_bound_dollars 1234.5\n"));
    EXPECT_THAT(text, HasSubstr("lockstep_rank_wait_seconds{rank=\"0\"} 0\n"));
    EXPECT_THAT(text, HasSubstr("lockstep_rank_wait_seconds{rank=\"1\"} 0.25\n"));
    EXPECT_THAT(text, HasSubstr("lockstep_rank_lp_solves{rank=\"1\"} 40\n"));
    EXPECT_THAT(text, HasSubstr("# HELP lockstep_gap_ratio Gap\n"));
    EXPECT_THAT(text, HasSubstr("lockstep_elapsed_seconds 1.5\n"));
    EXPECT_EQ(text.back(), '\n');
}

}  // namespace
}  // namespace lockstep::app
