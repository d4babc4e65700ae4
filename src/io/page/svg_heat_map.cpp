#include <algorithm>

#include <fmt/format.h>

#include "lockstep/io/json.hpp"

#include "io/page/axis.hpp"
#include "io/page/chart.hpp"
#include "io/page/heat_map.hpp"

namespace lockstep::io {

namespace {

constexpr double paper_width = 320.0;
constexpr double top = 22.0;  // room for the name of the vertical axis
constexpr double right_margin = 14.0;
constexpr double bar_height = 10.0;
constexpr int most_ticks = 4;
constexpr int most_cells = 400;  // of a side: no screen shows more of them beside each other

Axis axis_between(std::pair<double, double> ends) {
    Range range;
    range.include(ends.first);
    range.include(ends.second);
    return position_axis(range, false, most_ticks);
}

std::string text_at(double x, double y, const char* anchor, std::string_view text) {
    return fmt::format(
        R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>)", x, y, anchor, escape(text));
}

std::string image_at(const Image& image, double x, double y, double width, double height) {
    return fmt::format(
        R"(<image x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" preserveAspectRatio="none" href="{}"/>)"
        R"(<path d="M{:.1f} {:.1f}h{:.1f}v{:.1f}h-{:.1f}z" fill="none" stroke="currentColor" stroke-opacity=".5"/>)",
        x,
        y,
        width,
        height,
        data_uri(image),
        x,
        y,
        width,
        height,
        width);
}

/// Ticks below a line from `left` on.
std::string ticks_below(const Axis& axis, double left, double width, double y) {
    std::string svg;
    for (std::size_t i = 0; i < axis.ticks.size(); ++i) {
        const double place = left + axis.fraction(axis.ticks[i]) * width;
        const double half = 0.5 * text_width(axis.labels[i]);
        svg += fmt::format(
            R"(<path d="M{:.1f} {:.1f}v4" stroke="currentColor" stroke-opacity=".6"/>)", place, y);
        svg += text_at(
            std::clamp(place, half, paper_width - half), y + 16.0, "middle", axis.labels[i]);
    }
    return svg;
}

std::string ticks_beside(const Axis& axis, double left, double side) {
    std::string svg;
    for (std::size_t i = 0; i < axis.ticks.size(); ++i) {
        const double place = top + side - axis.fraction(axis.ticks[i]) * side;
        svg += fmt::format(
            R"(<path d="M{:.1f} {:.1f}h-4" stroke="currentColor" stroke-opacity=".6"/>)",
            left,
            place);
        svg += text_at(left - 7.0, place + 4.0, "end", axis.labels[i]);
    }
    return svg;
}

double left_of(const Axis& y) {
    double widest = 0.0;
    for (const std::string& label : y.labels) {
        widest = std::max(widest, text_width(label));
    }
    return std::max(24.0, widest + 9.0);
}

/// What the page's script reads values under the pointer with: where the image stands, what its
/// axes and its colours span.
std::string reading_of(const HeatMap& map, double left, double side) {
    const auto pair = [](double low, double high) { return Json(Json::Array{low, high}); };
    Json data;
    data.set("left", left).set("top", top).set("side", side);
    data.set("x", pair(map.x_ends.first, map.x_ends.second));
    data.set("y", pair(map.y_ends.first, map.y_ends.second));
    data.set("value", pair(map.low, map.high));
    data.set("labels", Json(Json::Array{map.x_label, map.y_label, map.value_label}));
    return escape(to_text(data));
}

}  // namespace

std::string to_svg(const HeatMap& map) {
    const HeatMap shown = map.averaged(most_cells);
    const Axis x = axis_between(map.x_ends);
    const Axis y = axis_between(map.y_ends);
    const double left = left_of(y);
    const double side = paper_width - left - right_margin;
    const double bottom = top + side;
    const double bar = bottom + 46.0;
    const double middle = left + 0.5 * side;
    std::string svg = text_at(0.0, 12.0, "start", map.y_label);
    svg += image_at(image_of(shown), left, top, side, side);
    svg += ticks_beside(y, left, side) + ticks_below(x, left, side, bottom);
    svg += text_at(middle, bottom + 32.0, "middle", map.x_label);
    svg += image_at(color_bar(shown), left, bar, side, bar_height);
    svg += ticks_below(axis_between({map.low, map.high}), left, side, bar + bar_height);
    svg += text_at(middle, bar + bar_height + 32.0, "middle", map.value_label);
    return fmt::format(
        R"(<svg class="heat" data-heat="{}" viewBox="0 0 {:.0f} {:.0f}" role="img" aria-label="{}" fill="currentColor" font-size="12">{}</svg>)",
        reading_of(map, left, side),
        paper_width,
        bar + bar_height + 38.0,
        escape(map.title),
        svg);
}

}  // namespace lockstep::io
