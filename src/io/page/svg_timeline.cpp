#include <algorithm>

#include <fmt/format.h>

#include "lockstep/io/page.hpp"

#include "io/page/axis.hpp"
#include "io/page/chart.hpp"

namespace lockstep::io {

namespace {

constexpr double paper_width = 720.0;
constexpr double right_margin = 16.0;
constexpr double row_height = 30.0;
constexpr double box_height = 22.0;
constexpr double top = 6.0;
constexpr double narrowest = 0.8;  // a box that takes no time is still seen

class TimelineDrawing {
public:
    explicit TimelineDrawing(const Timeline& timeline)
        : timeline_(timeline),
          bottom_(top + row_height * static_cast<double>(timeline.lanes.size())) {
        Range range;
        range.include(0.0);
        for (const Timeline::Span& span : timeline.spans) {
            range.include(span.end);
        }
        axis_ = position_axis(range, false, 8);
        for (const std::string& lane : timeline.lanes) {
            left_ = std::max(left_, text_width(lane) + 10.0);
        }
    }

    std::string draw() {
        add_axis();
        for (std::size_t lane = 0; lane < timeline_.lanes.size(); ++lane) {
            svg_ += fmt::format(
                R"(<text class="ink" x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)",
                left_ - 10.0,
                y(lane) + 0.5 * row_height + 4.0,
                escape(timeline_.lanes[lane]));
        }
        for (const Timeline::Span& span : timeline_.spans) {
            add_span(span);
        }
        return fmt::format(
            R"(<svg class="still wide" viewBox="0 0 {:.0f} {:.0f}" role="img" aria-label="{}" fill="currentColor" font-size="12">{}</svg>)",
            paper_width,
            bottom_ + 42.0,
            escape(timeline_.title),
            svg_);
    }

private:
    [[nodiscard]] double x(double seconds) const {
        return left_ + axis_.fraction(seconds) * (paper_width - right_margin - left_);
    }
    static double y(std::size_t lane) { return top + row_height * static_cast<double>(lane); }

    void add_axis() {
        for (std::size_t i = 0; i < axis_.ticks.size(); ++i) {
            svg_ += fmt::format(
                R"(<path d="M{0:.1f} {1:.1f}V{2:.1f}" stroke="currentColor" stroke-opacity=".16"/><text x="{0:.1f}" y="{3:.1f}" text-anchor="middle">{4}</text>)",
                x(axis_.ticks[i]),
                top,
                bottom_,
                bottom_ + 16.0,
                axis_.labels[i]);
        }
        svg_ += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle">time [s]</text>)",
                            0.5 * (left_ + paper_width - right_margin),
                            bottom_ + 34.0);
    }

    void add_span(const Timeline::Span& span) {
        const double begin = x(span.begin);
        const double width = std::max(x(span.end) - begin, narrowest);
        const double box_top = y(span.lane) + 0.5 * (row_height - box_height);
        svg_ += fmt::format(
            R"(<g {}><title>{}</title><rect x="{:.1f}" y="{:.1f}" width="{:.2f}" height="{:.0f}" fill="currentColor" fill-opacity=".35" stroke="currentColor" stroke-width=".75"/></g>)",
            color_attributes(span.color),
            escape(span.about),
            begin,
            box_top,
            width,
            box_height);
        if (text_width(span.mark) + 4.0 < width) {
            svg_ += fmt::format(
                R"(<text class="ink" x="{:.1f}" y="{:.1f}" text-anchor="middle" pointer-events="none">{}</text>)",
                begin + 0.5 * width,
                box_top + 0.5 * box_height + 4.0,
                escape(span.mark));
        }
    }

    const Timeline& timeline_;
    Axis axis_;
    double bottom_;
    double left_ = 20.0;
    std::string svg_;
};

}  // namespace

std::string to_svg(const Timeline& timeline) {
    return TimelineDrawing(timeline).draw();
}

}  // namespace lockstep::io
