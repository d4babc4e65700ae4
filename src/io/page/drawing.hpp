#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lockstep/io/page.hpp"

#include "io/page/chart.hpp"

namespace lockstep::io {

/// The SVG of a plot or bars; `outside` leaves title and legend to the page.
std::string draw(const Plot& plot, bool outside);
std::string draw(const Bars& bars, bool outside);

/// " M$" for "cost [M$]", " hm³" for "hm³": what follows a value in a tooltip.
std::string unit_behind(const std::string& label);

/// Bands and lines that have a name.
std::vector<LegendEntry> legend_of(const Plot& plot);
std::vector<LegendEntry> legend_of(const Bars& bars);

/// The picture in words: what each series spans.
std::string describe(const Plot& plot);
std::string describe(const Bars& bars);

/// Colour, dashes, width and marker of a line: by dashes two lines show each other where they run
/// as one, and from four lines on each has a marker.
LegendEntry look_of_line(const Plot& plot, std::size_t line);
/// Colour and opacity of a band: that of the first line; several bands grow darker.
LegendEntry look_of_band(const Plot& plot, std::size_t band);
/// Colour and opacity of a part; beyond the palette the colours come again, paler.
LegendEntry look_of_part(const Bars& bars, std::size_t part);

}  // namespace lockstep::io
