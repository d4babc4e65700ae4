#pragma once

#include <span>
#include <vector>

#include "lockstep/xpcs/fit.hpp"
#include "lockstep/xpcs/model/prior.hpp"

namespace lockstep::xpcs {

/// What the posterior of a measurement is made of: normal errors of the pairs of frames that are
/// independent, contrasts and offsets integrated out.
struct PosteriorOptions {
    std::vector<Prior> physical{};  ///< [parameters_of(motion)]
    /// Normal, of every contrast and offset (of fourier: of every coefficient); `uniform`: flat.
    Prior contrast{};
    Prior offset{};
    /// Of σ, as a factor of the sigma of each angle. A deviation of 0: σ is known.
    Prior sigma{Prior::Kind::half_normal, 0, 0, 0};
    /// How often each pair counts: once, or twice as homodyne has both triangles of the matrices.
    double times_counted = 1;
    /// A power on all priors: 1/K where K shards are combined.
    double prior_power = 1;
};

}  // namespace lockstep::xpcs
