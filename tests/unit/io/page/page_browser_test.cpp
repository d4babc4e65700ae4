#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <regex>
#include <sstream>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/io/file.hpp"
#include "lockstep/io/page.hpp"

#include "unit/io/page/markup.hpp"
#include "unit/io/temporary_folder.hpp"

namespace lockstep::io {
namespace {

using testing::HasSubstr;

/// The document after its scripts ran, in a window that leaves the pictures their width on paper.
std::string document_in_browser(const std::string& html) {
    const TemporaryFolder folder;
    write_file(folder / "page.html", html);
    const std::string command =
        "timeout 60 chromium --headless --no-sandbox --disable-gpu --no-first-run "
        "--disable-background-networking"
        " --disable-component-update --disable-sync --hide-scrollbars --window-size=760,900 "
        "--virtual-time-budget=2000 "
        "--user-data-dir=" +
        (folder / "profile").string() + " --dump-dom file://" + (folder / "page.html").string() +
        " 2>/dev/null";
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"),
                                                               ::pclose);
    std::string document;
    std::array<char, 4096> part{};
    while (const std::size_t got = std::fread(part.data(), 1, part.size(), pipe.get())) {
        document.append(part.data(), got);
    }
    return document;
}

class PageBrowserTest : public testing::Test {
protected:
    void SetUp() override {
        if (std::system("command -v chromium >/dev/null 2>&1") != 0) {
            GTEST_SKIP() << "chromium is not installed";
        }
    }
};

/// What a picture is made of: lines, areas, bars, dots and words, in order.
std::vector<std::string> shapes(const std::string& svg) {
    std::vector<std::string> all;
    for (const auto& [element, attribute] :
         {std::pair("path", "d"), {"rect", "height"}, {"circle", "cx"}}) {
        for (const std::string& value : attributes(svg, element, attribute)) {
            all.push_back(value);
        }
    }
    for (const std::string& text : between(svg, "<text", "</text>")) {
        all.push_back(text.substr(text.find('>') + 1));
    }
    return all;
}

/// Equal but for numbers, which may differ where the last written digit was rounded.
bool alike(const std::string& a, const std::string& b) {
    std::istringstream left(std::regex_replace(a, std::regex("[A-Za-z]"), " $& "));
    std::istringstream right(std::regex_replace(b, std::regex("[A-Za-z]"), " $& "));
    std::string x;
    std::string y;
    while (left >> x && right >> y) {
        const bool numbers = std::isdigit(x.front()) != 0 && std::isdigit(y.front()) != 0;
        if (x != y && !(numbers && std::abs(std::stod(x) - std::stod(y)) < 0.11)) {
            return false;
        }
    }
    return left.eof() && !(right >> y);
}

std::vector<std::string> pictures(const std::string& document) {
    return between(document, "<div class=\"canvas\"", "</svg>");
}

TEST_F(PageBrowserTest, ScriptDrawsWhatThePaperShows) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    Page page("A <title> & more");
    Plot fan{.x_label = "stage", .y_label = "hm³", .from_zero = true};
    fan.bands = {{"outer", {0, 1, 2, 3}, {1, 2, nan, 4}, {11, 12, 13, 14}},
                 {"inner", {0, 1}, {3, 3}, {4, 4}}};
    fan.lines = {{"mean", {}, {}}, {"other", {0, 2.5, 3}, {-7, 8, 9}, true}};
    for (int i = 0; i < 300; ++i) {  // so many that the paper has no titles on the points
        fan.lines[0].x.push_back(0.01 * i);
        fan.lines[0].y.push_back(i == 7 || i == 9 ? nan : 1e4 / 3.0 * i);
    }
    page.plot(fan);
    fan.log_y = true;
    fan.from_zero = false;
    page.plot(fan);
    fan.lines[0].y.assign(300, 1.23456789e9);
    fan.x_ticks = {"2018-01", "2018-02", "<b>", "&"};
    page.choice("any", {{"first", {fan}}, {"second", {Plot{}}}});
    page.bars({.y_label = "GWh",
               .labels = {"a", "b", "c"},
               .parts = {{"p", {1e6, 2e6, nan}}, {"q", {3e5, 0, 1e-3}}}});
    page.plot({});
    Plot lags{.lines = {fan.lines[0]}, .log_x = true};
    for (std::size_t i = 0; i < 300; ++i) {
        lags.lines[0].y[i] = std::sqrt(lags.lines[0].x[i]);
    }
    page.plot(lags);
    const std::string html = page.html();

    const std::string document = document_in_browser(html);

