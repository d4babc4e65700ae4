#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::io {

/// A line of a plot.
struct Series {
    std::string name{};
    std::vector<double> x{};
    std::vector<double> y{};  ///< NaN breaks the line
    bool dashed = false;
    bool thin = false;  ///< one of many like it, as a single scenario beside the median
    /// [y] half lengths of error bars, NaN: none; points are then not joined. Empty: a line.
    std::vector<double> error{};
};

/// An area between two lines.
struct Band {
    std::string name{};
    std::vector<double> x{};
    std::vector<double> low{};
    std::vector<double> high{};
};

/// One set of axes. Drawn as an SVG that scales with the page, hover shows values (title elements).
struct Plot {
    std::string title{};
    std::string x_label{};
    std::string y_label{};
    std::vector<Band> bands{};  ///< drawn first
    std::vector<Series> lines{};
    std::vector<std::string> x_ticks{};  ///< names of x = 0, 1, 2 …; empty: numbers
    bool from_zero = false;              ///< y axis includes 0
    bool log_y = false;
    bool log_x = false;  ///< what lies at 0 or below is left out
};

/// Bars, stacked: one bar a name in `labels`, one part a series.
struct Bars {
    std::string title{};
    std::string x_label{};
    std::string y_label{};
    std::vector<std::string> labels{};
    struct Part {
        std::string name{};
        std::vector<double> value{};  ///< [labels], >= 0
    };
    std::vector<Part> parts{};
};

/// A board of cells: the colour of a number, letters or arrows, and what a cell tells of itself.
struct CellMap {
    std::string title{};
    std::string value_label{};  ///< what colours mean, with its unit
    int rows = 0;
    int columns = 0;
    struct Cell {
        double value = 0;      ///< NaN: no colour
        std::string mark{};    ///< a letter in the corner
        std::string glyphs{};  ///< large, in the middle
        std::string about{};   ///< shown under the pointer
    };
    std::vector<Cell> cells{};  ///< [rows, columns]
};

/// Numbers over two axes as an image whose colours are the same in light and dark.
struct HeatMap {
    std::string title{};
    std::string x_label{};      ///< of the columns, with its unit: "t₂ [s]"
    std::string y_label{};      ///< of the rows; the first row is the lowest
    std::string value_label{};  ///< what colours mean
    int rows = 0;
    int columns = 0;
    std::vector<double> values{};            ///< [rows, columns]; NaN: no colour
    std::pair<double, double> x_ends{0, 1};  ///< of the axes
    std::pair<double, double> y_ends{0, 1};
    double low = 0;  ///< of the first colour; what lies below has it too
    double high = 1;
    bool diverging = false;  ///< pale in the middle, blue below and red above

    /// The same with at most so many rows and columns: means over blocks of what has a colour.
    [[nodiscard]] HeatMap averaged(int most) const;
};

/// Intervals of several things, each of several kinds below each other.
struct Intervals {
    std::string title{};
    std::string x_label{};
    std::vector<std::string> names{};
    struct Kind {
        std::string name{};
        std::vector<double> low{};  ///< [names]; NaN: none
        std::vector<double> middle{};
        std::vector<double> high{};
    };
    std::vector<Kind> kinds{};
};

/// What was at work when: one row a lane, in which each piece of work is a box.
struct Timeline {
    std::string title{};
    std::vector<std::string> lanes{};
    struct Span {
        std::size_t lane = 0;
        std::size_t color = 0;  ///< pieces of one thing have one colour; it comes again after eight
        double begin = 0;       ///< [s]
        double end = 0;
        std::string mark{};   ///< in the box, where it has room
        std::string about{};  ///< shown under the pointer
    };
    std::vector<Span> spans{};
};

/// Draws of several quantities: a histogram of each, and of each pair. Of a pair the densest cells
/// that hold 25, 50, 75, 95 % and all of the draws are shaded, ever paler.
struct Corner {
    std::string title{};
    std::vector<std::string> names{};          ///< with units
    std::vector<std::vector<double>> draws{};  ///< [names][draws]
    std::vector<double> marks{};               ///< [names] where lines cross; empty: none
};

/// A figure for people: "Lower bound" "12.3 M$", and what it means where that needs words.
struct Fact {
    std::string name{};
    std::string value{};
    std::string remark{};
};

/// One of many things to look at: the n-th plots of all of them share a place on the page, which is
/// empty for those that have none. Their maps stand side by side above the plots.
struct Choice {
    std::string name{};
    std::vector<std::optional<Plot>> plots{};
    std::vector<HeatMap> maps{};
};

std::string to_svg(const Plot& plot);
std::string to_svg(const Bars& bars);
/// @param low, high  values of the palest and the darkest colour
std::string to_svg(const CellMap& map, double low, double high);
std::string to_svg(const HeatMap& map);
std::string to_svg(const Intervals& intervals);
std::string to_svg(const Corner& corner);
std::string to_svg(const Timeline& timeline);

/// HTML text with &, <, >, quotes escaped.
std::string escape(std::string_view text);

/// A self-contained page: no network, readable on a phone and in print, light and dark. Without
/// scripts its pictures stand as they are; with them one reads values, zooms, hides series and
/// saves figures as CSV and SVG.
class Page {
public:
    explicit Page(std::string title);

    Page& heading(std::string_view text);  ///< a section; the page lists its sections at the top
    Page& paragraph(std::string_view text);
    Page& facts(const std::vector<Fact>& facts);  ///< side by side, large
    Page& plot(const Plot& plot);
    Page& bars(const Bars& bars);
    /// Boards side by side, their colours on one scale.
    Page& maps(const std::vector<CellMap>& maps);
    Page& intervals(const Intervals& intervals);
    Page& corner(const Corner& corner);
    Page& timeline(const Timeline& timeline);
    Page& table(const std::vector<std::string>& head,
                const std::vector<std::vector<std::string>>& rows);
    /// Plots of one thing among many, chosen by name from a searchable list ("Plant"). Their
    /// numbers are embedded once, in some three characters each.
    Page& choice(std::string_view label, const std::vector<Choice>& choices);
    /// Raw data for machines, in a script element of type application/json.
    Page& data(std::string_view id, std::string_view json);

    /// The HTML text. The document's title is set last by the page's script, so that a test sees
    /// that scripts ran.
    [[nodiscard]] std::string html() const;

private:
    std::string title_;
    std::string body_;
    std::vector<std::pair<std::string, std::string>> sections_;
    int next_id_ = 0;
};

}  // namespace lockstep::io
