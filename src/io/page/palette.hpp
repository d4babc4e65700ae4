#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace lockstep::io {

/// A colour on white paper and its counterpart in dark mode.
struct Shade {
    std::string_view light;
    std::string_view dark;
};

/// Paper behind every picture.
inline constexpr Shade paper{"#ffffff", "#14181d"};

/// Words and axes.
inline constexpr Shade muted{"#5b6470", "#9ba5b1"};

/// Colours of series, after Okabe and Ito's set: they remain apart for colour-blind readers, and
/// each has a contrast of 3 or more with the paper (WCAG 2.1, 1.4.11).
inline constexpr std::array<Shade, 8> series_colors{{{"#0072b2", "#56b1ee"},
                                                     {"#d55e00", "#ff8f4f"},
                                                     {"#008f68", "#3ccb9b"},
                                                     {"#b5548d", "#e792c3"},
                                                     {"#b07a00", "#ecb84a"},
                                                     {"#2e8bc0", "#9ad5ff"},
                                                     {"#7a5230", "#cf9f76"},
                                                     {"#606770", "#aab3be"}}};

/// Lines that run over each other show each other through their gaps; the first is whole.
inline constexpr std::array<std::string_view, 8> dashes{
    "", "10 3", "2 3", "9 3 2 3", "16 4", "5 2 1 2", "12 3 2 3 2 3", "4 4"};

/// Shapes of markers: disc, square, triangle, diamond, triangle upside down, plus.
inline constexpr std::size_t marker_kinds = 6;

}  // namespace lockstep::io
