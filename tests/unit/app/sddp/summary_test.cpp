#include "lockstep/app/sddp/summary.hpp"

#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

#include "sample_output.hpp"
#include "sddp/commands.hpp"
#include "unit/app/temporary_folder.hpp"

namespace lockstep::app {
namespace {

using testing::HasSubstr;
using testing::Not;

class SummaryTest : public testing::Test {
protected:
    TemporaryFolder folder;
    SampleOutput sample;
};

TEST_F(SummaryTest, ReadsBackWhatARunWrote) {
    sample.write(folder / "out");

    const auto summary = summarize(folder / "out");

    EXPECT_EQ(summary.case_name, "two plants");
    EXPECT_EQ(summary.host, "node1");
    ASSERT_TRUE(summary.training.has_value());
    EXPECT_TRUE(summary.training->is_complete);
    EXPECT_EQ(summary.training->iterations, 2);
    EXPECT_EQ(summary.training->lower_bound, 2e7);
    EXPECT_EQ(summary.training->upper_bound, 2.5e7);
    EXPECT_DOUBLE_EQ(summary.training->half_width_95, 1.96e6);
    EXPECT_DOUBLE_EQ(summary.training->gap, 0.25);
    EXPECT_EQ(summary.training->stop_reason, "iteration_limit");
    EXPECT_EQ(summary.training->lp_solves, 2 * 37);
    EXPECT_EQ(summary.training->cuts, 8);
    EXPECT_NEAR(summary.training->forward_seconds, 0.04, 1e-12);
    ASSERT_TRUE(summary.simulation.has_value());
    EXPECT_EQ(summary.simulation->scenarios, 4);
    EXPECT_EQ(summary.simulation->mean, 2.4e7);
    EXPECT_EQ(summary.simulation->half_width_95, 0.98e6);
    EXPECT_DOUBLE_EQ(*summary.simulated_gap(), 0.2);
    EXPECT_EQ(summary.digest().size(), 32U);
}

TEST_F(SummaryTest, TakesTheDigestOfTheOnlyPart) {
    sample.write_training(folder / "out");

    const auto summary = summarize(folder / "out");

    EXPECT_FALSE(summary.simulation.has_value());
    EXPECT_FALSE(summary.simulated_gap().has_value());
    EXPECT_EQ(summary.digest(), to_string(sample.training.digest));
}

TEST_F(SummaryTest, SaysThatAStoppedRunIsPartial) {
    sample.training.stop = sddp::StopReason::cancelled;
    sample.write_training(folder / "out");

    EXPECT_FALSE(summarize(folder / "out").training->is_complete);
    EXPECT_EQ(summarize(folder / "out").training->stop_reason,
              to_string(sddp::StopReason::cancelled));
}

TEST_F(SummaryTest, TellsPeopleTheFiguresOnALineEach) {
    sample.write(folder / "out");

    const auto text = cli::summary_text(summarize(folder / "out"));

    EXPECT_THAT(text, HasSubstr("lower bound     20.0000 M$"));
    EXPECT_THAT(text, HasSubstr("simulated mean  24.0000 +- 0.980 M$"));
    EXPECT_THAT(text, HasSubstr("95 %, 4 scenarios"));
    EXPECT_THAT(text, HasSubstr("gap             20.0 %"));
    EXPECT_THAT(text, HasSubstr("ended by iteration limit"));
    EXPECT_THAT(text, HasSubstr("74 LP solves"));
    EXPECT_THAT(text, HasSubstr("digest          " + summarize(folder / "out").digest()));
    EXPECT_THAT(text, HasSubstr((folder / "out").string()));
}

TEST_F(SummaryTest, TellsRetriedSolvesWhereThereWereAny) {
    sample.write(folder / "out");
    EXPECT_THAT(cli::summary_text(summarize(folder / "out")), Not(HasSubstr("retried")));
    sample.training.iterations.back().backward.retried[0] = 3;
    sample.training.iterations.back().forward.retried[4] = 1;
    sample.write(folder / "out");
    const auto summary = summarize(folder / "out");
    EXPECT_EQ(summary.training->retried, (std::vector<std::int64_t>{3, 0, 0, 0, 1}));
    EXPECT_THAT(cli::summary_text(summary),
                HasSubstr("4 solves retried        further attempts: 3 took 1, 1 took 5"));
}

TEST_F(SummaryTest, LeavesOutBoundsThatThereAreNot) {
    sample.training.iterations.clear();
    sample.training.stop = sddp::StopReason::infeasible;
    sample.write_training(folder / "out");

    const auto text = cli::summary_text(summarize(folder / "out"));

    EXPECT_THAT(text, Not(HasSubstr("bound")));
    EXPECT_THAT(text, Not(HasSubstr("n/a")));
    EXPECT_THAT(text, HasSubstr("ended by infeasible"));
}

TEST_F(SummaryTest, FitsOnATerminal) {
    sample.training.lower_bound = 123456789012.3456789;
    sample.write(folder / "out");
    auto summary = summarize(folder / "out");
    summary.directory = "out";
    summary.curtailment_constant = 123456.7;
    summary.risk_averse = true;

    std::istringstream lines(cli::summary_text(summary));
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), 79U) << line;
    }
}

