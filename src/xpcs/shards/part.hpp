#pragma once

#include <vector>

#include "lockstep/xpcs/cmc/linear_coordinates.hpp"

#include "xpcs/posterior_frame.hpp"
#include "xpcs/shards/bytes.hpp"
#include "xpcs/shards/deal.hpp"

namespace lockstep::xpcs {

/// What shards of the same angles are samples of: of all angles, or of one as if there were no
/// other. Posteriors of all parts have the same coordinates.
struct ShardPart {
    ShardPart(const ShardSettings& whole, const AngleDeal& deal, int part);
    // The frame refers to the settings.
    ShardPart(const ShardPart&) = delete;
    ShardPart& operator=(const ShardPart&) = delete;

    const ShardSettings settings;
    const PosteriorFrame frame;
    const cmc::LinearCoordinates coordinates;
    const std::vector<double> covariance;  ///< of these coordinates
    const double prior_power;
};

}  // namespace lockstep::xpcs
