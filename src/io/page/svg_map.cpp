#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "io/page/cell_map.hpp"
#include "io/page/chart.hpp"

namespace lockstep::io {

namespace {

/// Small boards have large cells; what would not fit a page goes without letters.
double side_of(const CellMap& map) {
    constexpr double widest = 720.0;
    return std::clamp(widest / std::max({map.columns, map.rows, 1}), 4.0, 46.0);
}

constexpr double letters_from = 26.0;  // side of a cell that letters fit in

/// So pale at most that ink on it can be read.
double opacity_of(double value, double low, double high) {
    constexpr double palest = 0.05;
    constexpr double darkest = 0.62;
    return high > low ? palest + (darkest - palest) * (value - low) / (high - low) : palest;
}

std::string fill_of(const CellMap::Cell& cell, double low, double high) {
    if (!is_drawable(cell.value)) {
        return R"(fill="none")";
    }
    return fmt::format(R"({} fill="currentColor" fill-opacity="{:.3f}")",
                       color_attributes(0),
                       opacity_of(cell.value, low, high));
}

std::string letters_of(const CellMap::Cell& cell, double x, double y, double side) {
    std::string svg;
    if (!cell.mark.empty()) {
        svg += fmt::format(
            R"(<text x="{:.1f}" y="{:.1f}" font-size="10" fill-opacity=".75">{}</text>)",
            x + 3.0,
            y + 11.0,
            escape(cell.mark));
    }
    if (!cell.glyphs.empty()) {
        const double size = std::min(0.42 * side, 1.4 * side / text_width(cell.glyphs) * 7.3);
        svg += fmt::format(
            R"(<text x="{:.1f}" y="{:.1f}" font-size="{:.1f}" text-anchor="middle">{}</text>)",
            x + 0.5 * side,
            y + 0.5 * side + 0.36 * size,
            size,
            escape(cell.glyphs));
    }
    return svg;
}

std::string cell_svg(const CellMap& map, std::size_t number, double low, double high) {
    const CellMap::Cell& cell = map.cells[number];
    const double side = side_of(map);
    const auto columns = static_cast<std::size_t>(map.columns);
    const double x = side * static_cast<double>(number % columns);
    const double y = side * static_cast<double>(number / columns);
    return fmt::format(
        R"(<g><title>{}</title><rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" {}/>{}</g>)",
        escape(cell.about),
        x,
        y,
        side,
        side,
        fill_of(cell, low, high),
        side < letters_from ? std::string() : letters_of(cell, x, y, side));
}

/// Lines between cells that are large enough to have some.
std::string grid_svg(const CellMap& map) {
    const double side = side_of(map);
    const double width = side * map.columns;
    const double height = side * map.rows;
    std::string path = fmt::format("M0 0H{0:.1f}V{1:.1f}H0Z", width, height);
    for (int i = 1; i < map.rows && side >= 8.0; ++i) {
        path += fmt::format("M0 {:.1f}H{:.1f}", side * i, width);
    }
    for (int i = 1; i < map.columns && side >= 8.0; ++i) {
        path += fmt::format("M{:.1f} 0V{:.1f}", side * i, height);
    }
    return fmt::format(R"(<path d="{}" fill="none" stroke="currentColor" stroke-opacity=".35"/>)",
                       path);
}

}  // namespace

std::string to_svg(const CellMap& map, double low, double high) {
    const double side = side_of(map);
    std::string svg;
    for (std::size_t i = 0; i < map.cells.size(); ++i) {
        svg += cell_svg(map, i, low, high);
    }
    return fmt::format(
        R"(<svg class="board" viewBox="-1 -1 {0:.0f} {1:.0f}" width="{0:.0f}" height="{1:.0f}" role="img" )"
        R"(aria-label="{2}" font-family="system-ui, -apple-system, 'Segoe UI', Roboto, )"
        R"('Helvetica Neue', Arial, 'DejaVu Sans', sans-serif" fill="currentColor">{3}{4}</svg>)",
        side * map.columns + 2.0,
        side * map.rows + 2.0,
        escape(map.title),
        svg,
        grid_svg(map));
}

Range range_of(const std::vector<CellMap>& maps) {
    Range range;
    for (const CellMap& map : maps) {
        for (const CellMap::Cell& cell : map.cells) {
            if (is_drawable(cell.value)) {
                range.include(cell.value);
            }
        }
    }
    return range;
}

std::string scale_html(const Range& range, std::string_view label) {
    constexpr int steps = 12;
    std::string strip;
    for (int i = 0; i < steps; ++i) {
        strip += fmt::format(
            R"(<rect x="{}" width="10" height="12" {} fill="currentColor" fill-opacity="{:.3f}"/>)",
            10 * i,
            color_attributes(0),
            opacity_of(i, 0, steps - 1));
    }
    return fmt::format(
        R"(<p class="scale">{} {} <svg width="{}" height="12" aria-hidden="true">{}</svg> {}</p>)",
        escape(label),
        value_text(range.low),
        10 * steps,
        strip,
        value_text(range.high));
}

}  // namespace lockstep::io
