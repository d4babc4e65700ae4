#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "lockstep/io/page.hpp"

#include "io/page/axis.hpp"
#include "io/page/chart.hpp"

namespace lockstep::io {

namespace {

constexpr std::size_t bins = 24;
constexpr double gap = 8.0;  // between panels
constexpr double left = 70.0;
constexpr double paper_width = 720.0;
constexpr double names_width = 110.0;  // of the last name, which stands right of its panel

/// Of the denser cells, and how dark they are; the last holds all.
struct Shade {
    double share;
    double opacity;
};
constexpr std::array<Shade, 5> shades{
    {{0.25, 0.9}, {0.5, 0.62}, {0.75, 0.4}, {0.95, 0.22}, {1.0, 0.09}}};

/// What of the draws is shown: all but the farthest half percents, and a margin.
Range shown_range(std::vector<double> draws) {
    std::erase_if(draws, [](double value) { return !is_drawable(value); });
    Range range;
    if (draws.empty()) {
        return range;
    }
    std::ranges::sort(draws);
    const auto last = static_cast<double>(draws.size() - 1);
    const double low = draws[static_cast<std::size_t>(0.005 * last)];
    const double high = draws[static_cast<std::size_t>(std::ceil(0.995 * last))];
    const double margin = 0.12 * (high - low);
    range.include(low - margin);
    range.include(high + margin);
    return range;
}

/// Bin of each draw; `bins` where it is not shown.
std::vector<std::size_t> bins_of(const std::vector<double>& draws, const Axis& axis) {
    std::vector<std::size_t> found;
    for (const double draw : draws) {
        const double place = axis.fraction(draw);
        found.push_back(place >= 0.0 && place < 1.0
                            ? static_cast<std::size_t>(place * static_cast<double>(bins))
                            : bins);
    }
    return found;
}

/// By cell: the first shade that it belongs to; as many as there are: no draw.
std::vector<std::size_t> shade_of_cells(const std::vector<double>& counts) {
    std::vector<std::size_t> order(counts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](auto a, auto b) { return counts[a] > counts[b]; });
    const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
    std::vector<std::size_t> shade(counts.size(), shades.size());
    double before = 0.0;
    for (const std::size_t cell : order) {
        std::size_t level = 0;
        while (level + 1 < shades.size() && before >= shades[level].share * total) {
            ++level;
        }
        shade[cell] = counts[cell] > 0.0 ? level : shades.size();
        before += counts[cell];
    }
    return shade;
}

class CornerDrawing {
public:
    explicit CornerDrawing(const Corner& corner)
        : corner_(corner),
          count_(corner.names.size()),
          side_(std::min((paper_width - left - names_width) / static_cast<double>(count_) - gap,
                         150.0)) {
        for (const auto& draws : corner.draws) {
            axes_.push_back(position_axis(shown_range(draws), false, 3));
            bins_.push_back(bins_of(draws, axes_.back()));
        }
    }

    std::string draw() {
        for (std::size_t row = 0; row < count_; ++row) {
            for (std::size_t column = 0; column < row; ++column) {
                add_pair(row, column);
            }
            add_histogram(row);
            add_name(row);
            add_ticks(row);
        }
        return fmt::format(
            R"(<svg class="still wide" viewBox="0 0 {:.0f} {:.0f}" role="img" aria-label="{}" fill="currentColor" font-size="11">{}</svg>)",
            left + static_cast<double>(count_) * (side_ + gap) + names_width,
            bottom() + 62.0,
            escape(corner_.title),
            svg_);
    }

private:
    [[nodiscard]] double x(std::size_t column) const {
        return left + static_cast<double>(column) * (side_ + gap);
    }
    [[nodiscard]] double y(std::size_t row) const {
        return 6.0 + static_cast<double>(row) * (side_ + gap);
    }
    [[nodiscard]] double bottom() const { return y(count_) - gap; }
    [[nodiscard]] double cell() const { return side_ / static_cast<double>(bins); }

    void add_frame(std::size_t row, std::size_t column) {
        svg_ += fmt::format(
            R"(<path d="M{:.1f} {:.1f}h{:.1f}v{:.1f}h-{:.1f}z" fill="none" stroke="currentColor" stroke-opacity=".35"/>)",
            x(column),
            y(row),
            side_,
            side_,
            side_);
    }

    /// Lines through the marks of a panel.
    void add_marks(std::size_t row, std::size_t column) {
        if (corner_.marks.empty()) {
            return;
        }
        std::string path;
        const double across = axes_[column].fraction(corner_.marks[column]);
        if (across >= 0.0 && across <= 1.0) {
            path += fmt::format("M{:.1f} {:.1f}v{:.1f}", x(column) + across * side_, y(row), side_);
        }
        const double up = axes_[row].fraction(corner_.marks[row]);
        if (row != column && up >= 0.0 && up <= 1.0) {
            path +=
                fmt::format("M{:.1f} {:.1f}h{:.1f}", x(column), y(row) + (1.0 - up) * side_, side_);
        }
        if (!path.empty()) {
            svg_ +=
                fmt::format(R"(<g {}><path d="{}" stroke="currentColor" stroke-width="1.2"/></g>)",
                            color_attributes(1),
                            path);
        }
    }

