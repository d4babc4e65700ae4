#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/io/page.hpp"

#include "unit/io/page/markup.hpp"

namespace lockstep::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<std::string> lines_of(const std::string& svg) {
    return attributes(svg, "path", "d", R"(fill="none")");
}

Plot diagonal() {
    return {.title = "Bounds",
            .x_label = "iteration",
            .y_label = "cost",
            .lines = {{"lower", {0, 1, 2}, {0, 50, 100}}}};
}

TEST(SvgTest, LineRunsFromCornerToCorner) {
    const std::string svg = to_svg(diagonal());

    // 220 high, labels of at most three characters on the left, 16 free on the right
    EXPECT_THAT(lines_of(svg), ElementsAre("M29.9 294.0L366.9 184.0L704.0 74.0"));
    EXPECT_EQ(unbalanced(svg), "");
}

TEST(SvgTest, SaysTitleAxesAndLegend) {
    const std::string svg = to_svg(diagonal());

    EXPECT_THAT(svg, HasSubstr(R"(aria-label="Bounds")"));
    for (const char* text :
         {">Bounds<", ">iteration<", ">cost<", ">lower<", ">100<", ">0<", ">2<"}) {
        EXPECT_THAT(svg, HasSubstr(text));
    }
}

TEST(SvgTest, PointsTellTheirValues) {
    EXPECT_THAT(to_svg(diagonal()), HasSubstr("<title>lower, 1: 50 cost</title>"));

    Plot named = diagonal();
    named.x_ticks = {"2018-01", "2018-02", "2018-03"};
    EXPECT_THAT(to_svg(named), HasSubstr("<title>lower, 2018-02: 50 cost</title>"));
}

TEST(SvgTest, ErrorBarsReachAsFarAsTheErrorsAndPointsAreNotJoined) {
    Plot plot = diagonal();
    plot.lines[0].error = {0, 50, nan};
    const std::string svg = to_svg(plot);

    // The axis runs from 0 to 100, the middle point stands at half of it, its bar spans all.
    EXPECT_THAT(lines_of(svg), ElementsAre("M29.9 294.0V294.0M366.9 294.0V74.0"));
    EXPECT_THAT(svg, HasSubstr("<title>lower, 1: 50 ± 50 cost</title>"));
    EXPECT_EQ(unbalanced(svg), "");

    plot.lines[0].error = {0, 150, 0};
    EXPECT_THAT(to_svg(plot), HasSubstr(">200<"));  // the axis holds the bars
}

TEST(SvgTest, ATimelineHasABoxForEachPieceOfWork) {
    Timeline timeline{"Work", {"load", "fit"}, {}};
    timeline.spans = {{0, 0, 0, 5, "1", "a: load"},
                      {1, 0, 5, 10, "1", "a: <fit>"},
                      {0, 1, 5, 5, "a long name", "no time at all"}};
    const std::string svg = to_svg(timeline);

    const auto boxes = attributes(svg, "rect", "width");
    ASSERT_EQ(boxes.size(), 3U);
    EXPECT_EQ(boxes[0], boxes[1]);
    EXPECT_EQ(boxes[2], "0.80");
    EXPECT_EQ(attributes(svg, "rect", "y")[0], attributes(svg, "rect", "y")[2]);
    EXPECT_THAT(svg, HasSubstr("<title>a: &lt;fit&gt;</title>"));
    EXPECT_THAT(svg, Not(HasSubstr("a long name")));
    EXPECT_EQ(unbalanced(svg), "");
    EXPECT_EQ(unbalanced(to_svg(Timeline{})), "");
}

TEST(SvgTest, LongLinesHaveNoTitleForEachPoint) {
    Plot plot;
    plot.lines.resize(1);
    for (int i = 0; i < 1000; ++i) {
        plot.lines[0].x.push_back(i);
        plot.lines[0].y.push_back(i);
    }

    EXPECT_EQ(count(to_svg(plot), "<circle"), 0U);
}

TEST(SvgTest, MissingValuesBreakTheLineAndLonePointsBecomeDots) {
    const Plot plot{.lines = {{"a", {0, 1, 2, 3, 4, 5, 6}, {1, 2, nan, 3, infinity, 4, 5}}}};
    const std::string svg = to_svg(plot);

    ASSERT_EQ(lines_of(svg).size(), 1U);
    EXPECT_EQ(count(lines_of(svg)[0], "M"), 2U);
    EXPECT_EQ(count(svg, R"(r="2.5")"), 1U);
    EXPECT_EQ(count(svg, "nan"), 0U);
    EXPECT_EQ(count(svg, "inf"), 0U);
}

TEST(SvgTest, BandIsAClosedAreaInTheColourOfItsLine) {
    const Plot plot{.bands = {{"outer", {0, 1}, {0, 0}, {4, 4}}, {"inner", {0, 1}, {1, 1}, {2, 2}}},
                    .lines = {{"mean", {0, 1}, {2, 2}}}};
    const std::string svg = to_svg(plot);
    const auto areas = attributes(svg, "path", "d", R"(fill="currentColor")");

    ASSERT_EQ(areas.size(), 2U);
    EXPECT_THAT(areas[0], testing::EndsWith("Z"));
    EXPECT_THAT(svg, HasSubstr(R"(fill-opacity="0.16")"));
    EXPECT_THAT(svg, HasSubstr(R"(fill-opacity="0.28")"));
    EXPECT_THAT(svg, Not(HasSubstr(R"(class="c1")")));
}

