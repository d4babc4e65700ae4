#include "lockstep/app/report.hpp"

#include <regex>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/lp/solver.hpp"

#include "app/sddp/report/parts.hpp"
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
                             "Mean price by bus",
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

TEST_F(ReportTest, DrawsTheBoundFromWithinAndTheCostOfThePolicy) {
    sample.write(folder / "out");
    EXPECT_THAT(page(), Not(HasSubstr("and the lower bound")));

    auto& last = sample.training.iterations.back();
    last.policy_cost = 3e7;
    last.policy_cost_half_width_95 = 1e6;
    last.policy_cost_seconds = 0.5;
    sample.input.config.train.policy_cost = {1, 1, 20};
    sample.write(folder / "out");
    EXPECT_THAT(page(), HasSubstr("The estimated cost of the policy and the lower bound"));
    EXPECT_THAT(page(), HasSubstr("how wrong the cuts still are"));

    sample.training.iterations.back().inner_bound = 9e9;
    sample.training.iterations.back().inner_seconds = 0.5;
    sample.input.config.train.inner.every = 1;
    sample.write(folder / "out");
    EXPECT_THAT(page(), HasSubstr("The upper bound from within and the lower bound"));
    EXPECT_THAT(page(), HasSubstr("not below the optimum"));
}

TEST_F(ReportTest, TakesTheMedianOfAnEvenSampleBetweenItsMiddles) {
    sample.write(folder / "out");
    const auto results = formats::cobre::read_results(folder / "out");
    auto simulation = formats::cobre::summarize_simulation(results);
    simulation.scenario_cost = {1, 2, 4, 8};
    io::Page page("costs");

    add_simulation(page, results, simulation);

    EXPECT_THAT(page.html(), HasSubstr(">3.00000<"));
}

TEST_F(ReportTest, ShowsEveryPlantAndBusInItsOwnFigures) {
    sample.write(folder / "out");

    const auto text = page();

    for (const auto* title : {"FURNAS: storage, 0 % = 0 hm³, 100 % = 100 hm³",
                              "FURNAS: natural inflow",
                              "FURNAS: generation",
                              "FURNAS: water value, what a further hm³ saves",
                              "FURNAS: cost to go along its storage, all else at its mean",
                              "M. MORAES: storage",
                              "ANGRA: generation",
                              "SOUTHEAST: price",
                              "SOUTHEAST: mean load and generation",
                              "SOUTHEAST: deficit",
                              "Depth of deficits",
                              "scenario 0, of least cost",
                              "scenario 3, of largest cost"}) {
        EXPECT_THAT(text, HasSubstr(title));
    }
    EXPECT_THAT(text, Not(HasSubstr("FURNAS: spillage"))) << "there is none";
}

TEST_F(ReportTest, TellsWaterValuesAsSavings) {
    for (auto& scenario : sample.scenarios) {
        for (auto& stage : scenario.stages) {
            stage.hydro.water_value_per_hm3 = {-1234, -1234};
        }
    }
    sample.write(folder / "out");

    EXPECT_THAT(page(), HasSubstr("median: 1,234 to 1,234 $/hm³"));
}

TEST_F(ReportTest, HasTheLowerBoundOnItsOwnScale) {
    sample.write(folder / "out");

    const auto text = page();

    EXPECT_THAT(text, HasSubstr("mean of the last ten iterations"));
    EXPECT_THAT(text, HasSubstr("The lower bound on its own scale"));
}

TEST_F(ReportTest, CallsNoEstimateABound) {
    sample.write(folder / "out");
    auto summary = summarize(folder / "out");
    summary.training->is_bound = false;
    const auto results = formats::cobre::read_results(folder / "out");
    io::Page page("estimate");

    add_facts(page, summary, results);
    add_training(page, summary, results);

    const auto text = page.html();
    EXPECT_THAT(text, HasSubstr("Lower estimate, no bound"));
    EXPECT_THAT(text, HasSubstr("simulated mean over an estimate that is no bound"));
    EXPECT_THAT(text, HasSubstr("The lower estimate on its own scale"));
    EXPECT_THAT(text, Not(HasSubstr("ower bound")));
}

// What a reader sees: words of the document and those that the script puts into figures, but for
// the command to be typed.
std::string words_of(std::string html) {
    std::string words;
    for (const auto& name : {std::string("title"),
                             std::string("name"),
                             std::string("x_label"),
                             std::string("y_label")}) {
        for (std::smatch match;
             std::regex_search(html, match, std::regex('"' + name + "\":\"([^\"]*)\""));) {
            words += match[1].str() + "\n";
            html.erase(static_cast<std::size_t>(match.position(0)),
                       static_cast<std::size_t>(match.length(0)));
        }
    }
    for (const auto* part : {"<script[^]*?</script>",
                             "<style>[^]*?</style>",
                             "<td[^>]*>lockstep [^<]*</td>",
                             "<[^>]*>"}) {
        html = std::regex_replace(html, std::regex(part), "\n");
    }
    return words + html;
}

TEST_F(ReportTest, HasNoKeysOfProgramsInItsWords) {
    sample.problem.process.provenance = {
        "full_estimation", "user_file", "estimated", "n/a", "user_file", {"FURNAS"}};
    sample.training.stop = sddp::StopReason::bound_stalling;
    for (auto& scenario : sample.scenarios) {
        for (auto& stage : scenario.stages) {
            auto& cost = stage.cost;
            for (auto* part : {&cost.excess,
                               &cost.outflow_below,
                               &cost.outflow_above,
                               &cost.turbined_below,
                               &cost.generation_below,
                               &cost.inflow_slack}) {
                *part = 1e5;
            }
        }
    }
    sample.write(folder / "out");

    const auto words = words_of(page());

    EXPECT_THAT(words, HasSubstr("bound stalling"));
    EXPECT_THAT(words, HasSubstr("outflow below its minimum"));
    EXPECT_THAT(words, HasSubstr("file of the case"));
    std::smatch key;
    EXPECT_FALSE(std::regex_search(words, key, std::regex("[A-Za-z0-9]+_[A-Za-z0-9_]+")))
        << key[0].str();
}

TEST_F(ReportTest, TellsNoGapUnderCVaR) {
    sample.write(folder / "neutral");
    EXPECT_THAT(words_of(io::read_file(make_report(folder / "neutral"))), HasSubstr("Gap"));

    sample.problem.calendar.stages[1].risk = {0.5, 0.4};
    sample.write(folder / "out");
    const auto words = words_of(page());

    EXPECT_THAT(words, Not(HasSubstr("Gap")));
    EXPECT_THAT(words, HasSubstr("Bound moved"));
    EXPECT_THAT(words, HasSubstr("over the last iteration; under CVaR a mean is no upper bound"));
    EXPECT_THAT(words, HasSubstr("Mean cost, 95 %"));
    EXPECT_THAT(words, Not(HasSubstr("Upper bound")));
}

TEST_F(ReportTest, DoesWithoutTheTablesOfASimulation) {
    sample.write(folder / "out");
    for (const auto* table : {"hydros", "thermals", "buses", "exchanges", "inflow_lags"}) {
        std::filesystem::remove_all(folder / "out" / "simulation" / table);
    }
    std::filesystem::remove_all(folder / "out" / "policy");

    EXPECT_THAT(page(), HasSubstr("Mean cost by origin"));
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
