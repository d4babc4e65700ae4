#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/page/axis.hpp"

namespace lockstep::io {

/// How an entry of a legend looks.
enum class Swatch { line, area };

struct LegendEntry {
    std::string name;
    Swatch swatch = Swatch::line;
    std::size_t color = 0;
    double opacity = 1.0;
    std::string_view dash{};  ///< of a line, as stroke-dasharray
    double width = 2.0;       ///< of a line
    int marker = -1;          ///< of a line, a shape of marker_path; -1: none
};

/// The drawing of an entry, 24 by 10.
std::string swatch_svg(const LegendEntry& entry);

/// " stroke-dasharray=…" where there is one.
std::string dash_attribute(std::string_view dash);

/// The path of a marker around a place.
std::string marker_path(int kind, double x, double y);

/// Opens an element whose colour is the palette's n-th: `class` for the page's style sheet (which
/// knows dark mode), attribute for an SVG alone.
std::string color_attributes(std::size_t color);

/// What to write around the axes.
struct Labels {
    std::string_view title;
    std::string_view x;
    std::string_view y;
    std::vector<LegendEntry> legend;
    std::string about;     ///< the picture in words, for who does not see it
    bool outside = false;  ///< the page writes title and legend as HTML
};

/// A tick on the horizontal axis, at a fraction of its length.
struct XTick {
    double fraction;
    std::string label;
};

struct XTicks {
    std::vector<XTick> ticks;
    bool slanted = false;  ///< names that do not fit side by side
};

/// The SVG of one set of axes: frame first, then whatever is drawn into it.
/// The page's script draws the same picture at other widths (page_script.cpp).
class Chart {
public:
    Chart(const Labels& labels, const Axis& y, const XTicks& x_ticks);

    /// Places on the paper; NaN stays NaN.
    [[nodiscard]] double x(double fraction) const noexcept { return left_ + fraction * width(); }
    [[nodiscard]] double y(double fraction) const noexcept { return bottom_ - fraction * height; }
    [[nodiscard]] double width() const noexcept { return paper_width - right_margin - left_; }

    void add(std::string_view svg) { svg_ += svg; }
    std::string finish();

    static constexpr double paper_width = 720.0;
    static constexpr double height = 220.0;  ///< of the area between the axes

private:
    static constexpr double right_margin = 16.0;

    void write_title(std::string_view title);
    void write_legend(const std::vector<LegendEntry>& legend);
    void write_y_axis(const Axis& y);
    void write_x_axis(const XTicks& x_ticks, std::string_view label);
    void write_tick(const XTick& tick);
    void write_slanted_tick(const XTick& tick);
    void write_text(double x, double y, std::string_view anchor, std::string_view text);

    std::string svg_;
    std::string name_;
    std::string about_;
    double top_ = 8.0;
    double left_ = 0.0;
    double bottom_ = 0.0;
    double paper_height_ = 0.0;
};

/// Estimated width of a text at the charts' font size.
double text_width(std::string_view text) noexcept;

}  // namespace lockstep::io
