#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "io/page/axis.hpp"
#include "io/page/drawing.hpp"
#include "io/page/palette.hpp"

namespace lockstep::io {

namespace {

/// More points than this get no hover text of their own: it would outweigh the picture.
constexpr std::size_t most_titles = 240;

std::size_t points_of(const Series& line) {
    return std::min(line.x.size(), line.y.size());
}

std::size_t points_of(const Band& band) {
    return std::min({band.x.size(), band.low.size(), band.high.size()});
}

/// Lower or upper ends of error bars.
std::vector<double> beside(const Series& line, double sign) {
    std::vector<double> ends;
    for (std::size_t i = 0; i < std::min(line.error.size(), line.y.size()); ++i) {
        ends.push_back(line.y[i] + sign * line.error[i]);
    }
    return ends;
}

Axis y_axis_of(const Plot& plot) {
    Range range;
    for (const Band& band : plot.bands) {
        range.include(band.low, plot.log_y);
        range.include(band.high, plot.log_y);
    }
    for (const Series& line : plot.lines) {
        range.include(line.y, plot.log_y);
        range.include(beside(line, -1.0), plot.log_y);
        range.include(beside(line, 1.0), plot.log_y);
    }
    constexpr int most = 5;
    return plot.log_y ? log_axis(range, most) : value_axis(range, plot.from_zero, most);
}

Axis x_axis_of(const Plot& plot) {
    Range range;
    bool whole = true;
    const auto include = [&](const std::vector<double>& x) {
        range.include(x, plot.log_x);
        whole = whole && std::ranges::all_of(x, [](double v) { return v == std::floor(v); });
    };
    for (const Band& band : plot.bands) {
        include(band.x);
    }
    for (const Series& line : plot.lines) {
        include(line.x);
    }
    if (range.empty && !plot.x_ticks.empty()) {
        range = {0.0, static_cast<double>(plot.x_ticks.size()) - 1.0, false};
    }
    return plot.log_x ? log_axis(range, 8) : position_axis(range, whole, 8);
}

std::string x_text(const Plot& plot, double x) {
    const bool named =
        x >= 0.0 && x < static_cast<double>(plot.x_ticks.size()) && x == std::floor(x);
    return named ? plot.x_ticks[static_cast<std::size_t>(x)] : value_text(x);
}

/// Every name, or every n-th where they would run into each other.
std::vector<XTick> named_ticks(const Plot& plot, const Axis& axis) {
    double widest = 0.0;
    for (const std::string& name : plot.x_ticks) {
        widest = std::max(widest, text_width(name));
    }
    const double room = 640.0 / std::max(axis.high - axis.low, 1.0);
    const auto stride = static_cast<std::size_t>(std::ceil((widest + 10.0) / room));
    std::vector<XTick> ticks;
    for (std::size_t i = 0; i < plot.x_ticks.size(); i += std::max<std::size_t>(stride, 1)) {
        const double place = axis.fraction(static_cast<double>(i));
        if (place >= 0.0 && place <= 1.0) {
            ticks.push_back({place, plot.x_ticks[i]});
        }
    }
    return ticks;
}

std::vector<XTick> x_ticks_of(const Plot& plot, const Axis& axis) {
    if (!plot.x_ticks.empty()) {
        return named_ticks(plot, axis);
    }
    std::vector<XTick> ticks;
    for (std::size_t i = 0; i < axis.ticks.size(); ++i) {
        ticks.push_back({axis.fraction(axis.ticks[i]), axis.labels[i]});
    }
    return ticks;
}

/// Draws into the chart with both axes at hand.
class PlotDrawing {
public:
    explicit PlotDrawing(const Plot& plot, bool outside)
        : plot_(plot),
          y_axis_(y_axis_of(plot)),
          x_axis_(x_axis_of(plot)),
          chart_({plot.title, plot.x_label, plot.y_label, legend_of(plot), describe(plot), outside},
                 y_axis_,
                 {x_ticks_of(plot, x_axis_)}) {}

    std::string draw() {
        for (std::size_t i = 0; i < plot_.bands.size(); ++i) {
            draw_band(plot_.bands[i], look_of_band(plot_, i));
        }
        for (std::size_t i = 0; i < plot_.lines.size(); ++i) {
            plot_.lines[i].error.empty() ? draw_line(plot_.lines[i], i)
                                         : draw_points(plot_.lines[i], i);
        }
        draw_titles();
        return chart_.finish();
    }

private:
    struct Point {
        double x;
        double y;
    };

    [[nodiscard]] Point place(double x, double y) const {
        return {chart_.x(x_axis_.fraction(x)), chart_.y(y_axis_.fraction(y))};
    }

