#pragma once

#include <span>
#include <string_view>

namespace lockstep::xpcs {

/// What moves the particles: diffusion alone, or diffusion in a shear flow.
enum class Motion { diffusion, laminar_flow };

/// What the shear term of g1 is, of docs/xpcs/theory.md. Fits of one are not comparable with those
/// of the other: the shear rate differs by about a factor of π.
enum class ShearTerm {
    homodyne,  ///< equation (5), so g2 holds the fourth power of a sinc: what homodyne fits
    paper,     ///< equation (6), so g2 holds the second power [He2024]
};

/// The instrument.
struct Geometry {
    double q = 0;    ///< wavevector, 1/Å
    double gap = 0;  ///< between stator and rotor, Å
    double dt = 0;   ///< between frames, s
};

/// One physical parameter: its name in configurations and results, unit, default and range.
struct ParameterDescription {
    std::string_view name;
    std::string_view unit;
    double start;
    double lower;
    double upper;
};

/// D0, alpha, D_offset and, in a flow, gamma_dot_t0, beta, gamma_dot_t_offset, phi0.
///
/// D(t) = D0 t^alpha + D_offset, γ̇(t) = gamma_dot_t0 t^beta + gamma_dot_t_offset, both at least
/// 1e-10; ψ = phi0 - φ.
std::span<const ParameterDescription> parameters_of(Motion motion) noexcept;

/// The times of the frames of a fit: t_k = (first + k) dt.
struct FrameTimes {
    int first = 0;  ///< frames that were dropped at the start
    int count = 0;
};

}  // namespace lockstep::xpcs
