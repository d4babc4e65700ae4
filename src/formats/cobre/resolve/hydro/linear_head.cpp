#include "formats/cobre/resolve/hydro/linear_head.hpp"

#include <algorithm>

#include "lockstep/base/index.hpp"

namespace lockstep::formats::cobre {

HeadLine line_of_head(const raw::Reservoir& reservoir,
                      const ReservoirCurve& curve,
                      const Head& head,
                      double outflow_m3s) {
    const double low = reservoir.min_storage_hm3;
    const double band = reservoir.max_storage_hm3 - low;
    const double at_low = head.net(curve.height(low), outflow_m3s);
    const double at_high = head.net(curve.height(reservoir.max_storage_hm3), outflow_m3s);
    const double slope = band > 0 ? (at_high - at_low) / band : 0;
    return {at_low - slope * low, slope};
}

OperatingRange operating_range(const sddp::Hydro& hydro, int stage, int blocks) {
    OperatingRange range;
    range.min_volume_hm3 =
        std::min(hydro.initial_storage_hm3, *std::ranges::min_element(hydro.min_storage_hm3));
    range.max_volume_hm3 =
        std::max(hydro.initial_storage_hm3, *std::ranges::max_element(hydro.max_storage_hm3));
    for (int k = 0; k < blocks; ++k) {
        range.max_turbined_m3s = std::max(range.max_turbined_m3s, hydro.max_turbined_m3s(stage, k));
    }
    return range;
}

// Both planes are the product on two edges of the rectangle of storages and flows each. The line of
// the head may fall below 0 outside the storage band; a productivity does not.
std::vector<sddp::ProductionPlane> envelope(const HeadLine& line,
                                            double per_metre,
                                            const OperatingRange& range) {
    const double low = std::max(0.0, per_metre * line.at(range.min_volume_hm3));
    const double high = std::max(low, per_metre * line.at(range.max_volume_hm3));
    const double band = range.max_volume_hm3 - range.min_volume_hm3;
    if (high == low || band <= 0) {
        return {{0, 0, low, 0}};
    }
    const double by_volume = (high - low) / band * range.max_turbined_m3s;
    return {{0, 0, high, 0}, {-by_volume * range.min_volume_hm3, by_volume, low, 0}};
}

}  // namespace lockstep::formats::cobre
