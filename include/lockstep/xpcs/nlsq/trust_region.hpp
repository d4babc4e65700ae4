#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "lockstep/xpcs/nlsq/box.hpp"
#include "lockstep/xpcs/nlsq/determinacy.hpp"
#include "lockstep/xpcs/nlsq/loss.hpp"
#include "lockstep/xpcs/nlsq/objective.hpp"
#include "lockstep/xpcs/nlsq/residuals.hpp"

namespace lockstep::xpcs::nlsq {

/// Why a minimisation ended. The first four are convergence.
enum class Stop {
    gradient,     ///< the residuals are orthogonal to the Jacobian's free columns
    cost,         ///< a full step would lower the cost by less than asked for
    step,         ///< a full step would move the parameters by less than asked for
    rounding,     ///< the cost cannot be reduced: what is left is lost in its rounding
    stalled,      ///< the cost falls nowhere along the step: its derivatives do not fit it
    evaluations,  ///< as many evaluations as allowed
    caller,       ///< the observer said so
    not_finite    ///< the cost or its derivatives are not finite at the start
};
[[nodiscard]] bool converged(Stop stop) noexcept;
/// A sentence without a full stop, for example "the gradient vanishes".
[[nodiscard]] std::string_view text(Stop stop) noexcept;

struct Iteration {
    int number = 0;       ///< 0: the start
    int evaluations = 0;  ///< so far
    double cost = 0;
    double gradient = 0;          ///< as in Fit
    double radius = 0;            ///< of the trust region, in scaled parameters
    std::span<const double> x{};  ///< [p]
};

struct TrustRegionOptions {
    /// [p] sizes of steps that are alike; empty: by the columns of the Jacobian, so that
    /// the units of the parameters do not matter.
    std::vector<double> scale{};
    // None of the tolerances depends on a unit; 0 switches a test off.
    double gradient_tolerance = 1e-8;  ///< cosine of the angle between residuals and a column
    double cost_tolerance = 1e-12;     ///< fall of the cost by a full step, as a part of it
    double step_tolerance = 1e-10;     ///< length of a full step, as a part of the parameters'
    int max_evaluations = 1000;        ///< of the cost
    /// Follow the curvature of the residuals along each step, where residuals are given, with a
    /// linear loss: one evaluation more a step. In narrow curved valleys that saves most of the
    /// steps, elsewhere about half of the evaluations are lost.
    bool bent_steps = false;
    /// Hears of the start and of each iteration; false: stop. Ranks have to answer alike.
    std::function<bool(const Iteration&)> on_iteration{};
};

/// The point where a minimisation ended.
struct Fit {
    std::vector<double> x{};  ///< [p]
    double cost = 0;
    /// The largest cosine of the angle between the residuals and a column of the Jacobian whose
    /// parameter is free to follow the gradient; 0 at a minimum.
    double gradient = 0;
    Stop stop = Stop::not_finite;
    int iterations = 0;
    int evaluations = 0;            ///< of the cost
    int linearisations = 0;         ///< of the Jacobian, or of the normal equations used
    std::vector<AtBound> bounds{};  ///< [p]
    std::vector<double> gram{};     ///< [p, p] JᵀJ, weighted by the loss
    Determinacy determinacy{};
};

/// A local minimum of the cost within the box, by a trust region: each step minimises the linear
/// model within the box and an ellipsoid, which grows and shrinks with the model's quality.
///
/// Parameters at a bound stand exactly on it. Where the cost no longer resolves the gain of a step,
/// the step is taken as long as the gradient falls.
/// @throws InputError  a start outside the box, a box or scale of another size, options out of
/// range
/// @par Source  [More1978] for the region and its scaling; [TranstrumSethna2012] for bent steps
Fit minimise(Objective& objective,
             std::span<const double> start,
             const Box& box = {},
             const TrustRegionOptions& options = {});
/// @throws InputError  also a loss whose scale is not positive
/// @par Source  [Triggs2000] for the weights by the loss
Fit minimise(Residuals& residuals,
             std::span<const double> start,
             const Box& box = {},
             const TrustRegionOptions& options = {},
             const Loss& loss = {});

}  // namespace lockstep::xpcs::nlsq