    EXPECT_THAT(document, HasSubstr("<title>A &lt;title&gt; &amp; more</title>"));
    const auto paper = pictures(html);
    const auto screen = pictures(document);
    ASSERT_EQ(paper.size(), 6U);
    ASSERT_EQ(screen.size(), 6U);
    for (std::size_t i = 0; i < paper.size(); ++i) {
        const auto drawn = shapes(screen[i]);
        const auto wanted = shapes(paper[i]);
        ASSERT_EQ(drawn.size(), wanted.size()) << "picture " << i;
        for (std::size_t k = 0; k < drawn.size(); ++k) {
            EXPECT_TRUE(alike(drawn[k], wanted[k]))
                << "picture " << i << ": " << drawn[k] << " for " << wanted[k];
        }
    }
    EXPECT_THAT(document, HasSubstr("<option value=\"1\">second</option>"));
}

/// A page whose script also runs `test`, which leaves what it found as the text of #found.
std::string found_by(const std::string& test, const Page& page) {
    auto html = page.html();
    html.insert(
        html.rfind("</body>"),
        "<pre id=\"found\"></pre><script>{"
        "const files = [], found = [];"
        "window.Blob = function (parts) { files.push(parts.join('')); };"
        "URL.createObjectURL = () => '#';"
        "HTMLAnchorElement.prototype.click = function () { files.push(this.download); };"
        "const saved = () => { const [text, name] = files.splice(0); return `${name}\\n${text}`; };"
        "const press = (name, at = 0) => [...document.querySelectorAll('button')]"
        "  .filter(b => b.textContent === name)[at].click();"
        "const key = name => document.querySelector('.canvas')"
        "  .dispatchEvent(new KeyboardEvent('keydown', {key: name, cancelable: true}));" +
            test + "document.getElementById('found').textContent = found.join('\\n'); }</script>");
    return between(document_in_browser(html), "<pre id=\"found\">", "</pre>").front();
}

Page small_page() {
    Plot plot{.title = "Água, stored", .x_label = "stage", .y_label = "volume [hm³]"};
    plot.x_ticks = {"2018-01", "2018-02", "2018-03", "2018-04", "2018-05"};
    plot.bands = {{"all", {0, 1, 2, 3, 4}, {1, 1, 1, 1, 1}, {9, 9, 9, 9, 9}}};
    plot.lines = {{"median, \"50 %\"", {0, 1, 2, 3, 4}, {2, 1234.5, NAN, 4, 5}}};
    Page page("t");
    page.choice("Plant", {{"first", {plot}}, {"second", {}}});
    page.bars(
        {.title = "Parts", .x_label = "stage", .labels = {"a", "b"}, .parts = {{"p", {1, 2}}}});
    return page;
}

TEST_F(PageBrowserTest, ChoosesMapsAlongWithPlots) {
    const Plot plot{.title = "g", .lines = {{"", {1, 2}, {3, 4}}}};
    const auto map = [](const char* title) {
        return HeatMap{.title = title, .rows = 1, .columns = 2, .values = {0, 1}};
    };
    Page page("t");
    page.choice("Angle",
                {{"0", {plot}, {map("first"), map("other")}}, {"30", {plot}, {map("second")}}});
    const std::string found = found_by(
        "const select = document.querySelector('select'); select.value = 1;"
        "select.dispatchEvent(new Event('change'));"
        "for (const figure of document.querySelectorAll('[data-pictures]'))"
        "  found.push(figure.hidden, figure.querySelector('figcaption').textContent,"
        "    figure.querySelector('svg').getAttribute('aria-label'));",
        page);

    EXPECT_EQ(found, "false\nsecond\nsecond\ntrue\nother\nother");
}

TEST_F(PageBrowserTest, SavesFiguresAsCsv) {
    EXPECT_EQ(found_by("press('CSV'); found.push(saved()); press('CSV', 1);"
                       "found.push(saved());",
                       small_page()),
              "agua-stored.csv\n"
              "stage,\"median, \"\"50 %\"\" [hm³]\",\"all, low [hm³]\",\"all, high [hm³]\"\n"
              "2018-01,2,1,9\n"
              "2018-02,1234.5,1,9\n"
              "2018-03,,1,9\n"
              "2018-04,4,1,9\n"
              "2018-05,5,1,9\n\n"
              "parts.csv\nstage,p\na,1\nb,2\n");
}

TEST_F(PageBrowserTest, SavesFiguresAsSvgWithTheirColours) {
    const std::string svg = found_by("press('SVG'); found.push(saved());", small_page());

    EXPECT_THAT(svg, HasSubstr("agua-stored.svg\n&lt;svg xmlns=\"http://www.w3.org/2000/svg\""));
    EXPECT_THAT(svg, HasSubstr("Água, stored"));
    EXPECT_THAT(svg, HasSubstr(".c0{color:#0072b2}"));
    EXPECT_THAT(svg, HasSubstr("2018-01"));
}

