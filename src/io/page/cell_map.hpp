#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lockstep/io/page.hpp"

#include "io/page/axis.hpp"

namespace lockstep::io {

/// Of the values of all boards.
Range range_of(const std::vector<CellMap>& maps);

/// What the colours of boards mean: the least and the largest value, and the colours between.
std::string scale_html(const Range& range, std::string_view label);

}  // namespace lockstep::io
