#include "progress_text.hpp"

#include <gtest/gtest.h>

#include "json_lines.hpp"

namespace lockstep::cli {
namespace {

sddp::IterationReport report() {
    sddp::IterationReport result;
    result.iteration = 12;
    result.lower_bound = 6532114731.416;
    result.upper_bound = 10801903494;
    result.half_width_95 = 1524838860;
    result.gap = 0.6537;
    result.cuts_active = 528;
    result.wall_seconds = 5;
    result.elapsed_seconds = 60;
    return result;
}

TimeLeft time_left() {
    sddp::TrainOptions options;
    options.stopping = {{sddp::StoppingRule::Kind::iteration_limit, 40, 0, 0}};
    TimeLeft result(options);
    result.add(report());
    return result;
}

Terminal terminal(int width, bool unicode = true) {
    return {true, false, unicode, width};
}

TEST(ProgressTextTest, ShowsEverythingOnAWideTerminal) {
    EXPECT_EQ(
        training_line(report(), time_left(), terminal(120)),
        "training 12/40  ━━━━━━╌╌╌╌╌╌╌╌╌╌╌╌╌╌  lower 6,532.1  upper 10,802 ± 1,525 M$  gap 65.4 %  "
        "528 cuts  2:20 left");
}

TEST(ProgressTextTest, LeavesTheLeastOutWhereSpaceIsShort) {
    EXPECT_EQ(training_line(report(), time_left(), terminal(80)),
              "training 12/40  lower 6,532.1  upper 10,802 ± 1,525 M$  gap 65.4 %  2:20 left");
    EXPECT_EQ(training_line(report(), time_left(), terminal(40)), "training 12/40  lower 6,532.1");
}

TEST(ProgressTextTest, NeverWrapsALine) {
    for (auto width = 1; width < 140; ++width) {
        EXPECT_LT(columns_of(training_line(report(), time_left(), terminal(width))), width);
        EXPECT_LT(columns_of(simulation_line(1234, 2000, 61, terminal(width))), width);
    }
}

TEST(ProgressTextTest, KeepsToAsciiWithoutUnicode) {
    const auto line = training_line(report(), time_left(), terminal(140, false));

    EXPECT_EQ(columns_of(line), static_cast<int>(line.size()));
    EXPECT_NE(line.find("10,802 +- 1,525 M$"), line.npos);
}

TEST(ProgressTextTest, ShowsHowFarTheSimulationIs) {
    EXPECT_EQ(simulation_line(500, 2000, 30, terminal(80)),
              "simulation 500/2,000  ━━━━━╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌  25 %  1:30 left");
    EXPECT_EQ(simulation_line(0, 50, 0, terminal(40)), "simulation 0/50  0 %");
}

TEST(ProgressTextTest, AlignsTheTableOfAPipe) {
    const auto unit = app::unit_for(report().upper_bound);
    const auto head = table_head(unit);
    const auto row = table_row(report(), unit);

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

TEST(JsonLinesTest, TellsAnIterationWithAllDigits) {
    const auto parsed = io::parse_json(io::to_text(event_of(report())), "line");

    EXPECT_EQ(*parsed.find("event")->if_string(), "iteration");
    EXPECT_EQ(*parsed.find("iteration")->if_integer(), 12);
    EXPECT_EQ(*parsed.find("lower_bound")->if_number(), 6532114731.416);
    EXPECT_EQ(*parsed.find("gap")->if_number(), 0.6537);
}

TEST(JsonLinesTest, TellsTheStartWithItsRules) {
    app::RunStart start;
    start.case_name = "two \"plants\"";
    start.train.stopping = {{sddp::StoppingRule::Kind::iteration_limit, 40, 0, 0},
                            {sddp::StoppingRule::Kind::time_limit, 0, 60, 0},
                            {sddp::StoppingRule::Kind::bound_stalling, 5, 0, 0.5}};

    const auto text = io::to_text(event_of(start));
    const auto parsed = io::parse_json(text, "line");

    EXPECT_EQ(text.find('\n'), text.npos);
    EXPECT_EQ(*parsed.find("case")->if_string(), start.case_name);
    EXPECT_EQ(io::to_text(*parsed.find("stopping_rules")),
              R"([{"type":"iteration_limit","limit":40},{"type":"time_limit","seconds":60.0},)"
              R"({"type":"bound_stalling","iterations":5,"tolerance":0.5}])");
}

TEST(JsonLinesTest, TellsWarningsAndScenarios) {
    EXPECT_EQ(io::to_text(simulation_event(3, 50)),
              R"({"event":"simulation","done":3,"total":50})");
    EXPECT_EQ(io::to_text(event_of(lockstep::Problem{
                  ProblemKind::unused_entity, "system/buses.json", "bus 4", "nothing is on it"})),
              R"({"event":"warning","kind":"UnusedEntity","file":"system/buses.json",)"
              R"("entity":"bus 4","message":"nothing is on it"})");
}

}  // namespace
}  // namespace lockstep::cli
