#pragma once

#include <functional>
#include <vector>

#include "lockstep/sddp/system.hpp"

namespace lockstep::sddp {

/// Generation of a plant [MW] at a volume [hm³], a turbined flow and a spillage [m³/s].
using GenerationFunction = std::function<double(double volume, double turbined, double spilled)>;

/// How fitted planes that are alike are merged.
struct PlaneReduction {
    enum class Method {
        none,
        angle,     ///< their normals (volume, turbined, -1) are closer than `tolerance` [°]
        distance,  ///< their mean squared difference at sampled points, as a share of the largest
                   ///< generation squared, is below `tolerance`
    };
    Method method = Method::none;
    double tolerance = 0;  ///< >= 0
    int samples = 1;       ///< >= 1, points of `distance`
};

/// What planes are fitted to, and where.
struct FitTask {
    GenerationFunction generation;  ///< without the limit of the machines
    double min_volume_hm3 = 0;
    double max_volume_hm3 = 0;  ///< the same for a run-of-river plant, else larger
    int volumes = 5;            ///< >= 2, of the grid
    int flows = 5;              ///< >= 2, of the grid
    double max_turbined_m3s = 0;
    double max_generation_mw = 0;
    double max_spilled_m3s = 0;  ///< > 0: spillage has its slope from 0 to here
    PlaneReduction reduction;
};

/// A point of the grid.
struct FitPoint {
    double volume_hm3 = 0;
    double turbined_m3s = 0;
    double generation_mw = 0;  ///< at most max_generation_mw
    double fitted_mw = 0;      ///< what the planes allow there
};

struct ProductionFit {
    std::vector<ProductionPlane> planes;  ///< >= 1, steepest in the flow first
    double scale = 1;                     ///< factor that fits the hull to the grid
    double mean_deviation = 0;            ///< Σ |fitted - generation| / Σ generation
    std::vector<FitPoint> points;         ///< volume by volume
};

/// Planes over a production function: the upper convex hull of its values on a grid, scaled by
/// least squares, with the slope by spillage where each plane is tight (docs/sddp-theory.md).
/// Deterministic: a function of the task alone.
/// @throws ModelError  the plant generates nothing, or generation falls with volume or flow
/// @par Source  [DinizMaceira2008]
ProductionFit fit_production(const FitTask& task);

}  // namespace lockstep::sddp
