#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "lockstep/formats/cobre/case.hpp"

#include "formats/cobre/read/raw/case.hpp"
#include "formats/cobre/resolve/hydro/geometry.hpp"
#include "formats/cobre/resolve/hydro/head.hpp"
#include "formats/cobre/resolve/lookup.hpp"

namespace lockstep::formats::cobre {

/// Fits planes to a plant, once for each entry of its production models (and level downstream).
/// What cannot be fitted is reported.
class PlantFits {
public:
    PlantFits(const raw::Hydro& hydro,
              const ReservoirCurve& curve,
              const raw::Case& raw,
              const Resolver& resolver);

    /// Planes in force in a stage; the stages must ascend. Empty after a report.
    /// @pre the curve is not empty, choice.fpha_config is there
    const std::vector<sddp::ProductionPlane>& planes(const raw::ModelChoice& choice,
                                                     const Head& head,
                                                     const std::optional<double>& downstream_level,
                                                     int stage_id);

    /// By first stage.
    std::vector<FittedPlanes> take() { return std::move(fits_); }

private:
    [[nodiscard]] sddp::FitTask task(const raw::ModelChoice& choice, const Head& head) const;
    void set_window(const raw::ModelChoice& choice, sddp::FitTask& task) const;
    [[nodiscard]] double window_end(const std::optional<double>& volume_hm3,
                                    const std::optional<double>& percentile,
                                    double none) const;
    [[nodiscard]] bool check(const raw::ModelChoice& choice, const sddp::FitTask& task) const;
    void fit(const raw::ModelChoice& choice, FittedPlanes& out) const;

    const raw::Hydro& hydro_;
    const ReservoirCurve& curve_;
    const Resolver& resolver_;
    double max_spilled_m3s_ = 0;
    sddp::PlaneReduction reduction_;
    std::map<std::pair<const raw::ModelChoice*, std::optional<double>>, std::size_t> index_;
    std::vector<FittedPlanes> fits_;
};

}  // namespace lockstep::formats::cobre
