#include "io/page/heat_map.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/io/page/markup.hpp"

namespace lockstep::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

HeatMap small_map() {
    HeatMap map{"Data", "t₂ [s]", "t₁ [s]", "C", 2, 3, {1, 2, 3, 4, nan, 6}};
    map.low = 1;
    map.high = 6;
    return map;
}

TEST(HeatMapTest, AveragesBlocksOfWhatHasAColour) {
    HeatMap map{.rows = 4, .columns = 4};
    map.values = {1,
                  3,
                  5,
                  5,  //
                  1,
                  3,
                  5,
                  5,  //
                  nan,
                  7,
                  nan,
                  nan,  //
                  nan,
                  9,
                  nan,
                  nan};
    const HeatMap small = map.averaged(2);

    ASSERT_EQ(small.rows, 2);
    ASSERT_EQ(small.columns, 2);
    EXPECT_EQ(small.values[0], 2);
    EXPECT_EQ(small.values[1], 5);
    EXPECT_EQ(small.values[2], 8);
    EXPECT_TRUE(std::isnan(small.values[3]));
}

TEST(HeatMapTest, AveragesToAnyNumberOfBlocksAndKeepsTheMean) {
    HeatMap map{.rows = 7, .columns = 5};
    map.values.assign(35, 2.5);
    const HeatMap small = map.averaged(3);

    EXPECT_EQ(small.values.size(), 9U);
    EXPECT_THAT(small.values, testing::Each(2.5));
    EXPECT_EQ(map.averaged(100).values, map.values);
}

TEST(HeatMapTest, FirstRowIsTheLowestAndWhatIsMissingIsTransparent) {
    const Image image = image_of(small_map());

    EXPECT_EQ(image.width, 3);
    EXPECT_EQ(image.height, 2);
    EXPECT_THAT(image.pixels, ElementsAre(60, 0, 100, 1, 21, 41));
}

TEST(HeatMapTest, ValuesBeyondTheEndsHaveTheirColours) {
    HeatMap map = small_map();
    map.low = 2;
    map.high = 3;

    EXPECT_THAT(image_of(map).pixels, ElementsAre(100, 0, 100, 1, 1, 100));
}

TEST(HeatMapTest, DivergingColoursArePaleInTheMiddle) {
    HeatMap map = small_map();
    map.diverging = true;
    const auto colors = image_of(map).colors;
    const auto lightness = [&](std::size_t level) {
        return colors[level].red + colors[level].green + colors[level].blue;
    };

    EXPECT_GT(lightness(50), 700);
    EXPECT_LT(lightness(1), 300);
    EXPECT_LT(lightness(100), 300);
    EXPECT_GT(colors[1].blue, colors[1].red);
    EXPECT_GT(colors[100].red, colors[100].blue);
}

TEST(HeatMapTest, SvgHasImageScaleAndLabels) {
    HeatMap map = small_map();
    map.title = map.x_label = map.y_label = map.value_label = "<b>";
    const std::string svg = to_svg(map);

    EXPECT_EQ(count(svg, "data:image/png;base64,"), 2U);
    EXPECT_EQ(count(svg, "&lt;b&gt;"), 7U);
    EXPECT_EQ(count(svg, "<b>"), 0U);
    EXPECT_EQ(unbalanced(svg), "");
}

TEST(HeatMapTest, MapsWithoutValuesOrExtentAreDrawn) {
    HeatMap flat{.rows = 1, .columns = 1, .values = {nan}};
    flat.low = flat.high = 3;
    flat.x_ends = {2, 2};

    EXPECT_EQ(unbalanced(to_svg(flat)), "");
    EXPECT_EQ(unbalanced(to_svg(HeatMap{})), "");
}

}  // namespace
}  // namespace lockstep::io