TEST(SvgTest, NothingToDrawIsSaid) {
    EXPECT_THAT(to_svg(Plot{}), HasSubstr("no data"));
    EXPECT_THAT(to_svg(Bars{}), HasSubstr("no data"));
    EXPECT_THAT(to_svg(Plot{.lines = {{"a", {0, 1}, {nan, nan}}}}), HasSubstr("no data"));
    EXPECT_THAT(to_svg(Plot{.lines = {{"a", {0, 1}, {-1, 0}}}, .log_y = true}),
                HasSubstr("no data"));
    EXPECT_THAT(to_svg(Plot{.lines = {{"a", {nan, nan}, {1, 2}}}}), Not(HasSubstr("nan")));
}

TEST(SvgTest, UnequalLengthsDrawWhatIsThere) {
    const Plot plot{.bands = {{"b", {0, 1, 2}, {0}, {1, 2}}}, .lines = {{"a", {0, 1, 2}, {5, 6}}}};

    EXPECT_EQ(count(lines_of(to_svg(plot))[0], "L"), 1U);
}

TEST(SvgTest, LogarithmicAxisLeavesOutWhatIsNotPositive) {
    const Plot plot{.lines = {{"a", {0, 1, 2, 3}, {1, 10, 0, 100}}}, .log_y = true};
    const std::string svg = to_svg(plot);

    EXPECT_EQ(count(lines_of(svg)[0], "M"), 1U);
    EXPECT_EQ(count(svg, R"(r="2.5")"), 1U);
}

TEST(SvgTest, NamesFromDataAreEscaped) {
    Plot plot = diagonal();
    plot.title = "<script>\"&'";
    plot.lines[0].name = "</svg>";
    plot.x_ticks = {"<a>", "<b>", "<c>"};
    const std::string svg = to_svg(plot);

    EXPECT_EQ(unbalanced(svg), "");
    EXPECT_THAT(svg, HasSubstr("&lt;script&gt;&quot;&amp;&#39;"));
    EXPECT_THAT(svg, Not(HasSubstr("<script>")));
    EXPECT_EQ(count(svg, "</svg>"), 1U);
}

TEST(SvgTest, BarsAreStackedAndTellTheirParts) {
    const Bars bars{.title = "Cost",
                    .labels = {"a", "b"},
                    .parts = {{"fuel", {60, 20}}, {"deficit", {40, nan}}, {"short", {}}}};
    const std::string svg = to_svg(bars);
    const auto heights = attributes(svg, "rect", "height");

    EXPECT_THAT(heights, ElementsAre("9", "9", "9", "132.0", "88.0", "44.0"));
    EXPECT_THAT(svg, HasSubstr("<title>a, deficit: 40</title>"));
    EXPECT_THAT(svg, HasSubstr(">100<"));
    EXPECT_EQ(unbalanced(svg), "");
}

TEST(SvgTest, LongNamesUnderBarsAreSlantedAndManyNumbersThinned) {
    Bars named;
    Bars numbered;
    for (int i = 0; i < 40; ++i) {
        named.labels.push_back("Norte Fluminense " + std::to_string(i));
        numbered.labels.push_back("2018-01-" + std::to_string(i));
    }
    named.parts = numbered.parts = {{"", std::vector<double>(40, 1.0)}};

    EXPECT_EQ(count(to_svg(named), "rotate(-40)"), 40U);
    EXPECT_EQ(count(to_svg(numbered), "rotate"), 0U);
    EXPECT_LT(count(to_svg(numbered), ">2018-01-"), 10U + 40U);
}

TEST(SvgTest, ABoardShowsValuesAsColoursAndSaysTheRest) {
    const CellMap map{"Lake",
                      "value",
                      1,
                      3,
                      {{0.25, "S", "→", "state 0: 0.25; right"},
                       {1.0, "", "↑↓", "state 1: 1; up or down"},
                       {nan, "H", "", ""}}};

    const std::string svg = to_svg(map, 0.25, 1.0);

    EXPECT_EQ(unbalanced(svg), "");
    EXPECT_THAT(attributes(svg, "rect", "fill-opacity"), ElementsAre("0.050", "0.620"));
    EXPECT_EQ(count(svg, R"(fill="none"/>)"), 1U);
    for (const auto* text : {">S<", ">H<", ">→<", ">↑↓<", "state 1: 1; up or down"}) {
        EXPECT_THAT(svg, HasSubstr(text));
    }
}

TEST(SvgTest, ABoardOfTinyCellsGoesWithoutLetters) {
    CellMap map{"Grid", "value", 100, 100, {}};
    map.cells.resize(10'000, {1.0, "S", "→", ""});

    EXPECT_THAT(to_svg(map, 0.0, 1.0), Not(HasSubstr("→")));
}

}  // namespace
}  // namespace lockstep::io
