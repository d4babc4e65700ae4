#pragma once

#include <optional>
#include <vector>

#include "lockstep/sddp/system.hpp"

#include "formats/cobre/resolve/hydro/geometry.hpp"
#include "formats/cobre/resolve/hydro/head.hpp"

namespace lockstep::formats::cobre {

/// Net head of a plant as a line in its storage.
struct HeadLine {
    double intercept_m = 0;
    double slope_m_per_hm3 = 0;
    [[nodiscard]] double at(double volume_hm3) const {
        return intercept_m + slope_m_per_hm3 * volume_hm3;
    }
};

/// Through the heads at the ends of the storage band, both at one outflow. @pre the curve is not
/// empty
HeadLine line_of_head(const raw::Reservoir& reservoir,
                      const ReservoirCurve& curve,
                      const Head& head,
                      double outflow_m3s);

/// Storages and flows that a plant may have in a stage.
struct OperatingRange {
    double min_volume_hm3 = 0;
    double max_volume_hm3 = 0;
    double max_turbined_m3s = 0;
};

/// What holds in a stage, whatever the stages before left.
OperatingRange operating_range(const sddp::Hydro& hydro, int stage, int blocks);

/// The least concave function above turbined flow times a productivity that is linear in the
/// storage: two planes, one where nothing depends on the storage.
/// @param per_metre  [MW/(m³/s)/m]
/// @par Source  [McCormick1976]
std::vector<sddp::ProductionPlane> envelope(const HeadLine& line,
                                            double per_metre,
                                            const OperatingRange& range);

}  // namespace lockstep::formats::cobre
