#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lockstep/io/page.hpp"

#include "io/chart.hpp"

namespace lockstep::io {

/// The SVG of a plot or bars; `outside` leaves title and legend to the page.
std::string draw(const Plot& plot, bool outside);
std::string draw(const Bars& bars, bool outside);

/// Bands and lines that have a name. The i-th band belongs to the i-th line and shares its colour.
std::vector<LegendEntry> legend_of(const Plot& plot);
std::vector<LegendEntry> legend_of(const Bars& bars);

/// Colour and opacity of a band; several bands on one line grow darker.
LegendEntry look_of_band(const Plot& plot, std::size_t band);
/// Colour and opacity of a part; beyond the palette the colours come again, paler.
LegendEntry look_of_part(const Bars& bars, std::size_t part);

}  // namespace lockstep::io