TEST_F(SummaryTest, SaysWhyTheGapOfARiskAversePolicyStays) {
    sample.write(folder / "out");
    auto summary = summarize(folder / "out");
    EXPECT_FALSE(summary.risk_averse);
    EXPECT_THAT(cli::summary_text(summary), testing::Not(testing::HasSubstr("CVaR")));

    summary.risk_averse = true;
    EXPECT_THAT(cli::summary_text(summary), HasSubstr("bound moved"));
    EXPECT_THAT(cli::summary_text(summary), HasSubstr("over the last iteration"));
    EXPECT_THAT(cli::summary_text(summary), Not(HasSubstr("gap ")));
}

TEST_F(SummaryTest, SaysWhetherSamplingExplainsTheGap) {
    sample.write(folder / "out");
    auto summary = summarize(folder / "out");
    EXPECT_EQ(convergence_words(summary)->remark, "simulated mean over lower bound");

    summary.simulation->mean = summary.training->lower_bound - 0.5e6;
    EXPECT_THAT(convergence_words(summary)->remark, HasSubstr("inside the 95 % interval"));

    summary.simulation->mean = summary.training->lower_bound - 2e6;
    EXPECT_EQ(convergence_words(summary)->remark,
              "lower bound outside the 95 % interval of the simulated mean: simulate more");
    EXPECT_THAT(cli::summary_text(summary), Not(HasSubstr("chance")));
}

TEST_F(SummaryTest, KeepsABlankBehindLongFigures) {
    sample.write(folder / "out");
    auto summary = summarize(folder / "out");
    summary.simulation->mean = 9'999'999;
    summary.simulation->half_width_95 = 8'888'888;
    summary.training->iterations = 123'456'789;
    summary.training->seconds = 98;

    const auto text = cli::summary_text(summary);

    EXPECT_THAT(text, HasSubstr("$ 95 %"));
    EXPECT_THAT(text, HasSubstr("1 min 38 s ended by"));
}

TEST_F(SummaryTest, TellsProgramsAllDigits) {
    sample.training.lower_bound = 0.1;
    sample.write(folder / "out");

    const auto json = to_json(summarize(folder / "out"));

    EXPECT_EQ(json.find("training")->find("lower_bound")->if_number(), 0.1);
    EXPECT_EQ(*json.find("simulation")->find("scenarios")->if_integer(), 4);
}

TEST_F(SummaryTest, RefusesADirectoryWithoutResults) {
    EXPECT_THROW(summarize(folder / "nowhere"), IoError);
}

}  // namespace
}  // namespace lockstep::app
