#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lockstep/io/page.hpp"

#include "io/page/axis.hpp"
#include "io/page/chart.hpp"

namespace lockstep::io {

namespace {

constexpr double paper_width = 480.0;
constexpr double right_margin = 12.0;
constexpr double kind_height = 11.0;
constexpr double gap = 12.0;  // between names

Axis axis_of(const Intervals& intervals) {
    Range range;
    for (const Intervals::Kind& kind : intervals.kinds) {
        range.include(kind.low);
        range.include(kind.middle);
        range.include(kind.high);
    }
    return value_axis(range, false, 6);
}

class IntervalsDrawing {
public:
    explicit IntervalsDrawing(const Intervals& intervals)
        : intervals_(intervals),
          axis_(axis_of(intervals)),
          row_(kind_height * static_cast<double>(intervals.kinds.size()) + gap),
          bottom_(8.0 + row_ * static_cast<double>(intervals.names.size())) {
        for (const std::string& name : intervals.names) {
            left_ = std::max(left_, text_width(name) + 10.0);
        }
    }

    std::string draw() {
        add_axis();
        for (std::size_t name = 0; name < intervals_.names.size(); ++name) {
            const double top = 8.0 + row_ * static_cast<double>(name);
            svg_ += fmt::format(
                R"(<text class="ink" x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)",
                left_ - 10.0,
                top + 0.5 * (row_ - gap) + 4.0,
                escape(intervals_.names[name]));
            for (std::size_t kind = 0; kind < intervals_.kinds.size(); ++kind) {
                add_interval(kind, name, top + kind_height * (static_cast<double>(kind) + 0.5));
            }
        }
        return fmt::format(
            R"(<svg class="still" viewBox="0 0 {:.0f} {:.0f}" role="img" aria-label="{}" fill="currentColor" font-size="12">{}</svg>)",
            paper_width,
            bottom_ + 42.0,
            escape(intervals_.title),
            svg_);
    }

private:
    [[nodiscard]] double x(double value) const {
        return left_ + axis_.fraction(value) * (paper_width - right_margin - left_);
    }

    void add_axis() {
        for (std::size_t i = 0; i < axis_.ticks.size(); ++i) {
            svg_ += fmt::format(
                R"(<path d="M{0:.1f} 4V{1:.1f}" stroke="currentColor" stroke-opacity="{2}"/><text x="{0:.1f}" y="{3:.1f}" text-anchor="middle">{4}</text>)",
                x(axis_.ticks[i]),
                bottom_,
                axis_.ticks[i] == 0.0 ? ".6" : ".16",
                bottom_ + 16.0,
                axis_.labels[i]);
        }
        svg_ += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)",
                            0.5 * (left_ + paper_width - right_margin),
                            bottom_ + 34.0,
                            escape(intervals_.x_label));
    }

    void add_interval(std::size_t kind, std::size_t name, double y) {
        const Intervals::Kind& of = intervals_.kinds[kind];
        const double low = x(of.low[name]);
        const double middle = x(of.middle[name]);
        const double high = x(of.high[name]);
        if (!std::isfinite(low + middle + high)) {
            return;
        }
        svg_ += fmt::format(
            R"(<g {}><title>{}, {}: {} ({} to {})</title><path d="M{:.1f} {:.1f}H{:.1f}" stroke="currentColor" stroke-width="3"/><circle cx="{:.1f}" cy="{:.1f}" r="4" fill="currentColor"/></g>)",
            color_attributes(kind),
            escape(intervals_.names[name]),
            escape(of.name),
            value_text(of.middle[name]),
            value_text(of.low[name]),
            value_text(of.high[name]),
            low,
            y,
            high,
            middle,
            y);
    }

    const Intervals& intervals_;
    Axis axis_;
    double row_;
    double bottom_;
    double left_ = 20.0;
    std::string svg_;
};

}  // namespace

std::string to_svg(const Intervals& intervals) {
    return IntervalsDrawing(intervals).draw();
}

}  // namespace lockstep::io