    static bool is_on_paper(const Point& point) {
        return std::isfinite(point.x) && std::isfinite(point.y);
    }

    static std::string path_through(const std::vector<Point>& points) {
        std::string path;
        for (const Point& point : points) {
            path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? 'M' : 'L', point.x, point.y);
        }
        return path;
    }

    void draw_band(const Band& band, const LegendEntry& look) {
        std::vector<Point> upper;
        std::vector<Point> lower;
        std::string path;
        const auto flush = [&] {
            if (!upper.empty()) {
                upper.insert(upper.end(), lower.rbegin(), lower.rend());
                path += path_through(upper) + "Z";
            }
            upper.clear();
            lower.clear();
        };
        for (std::size_t i = 0; i < points_of(band); ++i) {
            const Point high = place(band.x[i], band.high[i]);
            const Point low = place(band.x[i], band.low[i]);
            if (is_on_paper(high) && is_on_paper(low)) {
                upper.push_back(high);
                lower.push_back(low);
            } else {
                flush();
            }
        }
        flush();
        chart_.add(fmt::format(
            R"(<g {}><path d="{}" fill="currentColor" fill-opacity="{:.2f}" stroke="currentColor" stroke-opacity=".7" stroke-width=".75"><title>{}</title></path></g>)",
            color_attributes(look.color),
            path,
            look.opacity,
            escape(band.name)));
    }

    void draw_line(const Series& line, std::size_t number) {
        std::string path;
        std::string dots;
        std::vector<Point> run;
        const auto flush = [&] {
            if (run.size() == 1) {  // a line of one point has no length
                dots +=
                    fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="2.5" fill="currentColor"/>)",
                                run[0].x,
                                run[0].y);
            } else {
                path += path_through(run);
            }
            run.clear();
        };
        for (std::size_t i = 0; i < points_of(line); ++i) {
            const Point point = place(line.x[i], line.y[i]);
            if (is_on_paper(point)) {
                run.push_back(point);
            } else {
                flush();
            }
        }
        flush();
        const LegendEntry look = look_of_line(plot_, number);
        chart_.add(fmt::format(
            R"(<g {}><path d="{}" fill="none" stroke="currentColor" stroke-width="{}" stroke-linejoin="round" stroke-linecap="{}"{}><title>{}</title></path>{}{}</g>)",
            color_attributes(look.color),
            path,
            look.width,
            look.dash.empty() ? "round" : "butt",
            dash_attribute(look.dash),
            escape(line.name),
            dots,
            markers(line, number, look.marker)));
    }

    /// Discs with error bars.
    void draw_points(const Series& line, std::size_t number) {
        const auto low = beside(line, -1.0);
        const auto high = beside(line, 1.0);
        std::string bars;
        std::string discs;
        for (std::size_t i = 0; i < points_of(line); ++i) {
            const Point point = place(line.x[i], line.y[i]);
            if (!is_on_paper(point)) {
                continue;
            }
            discs += fmt::format(
                R"(<circle cx="{:.1f}" cy="{:.1f}" r="3" fill="currentColor"/>)", point.x, point.y);
            const double top = i < high.size() ? place(line.x[i], high[i]).y : point.y;
            const double bottom = i < low.size() ? place(line.x[i], low[i]).y : point.y;
            if (std::isfinite(top) && std::isfinite(bottom)) {
                bars += fmt::format("M{:.1f} {:.1f}V{:.1f}", point.x, bottom, top);
            }
        }
        chart_.add(fmt::format(
            R"(<g {}><path d="{}" fill="none" stroke="currentColor" stroke-width="1.5"/>{}</g>)",
            color_attributes(look_of_line(plot_, number).color),
            bars,
            discs));
    }

    /// Some eight markers a line, those of several lines beside each other.
    [[nodiscard]] std::string markers(const Series& line, std::size_t number, int kind) const {
        const std::size_t points = points_of(line);
        const std::size_t stride = std::max<std::size_t>(1, (points + 7) / 8);
        std::string path;
        for (std::size_t i = number * stride / plot_.lines.size(); kind >= 0 && i < points;
             i += stride) {
            if (const Point point = place(line.x[i], line.y[i]); is_on_paper(point)) {
                path += marker_path(kind, point.x, point.y);
            }
        }
        return path.empty() ? path : fmt::format(R"(<path d="{}" fill="currentColor"/>)", path);
    }

    /// Invisible discs over the points, whose titles a browser shows under the pointer.
    void draw_titles() {
        std::size_t points = 0;
        for (const Series& line : plot_.lines) {
            points += points_of(line);
        }
        if (points > most_titles) {
            return;
        }
        chart_.add(R"(<g fill="none" pointer-events="all">)");
        for (const Series& line : plot_.lines) {
            for (std::size_t i = 0; i < points_of(line); ++i) {
                draw_title(line, i);
            }
        }
        chart_.add("</g>");
    }

    void draw_title(const Series& line, std::size_t i) {
        const Point point = place(line.x[i], line.y[i]);
        if (is_on_paper(point)) {
            chart_.add(fmt::format(
                R"(<circle cx="{:.1f}" cy="{:.1f}" r="6"><title>{}{}{}: {}{}{}</title></circle>)",
                point.x,
                point.y,
                escape(line.name),
                line.name.empty() ? "" : ", ",
                escape(x_text(plot_, line.x[i])),
                value_text(line.y[i]),
                i < line.error.size() ? " ± " + value_text(line.error[i]) : std::string(),
                escape(unit_behind(plot_.y_label))));
        }
    }

    const Plot& plot_;
    Axis y_axis_;
    Axis x_axis_;
    Chart chart_;
};

}  // namespace

