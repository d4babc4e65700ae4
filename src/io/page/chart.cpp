#include "io/page/chart.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lockstep/io/page.hpp"

#include "io/page/palette.hpp"

namespace lockstep::io {

namespace {

constexpr double line_height = 18.0;

constexpr double slant_x = 0.77;  // cosine and sine of 40 degrees
constexpr double slant_y = 0.64;

/// Long names are cut, so that slanted ones do not take more room than the picture.
std::string slanted_text(const std::string& label) {
    constexpr std::size_t longest = 20;
    std::size_t characters = 0;
    for (std::size_t i = 0; i < label.size(); ++i) {
        if ((static_cast<unsigned char>(label[i]) & 0xc0U) != 0x80U && ++characters > longest) {
            return label.substr(0, i) + "…";
        }
    }
    return label;
}

/// Room for the labels of the vertical axis and for the first slanted name.
double left_margin(const Axis& y, const XTicks& x_ticks) {
    double margin = 22.0;
    for (const std::string& label : y.labels) {
        margin = std::max(margin, text_width(label) + 8.0);
    }
    if (x_ticks.slanted) {
        const XTick& first = x_ticks.ticks.front();
        const double reach = slant_x * text_width(slanted_text(first.label));
        margin = std::max(margin, reach - first.fraction * 0.9 * Chart::paper_width);
    }
    return margin;
}

}  // namespace

std::string color_attributes(std::size_t color) {
    const std::size_t place = color % series_colors.size();
    return fmt::format(R"(class="c{}" color="{}")", place, series_colors[place].light);
}

std::string marker_path(int kind, double x, double y) {
    const auto from = [&](double dx, double dy, const char* rest) {
        return fmt::format("M{:.1f} {:.1f}{}", x + dx, y + dy, rest);
    };
    switch (kind) {
        case 0:
            return from(-3, 0, "a3 3 0 1 0 6 0a3 3 0 1 0 -6 0Z");
        case 1:
            return from(-2.7, -2.7, "h5.4v5.4h-5.4Z");
        case 2:
            return from(0, -3.4, "l3.4 6h-6.8Z");
        case 3:
            return from(0, -3.8, "l3.8 3.8l-3.8 3.8l-3.8 -3.8Z");
        case 4:
            return from(0, 3.4, "l3.4 -6h-6.8Z");
        default:
            return from(-3.4, -1.2, "h2.2v-2.2h2.4v2.2h2.2v2.4h-2.2v2.2h-2.4v-2.2h-2.2Z");
    }
}

std::string swatch_svg(const LegendEntry& entry) {
    if (entry.swatch == Swatch::area) {
        return fmt::format(
            R"(<rect x=".5" y=".5" width="23" height="9" fill="currentColor" fill-opacity="{:.2f}" stroke="currentColor" stroke-opacity=".7" stroke-width=".75"/>)",
            entry.opacity);
    }
    return fmt::format(R"(<path d="M0 5h24" stroke="currentColor" stroke-width="{}"{}/>)",
                       entry.width,
                       dash_attribute(entry.dash)) +
           (entry.marker < 0 ? std::string()
                             : fmt::format(R"(<path d="{}" fill="currentColor"/>)",
                                           marker_path(entry.marker, 12.0, 5.0)));
}

std::string dash_attribute(std::string_view dash) {
    return dash.empty() ? std::string() : fmt::format(R"( stroke-dasharray="{}")", dash);
}

double text_width(std::string_view text) noexcept {
    const auto characters = std::ranges::count_if(text, [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;  // UTF-8 continuations
    });
    return 7.3 * static_cast<double>(characters);
}

Chart::Chart(const Labels& labels, const Axis& y, const XTicks& x_ticks)
    : name_(labels.title.empty() ? labels.y : labels.title), about_(labels.about) {
    if (!labels.outside) {
        write_title(labels.title);
        write_legend(labels.legend);
    }
    if (!labels.y.empty()) {
        svg_ += fmt::format(R"(<text y="{:.1f}">{}</text>)", top_ + 4.0, escape(labels.y));
        top_ += 20.0;
    }
    bottom_ = top_ + height;
    left_ = left_margin(y, x_ticks);
    write_y_axis(y);
    if (y.ticks.empty()) {
        write_text(x(0.5), top_ + 0.5 * height, "middle", "no data");
    }
    write_x_axis(x_ticks, labels.x);
}

std::string Chart::finish() {
    return fmt::format(
        R"(<svg class="chart" viewBox="0 0 {:.0f} {:.0f}" width="100%" role="img" aria-label="{}" )"
        R"(color="{}" fill="none" font-family="system-ui, -apple-system, 'Segoe UI', Roboto, )"
        R"('Helvetica Neue', Arial, 'DejaVu Sans', sans-serif" font-size="12">)"
        R"(<title>{}</title><desc>{}</desc><g fill="currentColor">{}</g></svg>)",
        paper_width,
        paper_height_,
        escape(name_),
        muted.light,
        escape(name_),
        escape(about_),
        svg_);
}

