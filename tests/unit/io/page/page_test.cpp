#include "lockstep/io/page.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/io/json.hpp"

#include "io/page/packed.hpp"
#include "unit/io/page/markup.hpp"

namespace lockstep::io {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Plot storage(double scale) {
    Plot plot{.title = "Storage", .y_label = "hm³", .from_zero = true};
    plot.bands = {{"5 to 95 %", {}, {}, {}}};
    plot.lines = {{"mean", {}, {}}};
    for (int stage = 0; stage < 60; ++stage) {
        const double value = scale * (stage + 1.0 / 3.0);
        plot.x_ticks.push_back("2018-" + std::to_string(stage));
        plot.bands[0].x.push_back(stage);
        plot.bands[0].low.push_back(0.9 * value);
        plot.bands[0].high.push_back(1.1 * value);
        plot.lines[0].x.push_back(stage);
        plot.lines[0].y.push_back(value);
    }
    return plot;
}

/// The JSON data that the page carries, in order.
std::vector<Json> data_of(const std::string& html) {
    std::vector<Json> data;
    for (const std::string& script :
         between(html, "<script type=\"application/json\"", "</script>")) {
        data.push_back(parse_json(script.substr(script.find('>') + 1), "data"));
    }
    return data;
}

TEST(PageTest, IsSelfContained) {
    Page page("Report");
    page.plot(storage(1.0)).bars({.labels = {"a"}, .parts = {{"p", {1.0}}}});
    page.choice("Plant", {{"a", {storage(1.0)}}});
    const std::string html = page.html();

    EXPECT_THAT(html, Not(HasSubstr("http")));
    EXPECT_THAT(html, Not(HasSubstr("src=")));
    EXPECT_THAT(html, Not(HasSubstr("@import")));
    EXPECT_THAT(html, Not(HasSubstr("url(")));
    EXPECT_EQ(html.rfind("<!doctype html>", 0), 0U);
}

TEST(PageTest, TitleIsSetByTheScriptAfterEverythingElse) {
    const std::string html = Page("Brazil").html();

    EXPECT_THAT(html, HasSubstr("<title>Report</title>"));
    EXPECT_THAT(html, HasSubstr("<h1>Brazil</h1>"));
    EXPECT_GT(html.find("document.title ="), html.rfind("querySelectorAll"));
}

TEST(PageTest, ListsItsSectionsAtTheTop) {
    const std::string html = Page("t").heading("One & only").heading("Two").html();

    EXPECT_THAT(
        html,
        HasSubstr(
            R"(<nav><a href="#section-1">One &amp; only</a><a href="#section-2">Two</a></nav>)"));
    EXPECT_THAT(html, HasSubstr(R"(<h2 id="section-2">Two</h2>)"));
    EXPECT_THAT(Page("t").heading("One").html(), Not(HasSubstr("<nav>")));
}

TEST(PageTest, TablesAlignNumbersAndPadShortRows) {
    Page page("t");
    page.table({"plant", "GWh"}, {{"Itaipú", "12.5"}, {"Tucuruí", "−3"}, {"none"}});
    const std::string html = page.html();

    EXPECT_THAT(html, HasSubstr(R"(<th>plant</th><th class="number">GWh</th>)"));
    EXPECT_THAT(html, HasSubstr(R"(<td>Itaipú</td><td class="number">12.5</td>)"));
    EXPECT_THAT(html, HasSubstr(R"(<td>none</td><td class="number"></td>)"));
}

TEST(PageTest, EverythingFromDataIsEscaped) {
    const std::string evil = "</script><b x='\"'>&";
    Plot plot = storage(1.0);
    plot.title = plot.x_label = plot.y_label = plot.lines[0].name = plot.bands[0].name =
        plot.x_ticks[0] = evil;
    Page page(evil);
    page.heading(evil)
        .paragraph(evil)
        .facts({{evil, evil, evil}})
        .table({evil}, {{evil}})
        .plot(plot);
    page.bars({.title = evil, .labels = {evil}, .parts = {{evil, {1.0}}}});
    page.choice(evil, {{evil, {plot}}, {"b", {plot}}});
    page.data("raw", to_text(Json(evil)));
    const std::string html = page.html();

    EXPECT_THAT(html, Not(HasSubstr("<b x")));
    EXPECT_EQ(count(html, "</script>"), 6U);  // two plots, choice and its names, raw data, script
    EXPECT_EQ(*data_of(html)[4].if_string(), evil);
    EXPECT_EQ(*(*data_of(html)[2].if_array())[0].if_string(), evil);
    EXPECT_EQ(*data_of(html)[0].find("title")->if_string(), evil);
}

TEST(PageTest, ChoiceHasMapsAndIntervalsAndCornersAreEscaped) {
    const std::string evil = "</script><b x='\"'>&";
    HeatMap map{evil, evil, evil, evil, 1, 2, {0, 1}};
    Page page("t");
    page.choice(evil, {{evil, {storage(1.0)}, {map, map}}, {"b", {}, {map}}});
    page.intervals({evil, evil, {evil}, {{evil, {-1}, {0}, {1}}}});
    page.corner({evil, {evil, evil}, {{1, 2, 3}, {3, 1, 2}}, {2, 2}});
    const std::string html = page.html();

    EXPECT_THAT(html, Not(HasSubstr("<b x")));
    EXPECT_EQ(count(html, "<figure data-pictures="), 2U);
    const Json second = data_of(html)[2];
    EXPECT_TRUE((*second.if_array())[1].is_null()) << "the second choice has one map only";
    EXPECT_EQ(*(*(*second.if_array())[0].if_array())[0].if_string(), evil);
    for (const auto& svg : between(html, "<div class=\"canvas pan\">", "</div>")) {
        EXPECT_EQ(unbalanced(svg), "");
    }
}

TEST(PageTest, CornersAndIntervalsStandWhatCannotBeDrawn) {
    Page page("t");
    page.corner({}).corner({"c", {"a", "b"}, {{1, 1, 1}, {nan, nan, nan}}, {}});
    page.intervals({"i", "x", {"a", "b"}, {{"k", {nan, 0}, {nan, 1}, {nan, 2}}}});

    for (const auto& svg : between(page.html(), "<div class=\"canvas pan\">", "</div>")) {
        EXPECT_EQ(unbalanced(svg), "");
        EXPECT_THAT(svg, Not(HasSubstr("nan")));
    }
}

TEST(PageTest, PlotDataSaysWhatIsDrawn) {
    Plot plot = storage(1.0);
    plot.lines[0].y[3] = nan;
    plot.lines.push_back({"other", {0.5, 2.0}, {1.0, 1.0}, true});
    const Json data = data_of(Page("t").plot(plot).html())[0];
    const Json& first = (*data.find("lines")->if_array())[0];
    const Json& second = (*data.find("lines")->if_array())[1];

    EXPECT_EQ(*first.find("x")->if_integer(), 0) << "x counts up from 0";
    EXPECT_NEAR(*(*first.find("y")->if_array())[10].if_number(), 10.0 + 1.0 / 3.0, 1e-3);
    EXPECT_TRUE((*first.find("y")->if_array())[3].is_null());
    EXPECT_EQ(to_text(*second.find("x")), "[0.5,2]");
    EXPECT_NE(*second.find("dash")->if_string(), "");
}

TEST(PageTest, DataKeepsTheDigitsThatANarrowAxisShows) {
    const Plot plot{.lines = {{"bound", {1, 2, 3}, {1.23456789e9, 1.23456790e9, 1.23456791e9}}}};
    const Json data = data_of(Page("t").plot(plot).html())[0];

    EXPECT_EQ(to_text(*(*data.find("lines")->if_array())[0].find("y")),
              "[1234567890,1234567900,1234567910]");
}

TEST(PageTest, ChoiceShowsTheFirstAndKeepsTheOthersSmall) {
    std::vector<Choice> choices;
    for (int plant = 0; plant < 150; ++plant) {
        choices.push_back({"plant " + std::to_string(plant), {storage(1.0 + plant), storage(2.0)}});
    }
    const std::string html = Page("t").choice("Plant", choices).html();
    const auto data = data_of(html);

    EXPECT_EQ(count(html, "<svg class=\"chart\""), 2U + 1U);  // two pictures, one in the script
    EXPECT_LT(html.size(), 260'000U) << "60 stages, 3 numbers, 2 figures, 150 plants";
    EXPECT_EQ(data[0].if_array()->size(), 150U);
    const Json::Array& items = *data[1].find("items")->if_array();
    ASSERT_EQ(items.size(), 150U);
    EXPECT_EQ(items[149].find("look"), nullptr) << "told once";
    const auto mean = unpacked(*(*items[149].find("values")->if_array())[2].if_string());
    ASSERT_EQ(mean.size(), 60U);
    EXPECT_NEAR(mean[10], 150 * (10 + 1.0 / 3.0), 0.1);
}

TEST(PageTest, IsSmallForANationalSystemOverTenYears) {
    std::vector<Choice> choices;
    for (int plant = 0; plant < 150; ++plant) {
        Plot fan{.title = "plant"};
        std::vector<double> months(120);
        std::iota(months.begin(), months.end(), 0.0);
        for (int series = 0; series < 9; ++series) {  // bands, median, mean, three scenarios
            std::vector<double> values;
            for (const double month : months) {
                values.push_back(1e4 * std::sin(month + plant + 10 * series));
            }
            fan.lines.push_back({"series", months, values});
        }
        choices.push_back({"plant", {fan, fan, fan, fan, fan}});
    }

    EXPECT_LT(Page("t").choice("Plant", choices).html().size(), 2'700'000U);
}

TEST(PageTest, ChoiceHasEmptyPlaces) {
    const std::string html =
        Page("t").choice("Plant", {{"dry", {{}, storage(1.0)}}, {"wet", {storage(2.0)}}}).html();
    const auto data = data_of(html);

    ASSERT_EQ(data.size(), 3U);
    EXPECT_EQ(to_text(data[0]), R"(["dry","wet"])");
    EXPECT_TRUE((*data[1].find("items")->if_array())[0].is_null());
    EXPECT_TRUE((*data[2].find("items")->if_array())[1].is_null());
    EXPECT_EQ(count(html, R"(data-chooser="choice-1")"), 2U);
}

TEST(PageTest, ChoiceOfNothingIsNothing) {
    EXPECT_EQ(Page("t").choice("any", {}).html(), Page("t").html());
    EXPECT_EQ(Page("t").choice("any", {{"a", {}}}).html(), Page("t").html());
}

TEST(PageTest, FactsHaveRemarks) {
    const std::string html = Page("t").facts({{"Gap", "2 %", "by chance"}, {"Time", "1 s"}}).html();

    EXPECT_THAT(html, HasSubstr(R"(<dd>2 %</dd><dd class="remark">by chance</dd>)"));
    EXPECT_EQ(count(html, R"(<dd class="remark">)"), 1U);
}

TEST(PageTest, LongTablesScrollAndOthersAreWhole) {
    const auto table = [](std::size_t rows) {
        return Page("t").table({"a"}, std::vector<std::vector<std::string>>(rows, {"x"})).html();
    };
    EXPECT_THAT(table(40), Not(HasSubstr("scroll tall\"")));
    EXPECT_THAT(table(41), HasSubstr("scroll tall\""));
}

}  // namespace
}  // namespace lockstep::io
