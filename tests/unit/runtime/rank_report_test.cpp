#include "lockstep/runtime/rank_report.hpp"

#include <gtest/gtest.h>

namespace lockstep::runtime {
namespace {

comm::Traffic traffic(double seconds, double wait_seconds) {
    return {3, 1000, 2000, seconds, wait_seconds};
}

TEST(RankReport, DividesTheTimeOfARound) {
    const auto report = rank_report(traffic(10, 4), {1, 100, 500, 7, 2}, 8, 0.5);
    EXPECT_DOUBLE_EQ(report.wait_seconds, 2);
    EXPECT_DOUBLE_EQ(report.communication_seconds, 1);
    EXPECT_DOUBLE_EQ(report.compute_seconds, 5);
    EXPECT_DOUBLE_EQ(report.io_seconds, 0.5);
    EXPECT_EQ(report.bytes_sent, 900);
    EXPECT_EQ(report.bytes_received, 1500);
}

// Waiting that was found out after its round, and a clock that is read before the last collective.
TEST(RankReport, HasNoNegativeTimes) {
    const auto report = rank_report(traffic(10, 6), traffic(9, 4), 0.5, 0);
    EXPECT_DOUBLE_EQ(report.wait_seconds, 1);
    EXPECT_DOUBLE_EQ(report.communication_seconds, 0);
    EXPECT_DOUBLE_EQ(report.compute_seconds, 0);
}

}  // namespace
}  // namespace lockstep::runtime
