#pragma once

#include <optional>

#include "formats/cobre/read/raw/hydros.hpp"
#include "formats/cobre/read/raw/production.hpp"
#include "formats/cobre/resolve/hydro/geometry.hpp"
#include "formats/cobre/resolve/hydro/tailrace.hpp"

namespace lockstep::formats::cobre {

/// Volume at which a plant's head is taken when it must be one number [hm³].
double reference_volume(const raw::Reservoir& reservoir,
                        const std::optional<raw::ReferenceVolume>& declared);

/// Head and generation of a plant, with the reservoir below it at one level.
class Head {
public:
    /// @param families            none: the plant's own tailrace
    /// @param downstream_level_m  needed for several families
    Head(const raw::Hydro& hydro,
         const ReservoirCurve& curve,
         const TailraceFamilies& families,
         const std::optional<double>& downstream_level_m)
        : hydro_(hydro),
          curve_(curve),
          families_(families),
          downstream_level_m_(downstream_level_m) {}

    /// Level below the plant at an outflow [m]; 0 without a tailrace.
    [[nodiscard]] double tailrace(double outflow_m3s) const;
    /// Level above minus level below minus losses [m], at least 0.
    [[nodiscard]] double net(double level_m, double outflow_m3s) const;
    /// 9.81 kN/m³ times flow, net head and efficiency [MW]. @pre the curve is not empty
    [[nodiscard]] double generation(double volume_hm3,
                                    double turbined_m3s,
                                    double spilled_m3s) const;

private:
    const raw::Hydro& hydro_;
    const ReservoirCurve& curve_;
    const TailraceFamilies& families_;
    std::optional<double> downstream_level_m_;
};

}  // namespace lockstep::formats::cobre
