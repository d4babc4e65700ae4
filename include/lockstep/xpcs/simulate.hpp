#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "lockstep/runtime/thread_team.hpp"
#include "lockstep/xpcs/model/measurement.hpp"
#include "lockstep/xpcs/model/physics.hpp"
#include "lockstep/xpcs/model/scale.hpp"

namespace lockstep::xpcs {

/// What is true of a simulated sample.
struct Truth {
    Motion motion = Motion::diffusion;
    ShearTerm shear = ShearTerm::homodyne;
    std::vector<double> physical{};  ///< [parameters_of(motion)]
    std::vector<Scale> scales{};     ///< [angles]
};

/// g1² of every pair of frames at an angle.
/// @param like  frames, times, geometry and angles; its matrices are not looked at
/// @param x  [pairs], packed as pair_row says
void fill_g1_squared(const Measurement& like, const Truth& truth, int angle, std::span<double> x);

/// How a simulated measurement errs.
struct SimulatedNoise {
    enum class Kind {
        normal,   ///< independent errors of each pair of frames
        speckle,  ///< pixels of simulated speckle, counted photon by photon
    };
    Kind kind = Kind::normal;
    double sigma = 0.004;  ///< normal
    int pixels = 10000;    ///< speckle; rounded up to a multiple of eight
    double photons = std::numeric_limits<double>::infinity();  ///< per pixel and frame
    std::uint64_t seed = 42;
};

/// A measurement of the sample; a function of its arguments, for any number of threads. With
/// speckle the offset comes from counting and is 1.
/// @param like  as in fill_g1_squared
/// @throws InputError  lists of another length, a geometry or angles that no measurement has, a
/// contrast outside [0, 1], or 0 with speckle, noise that is no number
Measurement simulate(const Measurement& like,
                     const Truth& truth,
                     const SimulatedNoise& noise,
                     runtime::ThreadTeam& threads);

}  // namespace lockstep::xpcs
