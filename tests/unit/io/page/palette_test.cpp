#include "io/page/palette.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/io/page.hpp"

namespace lockstep::io {
namespace {

// Relative luminance and contrast as WCAG 2.1 defines them.
double luminance(std::string_view color) {
    const double weights[] = {0.2126, 0.7152, 0.0722};
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        int byte = 0;
        std::from_chars(color.data() + 1 + 2 * i, color.data() + 3 + 2 * i, byte, 16);
        const double c = byte / 255.0;
        sum += weights[i] * (c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
    }
    return sum;
}

double contrast(std::string_view a, std::string_view b) {
    const auto [low, high] = std::minmax({luminance(a), luminance(b)});
    return (high + 0.05) / (low + 0.05);
}

TEST(PaletteTest, ContrastIsThatOfThePublishedExamples) {
    EXPECT_NEAR(contrast("#000000", "#ffffff"), 21, 1e-9);
    EXPECT_NEAR(contrast("#777777", "#ffffff"), 4.48, 0.005);  // WebAIM's well-known near miss
}

TEST(PaletteTest, SeriesStandOutFromThePaper) {
    for (const Shade& color : series_colors) {
        EXPECT_GE(contrast(color.light, paper.light), 3) << color.light;
        EXPECT_GE(contrast(color.dark, paper.dark), 3) << color.dark;
    }
    EXPECT_GE(contrast(muted.light, paper.light), 4.5) << "words";
    EXPECT_GE(contrast(muted.dark, paper.dark), 4.5);
}

TEST(PaletteTest, PageAndPictureHaveTheSameColours) {
    Plot plot;
    for (std::size_t i = 0; i < series_colors.size(); ++i) {
        plot.lines.push_back({"line " + std::to_string(i), {0, 1}, {1, 2}});
    }
    const std::string html = Page("t").plot(plot).html();
    const std::string svg = to_svg(plot);

    for (std::size_t i = 0; i < series_colors.size(); ++i) {
        const auto rule = "--c" + std::to_string(i) + ": ";
        EXPECT_THAT(html, testing::HasSubstr(rule + std::string(series_colors[i].light)));
        EXPECT_THAT(html, testing::HasSubstr(rule + std::string(series_colors[i].dark)));
        EXPECT_THAT(svg, testing::HasSubstr(std::string(series_colors[i].light)));
    }
}

}  // namespace
}  // namespace lockstep::io