void Chart::write_title(std::string_view title) {
    if (!title.empty()) {
        svg_ += fmt::format(R"(<text y="{:.1f}" font-size="15" font-weight="600">{}</text>)",
                            top_ + 8.0,
                            escape(title));
        top_ += 24.0;
    }
}

void Chart::write_legend(const std::vector<LegendEntry>& legend) {
    double x = 0.0;
    for (const LegendEntry& entry : legend) {
        const double width = 30.0 + text_width(entry.name);
        if (x > 0.0 && x + width > paper_width) {
            x = 0.0;
            top_ += line_height;
        }
        const double baseline = top_ + 6.0;
        svg_ += fmt::format(
            R"svg(<g {} transform="translate({:.1f} {:.1f})">{}</g><text x="{:.1f}" y="{:.1f}">{}</text>)svg",
            color_attributes(entry.color),
            x,
            baseline - 9.0,
            swatch_svg(entry),
            x + 30.0,
            baseline,
            escape(entry.name));
        x += width + 16.0;
    }
    top_ += legend.empty() ? 0.0 : line_height + 4.0;
}

void Chart::write_y_axis(const Axis& y_axis) {
    for (std::size_t i = 0; i < y_axis.ticks.size(); ++i) {
        const double place = y(y_axis.fraction(y_axis.ticks[i]));
        const bool strong = y_axis.ticks[i] == 0.0 && y_axis.low < 0.0;
        svg_ += fmt::format(
            R"(<path d="M{:.1f} {:.1f}H{:.1f}" stroke="currentColor" stroke-opacity="{}"/>)"
            R"(<text x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)",
            left_,
            place,
            paper_width - right_margin,
            strong ? ".6" : ".16",
            left_ - 8.0,
            place + 4.0,
            y_axis.labels[i]);
    }
}

void Chart::write_x_axis(const XTicks& x_ticks, std::string_view label) {
    svg_ += fmt::format(
        R"(<path d="M{:.1f} {:.1f}H{:.1f}" stroke="currentColor" stroke-opacity=".6"/>)",
        left_,
        bottom_,
        paper_width - right_margin);
    double widest = 0.0;
    for (const XTick& tick : x_ticks.ticks) {
        widest = std::max(widest, text_width(slanted_text(tick.label)));
        x_ticks.slanted ? write_slanted_tick(tick) : write_tick(tick);
    }
    const double below = x_ticks.slanted ? 20.0 + slant_y * widest : 24.0;
    paper_height_ = bottom_ + (x_ticks.ticks.empty() ? 8.0 : below);
    if (!label.empty()) {
        write_text(x(0.5), paper_height_ + 11.0, "middle", label);
        paper_height_ += 18.0;
    }
}

void Chart::write_tick(const XTick& tick) {
    const double place = x(tick.fraction);
    const double half = 0.5 * text_width(tick.label);
    svg_ += fmt::format(R"(<path d="M{:.1f} {:.1f}v4" stroke="currentColor" stroke-opacity=".6"/>)",
                        place,
                        bottom_);
    write_text(std::clamp(place, half, std::max(half, paper_width - half)),
               bottom_ + 17.0,
               "middle",
               tick.label);
}

void Chart::write_slanted_tick(const XTick& tick) {
    svg_ += fmt::format(
        R"svg(<text transform="translate({:.1f} {:.1f}) rotate(-40)" text-anchor="end">{}</text>)svg",
        x(tick.fraction) + 4.0,
        bottom_ + 14.0,
        escape(slanted_text(tick.label)));
}

void Chart::write_text(double x, double y, std::string_view anchor, std::string_view text) {
    svg_ += fmt::format(
        R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>)", x, y, anchor, escape(text));
}

}  // namespace lockstep::io
