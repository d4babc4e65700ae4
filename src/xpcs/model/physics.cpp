#include "lockstep/xpcs/model/physics.hpp"

#include <array>

namespace lockstep::xpcs {
namespace {

constexpr std::array<ParameterDescription, 7> descriptions{{
    {"D0", "Å²/s^(1+alpha)", 1e4, 100, 1e5},
    {"alpha", "1", -1.5, -2, 2},
    {"D_offset", "Å²/s", 0, -1e5, 1e5},
    {"gamma_dot_t0", "1/s^(1+beta)", 1e-3, 1e-6, 0.5},
    {"beta", "1", 0, -2, 2},
    {"gamma_dot_t_offset", "1/s", 0, -0.1, 0.1},
    {"phi0", "degrees", 0, -10, 10},
}};

}  // namespace

std::span<const ParameterDescription> parameters_of(Motion motion) noexcept {
    return std::span(descriptions).first(motion == Motion::diffusion ? 3 : 7);
}

}  // namespace lockstep::xpcs
