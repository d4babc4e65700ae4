#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "io/page/axis.hpp"
#include "io/page/drawing.hpp"

namespace lockstep::io {

namespace {

/// What a bar can show of a value: parts are stacked, so nothing below zero.
double height_of(const Bars::Part& part, std::size_t bar) {
    const double value = bar < part.value.size() ? part.value[bar] : 0.0;
    return is_drawable(value) ? std::max(value, 0.0) : 0.0;
}

Axis y_axis_of(const Bars& bars) {
    Range range;
    for (std::size_t bar = 0; bar < bars.labels.size(); ++bar) {
        double total = 0.0;
        for (const Bars::Part& part : bars.parts) {
            total += height_of(part, bar);
        }
        range.include(total);
    }
    return value_axis(range, true, 5);
}

double middle_of(const Bars& bars, std::size_t bar) {
    return (static_cast<double>(bar) + 0.5) / static_cast<double>(bars.labels.size());
}

bool starts_with_digit(const std::string& label) {
    return !label.empty() && label.front() >= '0' && label.front() <= '9';
}

/// Every label side by side if they fit; else names slanted, and numbers or dates, which a reader
/// can fill in, every n-th.
XTicks x_ticks_of(const Bars& bars) {
    double widest = 0.0;
    for (const std::string& label : bars.labels) {
        widest = std::max(widest, text_width(label));
    }
    const double slot = 640.0 / static_cast<double>(std::max<std::size_t>(bars.labels.size(), 1));
    const bool fits = widest + 8.0 <= slot;
    const bool slanted = !fits && slot >= 15.0 && !starts_with_digit(bars.labels.front());
    const auto stride =
        slanted || fits ? 1 : static_cast<std::size_t>(std::ceil((widest + 8.0) / slot));
    XTicks x_ticks{{}, slanted};
    for (std::size_t bar = 0; bar < bars.labels.size(); bar += stride) {
        x_ticks.ticks.push_back({middle_of(bars, bar), bars.labels[bar]});
    }
    return x_ticks;
}

std::string title_of(const Bars& bars, std::size_t bar, const Bars::Part& part) {
    const double value = bar < part.value.size() ? part.value[bar] : 0.0;
    return fmt::format("{}{}{}: {}{}",
                       escape(bars.labels[bar]),
                       part.name.empty() ? "" : ", ",
                       escape(part.name),
                       value_text(value),
                       escape(unit_behind(bars.y_label)));
}

void draw_bar(const Bars& bars, std::size_t bar, const Axis& y_axis, Chart& chart) {
    const double slot = chart.width() / static_cast<double>(bars.labels.size());
    const double wide = std::max(std::min(0.76 * slot, 64.0), 0.5);
    double below = 0.0;
    for (std::size_t i = 0; i < bars.parts.size(); ++i) {
        const double value = height_of(bars.parts[i], bar);
        if (value <= 0.0) {
            continue;
        }
        const LegendEntry look = look_of_part(bars, i);
        const double top = chart.y(y_axis.fraction(below + value));
        chart.add(fmt::format(
            R"(<g {}><rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill="currentColor" fill-opacity="{:.2f}" stroke="currentColor" stroke-width=".75"><title>{}</title></rect></g>)",
            color_attributes(look.color),
            chart.x(middle_of(bars, bar)) - 0.5 * wide,
            top,
            wide,
            chart.y(y_axis.fraction(below)) - top,
            look.opacity,
            title_of(bars, bar, bars.parts[i])));
        below += value;
    }
}

}  // namespace

LegendEntry look_of_part(const Bars& bars, std::size_t part) {
    constexpr std::size_t colors = 8;
    return {bars.parts[part].name, Swatch::area, part % colors, part < colors ? 1.0 : 0.5};
}

std::vector<LegendEntry> legend_of(const Bars& bars) {
    std::vector<LegendEntry> legend;
    for (std::size_t i = 0; i < bars.parts.size(); ++i) {
        legend.push_back(look_of_part(bars, i));
    }
    std::erase_if(legend, [](const LegendEntry& entry) { return entry.name.empty(); });
    return legend;
}

std::string draw(const Bars& bars, bool outside) {
    const Axis y_axis = y_axis_of(bars);
    Chart chart({bars.title, bars.x_label, bars.y_label, legend_of(bars), describe(bars), outside},
                y_axis,
                x_ticks_of(bars));
    for (std::size_t bar = 0; bar < bars.labels.size(); ++bar) {
        draw_bar(bars, bar, y_axis, chart);
    }
    return chart.finish();
}

std::string to_svg(const Bars& bars) {
    return draw(bars, false);
}

}  // namespace lockstep::io
