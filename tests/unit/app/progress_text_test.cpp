#include "progress_text.hpp"

#include <gtest/gtest.h>

#include "json_lines.hpp"

namespace lockstep::cli {
namespace {

app::Progress training() {
    app::Progress progress{"training", "iteration", 12, 40, 60};
    progress.left = {140, false};
    progress.figures = {{"lower_bound", 6532114731.416, "$", "lower", "", {}},
                        {"upper_bound", 10801903494, "$", "upper", "", 1524838860},
                        {"gap", 0.6537, "1", "gap", "", {}},
                        {"cuts", 528, "", "cuts", "", {}},
                        {"pivots", 7, "", "", "", {}}};
    return progress;
}

app::Progress simulation(int done, int total, double seconds) {
    app::Progress progress{"simulation", "scenario", done, total, seconds};
    if (done > 0) {
        progress.left = {seconds * (total - done) / done, false};
    }
    return progress;
}

Terminal terminal(int width, bool unicode = true) {
    return {true, false, unicode, width};
}

TEST(ProgressTextTest, ShowsEverythingOnAWideTerminal) {
    EXPECT_EQ(progress_line(training(), terminal(130)),
              "training 12/40  ━━━━━━╌╌╌╌╌╌╌╌╌╌╌╌╌╌  lower 6,532.1 M$  upper 10,802 ± 1,525 M$  "
              "gap 65.4 %  "
              "cuts 528  2:20 left");
}

TEST(ProgressTextTest, LeavesTheLeastOutWhereSpaceIsShort) {
    EXPECT_EQ(progress_line(training(), terminal(80)),
              "training 12/40  lower 6,532.1 M$  upper 10,802 ± 1,525 M$  gap 65.4 %");
    EXPECT_EQ(progress_line(training(), terminal(40)), "training 12/40  lower 6,532.1 M$");
}

TEST(ProgressTextTest, NeverWrapsALine) {
    for (auto width = 1; width < 140; ++width) {
        EXPECT_LT(columns_of(progress_line(training(), terminal(width))), width);
        EXPECT_LT(columns_of(progress_line(simulation(1234, 2000, 61), terminal(width))), width);
    }
}

TEST(ProgressTextTest, KeepsToAsciiWithoutUnicode) {
    const auto line = progress_line(training(), terminal(140, false));

    EXPECT_EQ(columns_of(line), static_cast<int>(line.size()));
    EXPECT_NE(line.find("10,802 +- 1,525 M$"), line.npos);
}

TEST(ProgressTextTest, ShowsHowFarTheSimulationIs) {
    EXPECT_EQ(progress_line(simulation(500, 2000, 30), terminal(80)),
              "simulation 500/2,000  ━━━━━╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌  25 %  1:30 left");
    EXPECT_EQ(progress_line(simulation(0, 50, 0), terminal(40)), "simulation 0/50  0 %");
}

TEST(ProgressTextTest, AlignsTheTableOfAPipe) {
    const auto columns = columns_of_table(training());
    const auto head = table_head(columns);
    const auto row = table_row(training(), columns);

    EXPECT_EQ(
        head,
        "iteration     lower [M$]     upper [M$]     +-95% CI       gap      cuts  seconds\n");
    EXPECT_EQ(
        row, "       12      6,532.115      10,801.90        1,525    65.4 %       528     60.0\n");
}

TEST(ProgressTextTest, FitsFieldsByRank) {
    EXPECT_EQ(fit({{"keep", 0}, {"", 1}, {"first to go", 3}, {"second", 2}}, 14), "keep  second");
    EXPECT_EQ(fit({{"keep", 0}, {"gone", 1}}, 3), "kee");
    EXPECT_EQ(fit({{"±±±±", 0}}, 2), "±±");
    EXPECT_EQ(fit({}, 10), "");
}

TEST(JsonLinesTest, TellsAStepWithAllDigits) {
    const auto parsed = io::parse_json(io::to_text(event_of(training())), "line");

    EXPECT_EQ(*parsed.find("event")->if_string(), "progress");
    EXPECT_EQ(*parsed.find("step")->if_string(), "iteration");
    EXPECT_EQ(*parsed.find("done")->if_integer(), 12);
    EXPECT_EQ(*parsed.find("lower_bound")->if_number(), 6532114731.416);
    EXPECT_EQ(*parsed.find("upper_bound_half_width_95")->if_number(), 1524838860);
    EXPECT_EQ(*parsed.find("pivots")->if_number(), 7);
}

TEST(JsonLinesTest, TellsTheStartWithTheEnginesFacts) {
    app::RunFacts facts;
    facts.engine = "fake";
    facts.name = "two \"plants\"";
    facts.details.set("stages", 4);

    const auto text = io::to_text(event_of(facts));
    const auto parsed = io::parse_json(text, "line");

    EXPECT_EQ(text.find('\n'), text.npos);
    EXPECT_EQ(*parsed.find("engine")->if_string(), "fake");
    EXPECT_EQ(*parsed.find("case")->if_string(), facts.name);
    EXPECT_EQ(*parsed.find("stages")->if_integer(), 4);
}

TEST(JsonLinesTest, TellsWarningsAndPhasesWithoutFigures) {
    EXPECT_EQ(io::to_text(event_of(simulation(3, 50, 1))),
              R"({"event":"progress","phase":"simulation","step":"scenario","done":3,)"
              R"("total":50,"seconds":1.0})");
    EXPECT_EQ(io::to_text(event_of(Problem{
                  ProblemKind::unused_entity, "system/buses.json", "bus 4", "nothing is on it"})),
              R"({"event":"warning","kind":"UnusedEntity","file":"system/buses.json",)"
              R"("entity":"bus 4","message":"nothing is on it"})");
}

}  // namespace
}  // namespace lockstep::cli
