#include "lockstep/io/page.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/io/json.hpp"

#include "unit/io/markup.hpp"

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
    page.choice("Plant", {{"a", storage(1.0)}});
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
    page.heading(evil).paragraph(evil).facts({{evil, evil}}).table({evil}, {{evil}}).plot(plot);
    page.bars({.title = evil, .labels = {evil}, .parts = {{evil, {1.0}}}});
    page.choice(evil, {{evil, plot}, {"b", plot}});
    page.data("raw", to_text(Json(evil)));
    const std::string html = page.html();

    EXPECT_THAT(html, Not(HasSubstr("<b x")));
    EXPECT_EQ(count(html, "</script>"), 5U);  // two plots, choice, raw data, the script
    EXPECT_EQ(*data_of(html)[3].if_string(), evil);
    EXPECT_EQ(*data_of(html)[0].find("title")->if_string(), evil);
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
    EXPECT_TRUE(*second.find("dashed")->if_bool());
}

TEST(PageTest, DataKeepsTheDigitsThatANarrowAxisShows) {
    const Plot plot{.lines = {{"bound", {1, 2, 3}, {1.23456789e9, 1.23456790e9, 1.23456791e9}}}};
    const Json data = data_of(Page("t").plot(plot).html())[0];

    EXPECT_EQ(to_text(*(*data.find("lines")->if_array())[0].find("y")),
              "[1234567890,1234567900,1234567910]");
}

TEST(PageTest, ChoiceShowsTheFirstAndKeepsTheOthersSmall) {
    std::vector<std::pair<std::string, Plot>> plots;
    for (int plant = 0; plant < 150; ++plant) {
        plots.emplace_back("plant " + std::to_string(plant), storage(1.0 + plant));
    }
    const std::string html = Page("t").choice("Storage of any plant", plots).html();
    const Json data = data_of(html)[0];

    EXPECT_EQ(count(html, "<svg"), 1U + 1U);  // one picture, one in the script
    EXPECT_LT(html.size(), 400000U);
    EXPECT_EQ(data.find("names")->if_array()->size(), 150U);
    const Json::Array& all = *data.find("plots")->if_array();
    ASSERT_EQ(all.size(), 150U);
    EXPECT_NE(all[0].find("x_ticks"), nullptr);
    EXPECT_EQ(all[1].find("x_ticks"), nullptr);
    EXPECT_NE(all[1].find("lines"), nullptr);
}

TEST(PageTest, ChoiceOfNothingIsNothing) {
    EXPECT_EQ(Page("t").choice("any", {}).html(), Page("t").html());
}

}  // namespace
}  // namespace lockstep::io
