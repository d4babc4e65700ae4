#pragma once

#include "xpcs/nlsq/dense.hpp"

namespace lockstep::xpcs::nlsq {

/// The shortest minimiser of |A s + c| within |s| <= radius, and the damping λ >= 0 at which it
/// minimises |A s + c|² + λ |s|².
struct BallStep {
    Vector s{};
    double damping = 0;
};

/// @param radius  >= 0, infinity: no ball
/// @par Source  [More1978]; the secular equation is solved by Newton's method on 1/|s|
/// The a that minimises |A a|² + 2 aᵀ b + λ |a|².
Vector damped_solution(const Matrix& a, const Vector& b, double damping, double resolution);

BallStep ball_step(const Matrix& a, const Vector& c, double radius, double resolution);

}  // namespace lockstep::xpcs::nlsq