LegendEntry look_of_line(const Plot& plot, std::size_t line) {
    const auto wants_marker = [](const Series& series) { return !series.thin; };
    const Series& series = plot.lines[line];
    const auto whole_before = static_cast<std::size_t>(
        std::count_if(plot.lines.begin(),
                      plot.lines.begin() + static_cast<std::ptrdiff_t>(line),
                      [](const Series& s) { return !s.dashed; }));
    LegendEntry look{series.name, Swatch::line, line};
    look.dash = series.dashed ? "6 4" : dashes[whole_before % dashes.size()];
    look.width = series.thin ? 1.5 : 2.0;
    constexpr int few = 4;
    if (wants_marker(series) && std::ranges::count_if(plot.lines, wants_marker) >= few) {
        look.marker = static_cast<int>(line % marker_kinds);
    }
    if (!series.error.empty()) {
        look.marker = 0;
    }
    return look;
}

LegendEntry look_of_band(const Plot& plot, std::size_t band) {
    const double opacity = std::min(0.16 + 0.12 * static_cast<double>(band), 0.6);
    return {plot.bands[band].name, Swatch::area, 0, opacity};
}

namespace {

std::string span_text(const std::string& name, const Range& range, const std::string& y_label) {
    return fmt::format("{}: {}",
                       name.empty() ? y_label : name,
                       range.empty ? std::string("no data")
                                   : fmt::format("{} to {}{}",
                                                 value_text(range.low),
                                                 value_text(range.high),
                                                 unit_behind(y_label)));
}

std::string joined(const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& text : texts) {
        all += (all.empty() ? "" : "; ") + text;
    }
    return all;
}

}  // namespace

std::string describe(const Plot& plot) {
    std::vector<std::string> texts;
    for (const Series& line : plot.lines) {
        Range range;
        range.include(line.y);
        texts.push_back(span_text(line.name, range, plot.y_label));
    }
    for (const Band& band : plot.bands) {
        Range range;
        range.include(band.low);
        range.include(band.high);
        texts.push_back(span_text(band.name, range, plot.y_label));
    }
    return joined(texts);
}

std::string describe(const Bars& bars) {
    std::vector<std::string> texts;
    for (const Bars::Part& part : bars.parts) {
        Range range;
        range.include(part.value);
        texts.push_back(span_text(part.name, range, bars.y_label));
    }
    return joined(texts);
}

std::string unit_behind(const std::string& label) {
    const std::size_t open = label.find('[');
    const std::size_t close = label.rfind(']');
    const bool in_brackets =
        open != std::string::npos && close != std::string::npos && open < close;
    const std::string unit = in_brackets ? label.substr(open + 1, close - open - 1) : label;
    return unit.empty() ? unit : " " + unit;
}

std::vector<LegendEntry> legend_of(const Plot& plot) {
    std::vector<LegendEntry> legend;
    for (std::size_t i = 0; i < plot.lines.size(); ++i) {
        legend.push_back(look_of_line(plot, i));
    }
    for (std::size_t i = 0; i < plot.bands.size(); ++i) {
        legend.push_back(look_of_band(plot, i));
    }
    std::erase_if(legend, [](const LegendEntry& entry) { return entry.name.empty(); });
    return legend;
}

std::string draw(const Plot& plot, bool outside) {
    return PlotDrawing(plot, outside).draw();
}

std::string to_svg(const Plot& plot) {
    return draw(plot, false);
}

}  // namespace lockstep::io
