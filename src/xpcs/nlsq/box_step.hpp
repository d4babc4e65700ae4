#pragma once

#include <vector>

#include "lockstep/xpcs/nlsq/trust_region.hpp"

#include "xpcs/nlsq/dense.hpp"

namespace lockstep::xpcs::nlsq {

/// |A s + c|² over a box that contains s = 0.
struct BoxProblem {
    Matrix a{};
    Vector c{};
    Vector lower{};         ///< <= 0
    Vector upper{};         ///< >= 0
    double resolution = 0;  ///< singular values below this part of the largest count as 0
};

struct BoxStep {
    Vector s{};
    double fall = 0;     ///< of |A s + c|² / 2 from s = 0
    double damping = 0;  ///< λ at which s also minimises |A s + c|² + λ |s|² within the box
    std::vector<AtBound> bounds{};
};

/// The minimiser within the box and the ball |s| <= radius, both at once, by an active set: from s
/// = 0, where the method of the ball would leave the box the parameter is held at its bound; where
/// a held one pulls inwards it is let go. Each leg lowers the same convex function.
BoxStep box_step(const BoxProblem& problem, double radius);

}  // namespace lockstep::xpcs::nlsq
