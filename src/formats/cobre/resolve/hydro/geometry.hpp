#pragma once

#include <vector>

#include "formats/cobre/read/raw/production.hpp"
#include "formats/cobre/resolve/lookup.hpp"

namespace lockstep::formats::cobre {

/// Level and area of a reservoir over its volume: straight between points, flat outside for values.
struct ReservoirCurve {
    std::vector<double> volume_hm3;  ///< strictly increasing
    std::vector<double> height_m;
    std::vector<double> area_km2;

    [[nodiscard]] bool is_empty() const noexcept { return volume_hm3.empty(); }
    [[nodiscard]] double height(double volume) const;
    /// Mean of the height between two volumes; the height itself where they are the same.
    [[nodiscard]] double mean_height(double low, double high) const;
    [[nodiscard]] double area(double volume) const;
    /// Slope of the interval that holds `volume` (the right one at a point, the outermost outside).
    [[nodiscard]] double area_slope(double volume) const;
};

/// A curve for each hydro, empty where the file has no rows. Mistakes of the file are reported.
std::vector<ReservoirCurve> resolve_geometry(
    const std::optional<std::vector<raw::GeometryPoint>>& points, const Resolver& resolver);

}  // namespace lockstep::formats::cobre
