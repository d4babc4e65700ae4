#include "lockstep/app/report.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/lp/solver.hpp"

#include "app/sddp/report_parts.hpp"
#include "sample_output.hpp"
#include "unit/app/temporary_folder.hpp"

namespace lockstep::app {
namespace {

using testing::HasSubstr;
using testing::Not;

class ReportTest : public testing::Test {
protected:
    std::string page() { return io::read_file(make_report(folder / "out")); }

    TemporaryFolder folder;
    SampleOutput sample;
};

TEST_F(ReportTest, MakesOnePageThatNeedsNoNetwork) {
    sample.write(folder / "out");

    EXPECT_EQ(make_report(folder / "out"), folder / "out" / "report.html");
    const auto text = page();

    EXPECT_THAT(text, HasSubstr("</html>"));
    for (const auto* outside : {"src=\"http", "href=\"http", "@import", "url(http"}) {
        EXPECT_THAT(text, Not(HasSubstr(outside)));
    }
}

TEST_F(ReportTest, HoldsThePartsThatARunHas) {
    sample.write(folder / "out");

    const auto text = page();

    for (const auto* part : {"two plants",
                             "20.0000 M$",
                             "24.0000 ± 0.980 M$",
                             "Convergence",
                             "Effort",
                             "Costs",
                             "Reservoirs",
                             "FURNAS",
                             "M. MORAES",
                             "Generation",
                             "Prices",
                             "SOUTHEAST",
                             "Deficit risk",
                             "Inflow model",
                             "How to make it again",
                             "2026-01"}) {
        EXPECT_THAT(text, HasSubstr(part));
    }
}

TEST_F(ReportTest, QuotesTheCommandForAShell) {
    sample.write(folder / "out");

    const auto solver = std::string(lp::to_string(lp::default_solver()));
    EXPECT_THAT(page(),
                HasSubstr(io::escape("lockstep run 'cases/two plants' --solver " + solver +
                                     " --set training.tree_seed=7")));
}

TEST_F(ReportTest, TakesTheMedianOfAnEvenSampleBetweenItsMiddles) {
    sample.write(folder / "out");
    auto results = formats::cobre::read_results(folder / "out");
    auto simulation = formats::cobre::summarize_simulation(results);
    simulation.scenario_cost = {1, 2, 4, 8};
    io::Page page("costs");

    add_simulation(page, simulation);

    EXPECT_THAT(page.html(), HasSubstr(">3.00000<"));
}

TEST_F(ReportTest, DoesWithTrainingAlone) {
    sample.write_training(folder / "out");

    const auto text = page();

    EXPECT_THAT(text, HasSubstr("Convergence"));
    EXPECT_THAT(text, Not(HasSubstr("Reservoirs")));
}

TEST_F(ReportTest, DoesWithSimulationAlone) {
    sample.write_simulation(folder / "out");

    const auto text = page();

    EXPECT_THAT(text, Not(HasSubstr("Convergence")));
    EXPECT_THAT(text, HasSubstr("Reservoirs"));
}

TEST_F(ReportTest, DoesWithATrainingThatFailedInItsFirstIteration) {
    sample.training.iterations.clear();
    sample.training.stop = sddp::StopReason::infeasible;
    sample.training.failure =
        sddp::Failure{sddp::Phase::forward, 1, 2, 0, -1, lp::Status::infeasible, {"water 6"}, ""};
    sample.write_training(folder / "out");

    EXPECT_THAT(page(), HasSubstr("stage 2 had no solution"));
}

TEST_F(ReportTest, EscapesNames) {
    sample.problem.system.hydros[0].name = "<b>&\"furnas\"";
    sample.write(folder / "out");

    EXPECT_THAT(page(), Not(HasSubstr("<b>&")));
}

TEST_F(ReportTest, GoesWhereItIsTold) {
    sample.write(folder / "out");

    make_report(folder / "out", folder / "elsewhere" / "page.html");

    EXPECT_TRUE(std::filesystem::exists(folder / "elsewhere" / "page.html"));
    EXPECT_FALSE(std::filesystem::exists(folder / "out" / "report.html"));
}

TEST_F(ReportTest, RefusesADirectoryWithoutResults) {
    EXPECT_THROW(make_report(folder / "nowhere"), IoError);
}

formats::cobre::StageLabel label(const char* start) {
    formats::cobre::StageLabel stage;
    stage.start = start;
    return stage;
}

TEST(ReportPartsTest, NamesMonthsShortAndOtherStagesByDate) {
    EXPECT_THAT(stage_names({label("2018-01-01"), label("2018-02-01")}),
                testing::ElementsAre("2018-01", "2018-02"));
    EXPECT_THAT(stage_names({label("2018-01-01"), label("2018-01-08")}),
                testing::ElementsAre("2018-01-01", "2018-01-08"));
}

TEST(ReportPartsTest, GroupsIterations) {
    EXPECT_EQ(groups_of(10, 24).size(), 10U);
    EXPECT_EQ(groups_of(0, 24).size(), 0U);
    const auto groups = groups_of(100, 24);
    EXPECT_LE(groups.size(), 24U);
    EXPECT_EQ(groups.front().begin, 0U);
    EXPECT_EQ(groups.back().end, 100U);
}

}  // namespace
}  // namespace lockstep::app