TEST_F(PageBrowserTest, HidesSeriesAndZooms) {
    const std::string found = found_by(
        "press('all'); press('CSV'); found.push(saved().split('\\n')[1]);"
        "key('+'); press('CSV'); found.push(saved().split('\\n').slice(2, -1).join('|'));"
        "key('0'); press('CSV'); found.push(saved().split('\\n').length);"
        "key('ArrowRight'); found.push(document.querySelector('[role=status]').textContent);",
        small_page());

    EXPECT_EQ(found,
              "stage,\"median, \"\"50 %\"\" [hm³]\"\n"
              "2018-02,1234.5|2018-03,|2018-04,4\n"
              "8\n"
              "2018-01: median, \"50 %\" 2 hm³");
}

TEST_F(PageBrowserTest, ZoomsWhereThePointerDrags) {
    const std::string found = found_by(
        "const canvas = document.querySelector('.canvas');"
        "const point = (type, share) => { const box = canvas.getBoundingClientRect();"
        "  canvas.dispatchEvent(new PointerEvent(type, {button: 0, cancelable: true,"
        "    clientX: box.left + share * box.width, clientY: box.top + 60})); };"
        "const stages = () => { press('CSV');"
        "  return saved().split('\\n').slice(2, -1).map(row => row.split(',')[0]).join(' '); };"
        "point('pointerdown', 0.3); point('pointermove', 0.8); point('pointerup', 0.8);"
        "found.push(stages());"
        "canvas.dispatchEvent(new MouseEvent('dblclick')); found.push(stages());",
        small_page());

    EXPECT_EQ(found, "2018-02 2018-03 2018-04\n2018-01 2018-02 2018-03 2018-04 2018-05");
}

TEST_F(PageBrowserTest, ZoomsIntoBarsAgainAndAgain) {
    Page page("t");
    page.bars({.title = "Bars",
               .labels = {"a", "b", "c", "d", "e", "f", "g", "h", "i"},
               .parts = {{"p", {1, 2, 3, 4, 5, 6, 7, 8, 9}}}});

    EXPECT_EQ(found_by("const bars = () => { press('CSV');"
                       "  return saved().split('\\n').slice(2, -1).join(' '); };"
                       "key('+'); found.push(bars()); key('+'); found.push(bars());"
                       "key('-'); found.push(bars().length);",
                       page),
              "c,3 d,4 e,5 f,6 g,7\nd,4 e,5 f,6\n35");
}

TEST_F(PageBrowserTest, ReadsHeatMapsUnderThePointer) {
    HeatMap map{.title = "C", .x_label = "t₂ [s]", .y_label = "t₁ [s]", .value_label = "C(t₁, t₂)"};
    map.rows = 2;
    map.columns = 2;
    map.values = {1, 1.5, NAN, 2};  // the first row is the lowest
    map.x_ends = {0, 4};
    map.y_ends = {0, 8};
    map.low = 1;
    map.high = 2;
    Page page("t");
    page.choice("Angle", {{"0", {}, {map}}});

    const auto read = found_by(
        "setTimeout(() => {"  // images are read by then
        "  const svg = document.querySelector('svg.heat'), place = svg.getBoundingClientRect();"
        "  const heat = JSON.parse(svg.dataset.heat), scale = place.width / 320;"
        "  for (const [fx, fy] of [[0.25, 0.25], [0.75, 0.25], [0.75, 0.75], [0.25, 0.75], [1.2, "
        "0.5]]) {"
        "    svg.dispatchEvent(new PointerEvent('pointermove', {bubbles: true,"
        "      clientX: place.left + (heat.left + fx * heat.side) * scale,"
        "      clientY: place.top + (heat.top + (1 - fy) * heat.side) * scale}));"
        "    const tip = document.querySelector('.tip');"
        "    found.push(tip.hidden ? 'none'"
        "      : [...tip.querySelectorAll('td')].map(cell => cell.textContent).join(' '));"
        "  }"
        "  document.getElementById('found').textContent = found.join('\\n');"
        "}, 500);",
        page);

    EXPECT_EQ(read,
              "t₂ 1 s t₁ 2 s C(t₁, t₂) ≤ 1\n"
              "t₂ 3 s t₁ 2 s C(t₁, t₂) 1.505\n"  // to a hundredth of what the colours span
              "t₂ 3 s t₁ 6 s C(t₁, t₂) ≥ 2\n"
              "t₂ 1 s t₁ 6 s C(t₁, t₂) –\n"
              "none");
}

TEST_F(PageBrowserTest, LeavesOutFiguresThatOneOfManyDoesNotHave) {
    const std::string found = found_by(
        "const list = document.querySelector('select'); list.value = 1;"
        "list.dispatchEvent(new Event('change'));"
        "found.push(document.querySelector('figure').hidden);",
        small_page());

    EXPECT_EQ(found, "true");
}

}  // namespace
}  // namespace lockstep::io
