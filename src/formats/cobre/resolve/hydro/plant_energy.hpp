#pragma once

#include <optional>
#include <vector>

namespace lockstep::formats::cobre {

/// Where the productivity of a plant is taken, and what it is besides that of the LP: for energies
/// and computed parameters. [stages]
struct PlantEnergy {
    std::vector<double> reference_volume_hm3;
    std::vector<double> reference_outflow_m3s;
    std::vector<std::optional<double>> specific;    ///< [MW/(m³/s)/m]
    std::vector<std::optional<double>> integrated;  ///< at the mean level [MW/(m³/s)]
};

}  // namespace lockstep::formats::cobre
