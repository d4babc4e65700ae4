#pragma once

#include "lockstep/io/page.hpp"

#include "io/page/image.hpp"

namespace lockstep::io {

/// The cells of a map, its first row at the bottom.
Image image_of(const HeatMap& map);

/// All colours of a map from the first to the last, in one row.
Image color_bar(const HeatMap& map);

}  // namespace lockstep::io