    /// Cells of one shade as one path, neighbours in a row together.
    [[nodiscard]] std::string path_of(const std::vector<std::size_t>& shade_of,
                                      std::size_t shade,
                                      std::size_t row,
                                      std::size_t column) const {
        std::string path;
        for (std::size_t b = 0; b < bins; ++b) {
            for (std::size_t a = 0; a < bins;) {
                std::size_t end = a;
                while (end < bins && shade_of[b * bins + end] == shade) {
                    ++end;
                }
                if (end > a) {
                    const double width = static_cast<double>(end - a) * cell();
                    path += fmt::format("M{:.1f} {:.1f}h{:.1f}v{:.1f}h-{:.1f}z",
                                        x(column) + static_cast<double>(a) * cell(),
                                        y(row) + static_cast<double>(bins - 1 - b) * cell(),
                                        width,
                                        cell(),
                                        width);
                }
                a = std::max(end, a + 1);
            }
        }
        return path;
    }

    void add_pair(std::size_t row, std::size_t column) {
        std::vector<double> counts(bins * bins);
        for (std::size_t draw = 0; draw < std::min(bins_[row].size(), bins_[column].size());
             ++draw) {
            if (bins_[row][draw] < bins && bins_[column][draw] < bins) {
                counts[bins_[row][draw] * bins + bins_[column][draw]] += 1.0;
            }
        }
        const auto shade_of = shade_of_cells(counts);
        svg_ += fmt::format(R"(<g {}><title>{}, {}</title>)",
                            color_attributes(0),
                            escape(corner_.names[column]),
                            escape(corner_.names[row]));
        for (std::size_t shade = 0; shade < shades.size(); ++shade) {
            svg_ += fmt::format(
                R"(<path d="{}" fill="currentColor" fill-opacity="{}" shape-rendering="crispEdges"/>)",
                path_of(shade_of, shade, row, column),
                shades[shade].opacity);
        }
        svg_ += "</g>";
        add_marks(row, column);
        add_frame(row, column);
    }

    void add_histogram(std::size_t name) {
        std::array<double, bins + 1> counts{};
        for (const std::size_t bin : bins_[name]) {
            counts[bin] += 1.0;
        }
        const double most = std::max(1.0, *std::max_element(counts.begin(), counts.end() - 1));
        std::string path = fmt::format("M{:.1f} {:.1f}", x(name), y(name) + side_);
        for (std::size_t bin = 0; bin < bins; ++bin) {
            path += fmt::format(
                "V{:.1f}h{:.2f}", y(name) + side_ * (1.0 - 0.94 * counts[bin] / most), cell());
        }
        svg_ += fmt::format(
            R"(<g {}><title>{}</title><path d="{}V{:.1f}Z" fill="currentColor" fill-opacity=".25" stroke="currentColor"/></g>)",
            color_attributes(0),
            escape(corner_.names[name]),
            path,
            y(name) + side_);
        add_marks(name, name);
        add_frame(name, name);
    }

    /// Right of its histogram, where no pair stands.
    void add_name(std::size_t name) {
        svg_ +=
            fmt::format(R"(<text class="ink" x="{:.1f}" y="{:.1f}" font-weight="600">{}</text>)",
                        x(name) + side_ + gap,
                        y(name) + 12.0,
                        escape(corner_.names[name]));
    }

    /// Below the column and left of the row.
    void add_ticks(std::size_t name) {
        const Axis& axis = axes_[name];
        for (std::size_t i = 0; i < axis.ticks.size(); ++i) {
            const double place = axis.fraction(axis.ticks[i]) * side_;
            svg_ += fmt::format(
                R"svg(<path d="M{0:.1f} {1:.1f}v4" stroke="currentColor"/><text transform="translate({0:.1f} {2:.1f}) rotate(-45)" text-anchor="end">{3}</text>)svg",
                x(name) + place,
                bottom(),
                bottom() + 14.0,
                axis.labels[i]);
            if (name > 0) {
                const double height = y(name) + side_ - place;
                svg_ += fmt::format(
                    R"(<path d="M{:.1f} {:.1f}h-4" stroke="currentColor"/><text x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)",
                    left,
                    height,
                    left - 7.0,
                    height + 4.0,
                    axis.labels[i]);
            }
        }
    }

    const Corner& corner_;
    std::size_t count_;
    double side_;
    std::vector<Axis> axes_;
    std::vector<std::vector<std::size_t>> bins_;
    std::string svg_;
};

}  // namespace

std::string to_svg(const Corner& corner) {
    return corner.names.empty() ? std::string() : CornerDrawing(corner).draw();
}

}  // namespace lockstep::io
