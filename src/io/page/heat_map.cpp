#include "io/page/heat_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "io/page/axis.hpp"

namespace lockstep::io {

namespace {

constexpr std::size_t levels = 100;  // more than an eye tells apart; noise packs the better

using Stops = std::array<Image::Color, 5>;

// Even steps of lightness that remain so for colour-blind readers, after Matplotlib's viridis
// (CC0).
constexpr Stops rising{{{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}}};
constexpr Stops about_middle{
    {{5, 78, 140}, {118, 172, 214}, {244, 244, 242}, {234, 148, 96}, {160, 52, 0}}};

std::uint8_t between(std::uint8_t from, std::uint8_t to, double share) {
    return static_cast<std::uint8_t>(std::lround(from + share * (to - from)));
}

/// The transparent one, then the levels.
std::vector<Image::Color> colors_of(const Stops& stops) {
    std::vector<Image::Color> colors(1);
    for (std::size_t level = 0; level < levels; ++level) {
        const double place = static_cast<double>((stops.size() - 1) * level) / (levels - 1);
        const auto stop = std::min(static_cast<std::size_t>(place), stops.size() - 2);
        const double share = place - static_cast<double>(stop);
        const Image::Color& a = stops[stop];
        const Image::Color& b = stops[stop + 1];
        colors.push_back({between(a.red, b.red, share),
                          between(a.green, b.green, share),
                          between(a.blue, b.blue, share)});
    }
    return colors;
}

std::uint8_t pixel_of(double value, double low, double high) {
    if (!is_drawable(value)) {
        return 0;
    }
    const double share = high > low ? std::clamp((value - low) / (high - low), 0.0, 1.0) : 0.5;
    return static_cast<std::uint8_t>(1 + std::lround(share * (levels - 1)));
}

/// Means over blocks, of which there are at most `most` in each direction.
class Blocks {
public:
    Blocks(const HeatMap& map, int most)
        : map_(map), rows_(std::min(map.rows, most)), columns_(std::min(map.columns, most)) {}

    [[nodiscard]] std::vector<double> means() const {
        const auto cells = static_cast<std::size_t>(rows_) * static_cast<std::size_t>(columns_);
        std::vector<double> sums(cells);
        std::vector<double> counts(cells);
        for (int row = 0; row < map_.rows; ++row) {
            for (int column = 0; column < map_.columns; ++column) {
                const double value = map_.values[place(row, column, map_.columns)];
                if (is_drawable(value)) {
                    const std::size_t block = place(block_of(row, map_.rows, rows_),
                                                    block_of(column, map_.columns, columns_),
                                                    columns_);
                    sums[block] += value;
                    counts[block] += 1;
                }
            }
        }
        for (std::size_t i = 0; i < cells; ++i) {
            sums[i] =
                counts[i] > 0 ? sums[i] / counts[i] : std::numeric_limits<double>::quiet_NaN();
        }
        return sums;
    }
    [[nodiscard]] int rows() const noexcept { return rows_; }
    [[nodiscard]] int columns() const noexcept { return columns_; }

private:
    static std::size_t place(int row, int column, int columns) noexcept {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
               static_cast<std::size_t>(column);
    }
    static int block_of(int cell, int cells, int blocks) noexcept {
        return static_cast<int>(static_cast<long long>(cell) * blocks / cells);
    }

    const HeatMap& map_;
    int rows_;
    int columns_;
};

}  // namespace

HeatMap HeatMap::averaged(int most) const {
    const Blocks blocks(*this, most);
    HeatMap small{title, x_label, y_label, value_label, blocks.rows(), blocks.columns()};
    small.values = blocks.means();
    small.x_ends = x_ends;
    small.y_ends = y_ends;
    small.low = low;
    small.high = high;
    small.diverging = diverging;
    return small;
}

Image image_of(const HeatMap& map) {
    Image image{map.columns, map.rows, colors_of(map.diverging ? about_middle : rising)};
    const auto columns = static_cast<std::size_t>(map.columns);
    for (auto row = static_cast<std::size_t>(map.rows); row > 0; --row) {
        for (std::size_t column = 0; column < columns; ++column) {
            image.pixels.push_back(
                pixel_of(map.values[(row - 1) * columns + column], map.low, map.high));
        }
    }
    return image;
}

Image color_bar(const HeatMap& map) {
    Image image{static_cast<int>(levels), 1, colors_of(map.diverging ? about_middle : rising)};
    for (std::size_t level = 0; level < levels; ++level) {
        image.pixels.push_back(static_cast<std::uint8_t>(1 + level));
    }
    return image;
}

}  // namespace lockstep::io
