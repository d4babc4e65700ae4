#include "lockstep/xpcs/nlsq/trust_region.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "xpcs/nlsq/ball_step.hpp"
#include "xpcs/nlsq/box_step.hpp"
#include "xpcs/nlsq/determinacy_of.hpp"
#include "xpcs/nlsq/system.hpp"

namespace lockstep::xpcs::nlsq {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double epsilon = std::numeric_limits<double>::epsilon();

// How much stronger the cost may be curved than its linear model says.
constexpr double singular_allowance = 100;
// What part of the predicted fall a step has to bring.
constexpr double least_gain = 1e-4;
// The largest second-order correction of a step, as a part of it.
constexpr double most_bend = 0.75;

class TrustRegion {
public:
    TrustRegion(System& system,
                std::span<const double> start,
                const Box& box,
                const TrustRegionOptions& options)
        : system_(system), options_(options), x_(vector_of(start)) {
        lower_.resize(x_.size());
        upper_.resize(x_.size());
        for (Index i = 0; i < x_.size(); ++i) {
            lower_[i] = box.lower_of(static_cast<int>(i));
            upper_[i] = box.upper_of(static_cast<int>(i));
        }
    }

    Fit run() {
        if (!begin()) {
            return fit(Stop::not_finite);
        }
        for (;;) {
            if (!observe()) {
                return fit(Stop::caller);
            }
            const BoxStep full = box_step(problem(model_), infinity);
            std::optional<Stop> stop = test(full);
            if (!stop) {
                stop = advance(full);
            }
            if (stop) {
                return fit(*stop);
            }
            ++iterations_;
        }
    }

private:
    bool begin() {
        ++evaluations_;
        const auto cost = system_.cost_at(x_);
        if (!cost) {
            return false;
        }
        ++linearisations_;
        auto model = system_.linearise();
        if (!model) {
            return false;
        }
        cost_ = *cost;
        columns_ = Vector::Zero(x_.size());
        take(std::move(*model));
        radius_ = scale_.cwiseProduct(x_).norm();
        if (radius_ == 0) {
            radius_ = options_.scale.empty() ? model_.length : 1;
        }
        return true;
    }

    void take(LinearModel model) {
        model_ = std::move(model);
        columns_ = columns_.cwiseMax(model_.columns);
        scale_ = options_.scale.empty() ? Vector((columns_.array() > 0).select(columns_, 1))
                                        : Vector(vector_of(options_.scale).cwiseInverse());
    }

    // Which bound holds a parameter against the gradient.
    [[nodiscard]] AtBound held(Index i) const {
        if (x_[i] == lower_[i] && (model_.gradient[i] >= 0 || lower_[i] == upper_[i])) {
            return AtBound::lower;
        }
        return x_[i] == upper_[i] && model_.gradient[i] <= 0 ? AtBound::upper : AtBound::no;
    }

    [[nodiscard]] double gradient() const {
        double largest = 0;
        for (Index i = 0; i < x_.size(); ++i) {
            const double lengths = model_.columns[i] * model_.length;
            if (held(i) == AtBound::no && lengths > 0) {
                largest = std::max(largest, std::abs(model_.gradient[i]) / lengths);
            }
        }
        return largest;
    }

    [[nodiscard]] bool observe() const {
        return !options_.on_iteration ||
               options_.on_iteration(
                   {iterations_, evaluations_, cost_, gradient(), radius_, span_of(x_)});
    }

    // The linear model in scaled parameters, from x.
    [[nodiscard]] BoxProblem problem(const LinearModel& model) const {
        return {model.root * scale_.cwiseInverse().asDiagonal(),
                model.rest,
                (lower_ - x_).cwiseProduct(scale_),
                (upper_ - x_).cwiseProduct(scale_),
                model.resolution};
    }

    [[nodiscard]] std::optional<Stop> test(const BoxStep& full) const {
        const double angle = gradient();
        if (angle == 0 || angle < options_.gradient_tolerance) {
            return Stop::gradient;
        }
        if (full.fall < options_.cost_tolerance * cost_) {
            return Stop::cost;
        }
        if (full.s.norm() < options_.step_tolerance * scale_.cwiseProduct(x_).norm()) {
            return Stop::step;
        }
        return std::nullopt;
    }

    // A step that lowers the cost, with smaller and smaller regions; or why there is none.
    std::optional<Stop> advance(const BoxStep& full) {
        if (full.fall <= rounding()) {
            return polish(full);
        }
        for (;;) {
            const BoxStep step =
                full.s.norm() <= radius_ ? full : box_step(problem(model_), radius_);
            const Vector straight = moved(step);
            if (straight == x_ || step.fall <= epsilon * rounding()) {
                return nothing_left() ? Stop::rounding : Stop::stalled;
            }
            if (evaluations_ >= options_.max_evaluations) {
                return Stop::evaluations;
            }
            const Vector x = bent(step, straight);
            ++evaluations_;
            const auto cost = system_.cost_at(x);
            const double gain = cost ? (cost_ - *cost) / step.fall : -infinity;
            adapt_radius(step.s, x, cost.value_or(infinity), gain);
            if (gain > least_gain && accept(x, *cost)) {
                return std::nullopt;
            }
        }
    }

    // Here the cost no longer tells a better point; the next step's length does.
    std::optional<Stop> polish(const BoxStep& full) {
        const Vector x = moved(full);
        if (x == x_) {
            return Stop::rounding;
        }
        if (evaluations_ >= options_.max_evaluations) {
            return Stop::evaluations;
        }
        ++evaluations_;
        const auto cost = system_.cost_at(x);
        if (!cost || *cost > cost_ + rounding()) {
            return Stop::rounding;
        }
        ++linearisations_;
        auto model = system_.linearise();
        if (!model) {
            return Stop::rounding;
        }
        const Vector before = std::exchange(x_, x);
        if (box_step(problem(*model), infinity).fall > 0.9 * full.fall) {
            x_ = before;
            return Stop::rounding;
        }
        cost_ = *cost;
        take(std::move(*model));
        return std::nullopt;
    }

    // On a bound exactly where the step says so.
    [[nodiscard]] Vector moved(const BoxStep& step) const {
        Vector x = x_ + step.s.cwiseQuotient(scale_);
        for (Index i = 0; i < x.size(); ++i) {
            const AtBound bound = step.bounds[at(i)];
            x[i] = bound == AtBound::lower   ? lower_[i]
                   : bound == AtBound::upper ? upper_[i]
                                             : std::clamp(x[i], lower_[i], upper_[i]);
        }
        return x;
    }

    // Along the parabola of which the step is the tangent, unless it bends away too fast to be
    // trusted or a bound is near [TranstrumSethna2012].
    [[nodiscard]] Vector bent(const BoxStep& step, const Vector& straight) {
        const bool at_bound = std::any_of(step.bounds.begin(),
                                          step.bounds.end(),
                                          [](AtBound bound) { return bound != AtBound::no; });
        if (at_bound || !options_.bent_steps || !system_.can_bend() ||
            evaluations_ + 1 >= options_.max_evaluations) {
            return straight;
        }
        ++evaluations_;
        const auto bend = system_.bend(x_, straight - x_);
        if (!bend) {
            return straight;
        }
        const BoxProblem flat = problem(model_);
        const Vector correction =
            damped_solution(flat.a, bend->cwiseQuotient(scale_), step.damping, flat.resolution) / 2;
        if (!(2 * correction.norm() <= most_bend * step.s.norm())) {
            return straight;
        }
        const Vector x = straight + correction.cwiseQuotient(scale_);
        return (x.array() >= lower_.array() && x.array() <= upper_.array()).all() ? x : straight;
    }

    // Where the step fell short, as far as the parabola through both costs and the slope says.
    void adapt_radius(const Vector& s, const Vector& x, double cost, double gain) {
        const double length = s.norm();
        if (gain >= 0.75) {
            radius_ = 2 * length;
        } else if (gain < 0.25) {
            const double slope = model_.gradient.dot(x - x_);
            const double part = -slope / (2 * (cost - cost_ - slope));
            radius_ = std::min(radius_, length) * (part > 0.1 ? std::min(part, 0.5) : 0.1);
        }
    }

    bool accept(const Vector& x, double cost) {
        ++linearisations_;
        auto model = system_.linearise();
        if (!model) {
            radius_ = std::min(radius_, 0.1 * scale_.cwiseProduct(x - x_).norm());
            return false;
        }
        const Vector change = x - x_;
        const double before = scale_.cwiseProduct(change).norm();
        x_ = x;
        cost_ = cost;
        take(std::move(*model));
        // The region keeps its extent along the step where the measure of lengths changes.
        radius_ *= scale_.cwiseProduct(change).norm() / before;
        return true;
    }

    // What the cost cannot resolve: its own rounding, and that of residuals that are differences of
    // much larger numbers, about as large as what the parameters do to them.
    [[nodiscard]] double rounding() const {
        const double terms = model_.columns.cwiseProduct(x_).norm();
        return 16 * epsilon * (cost_ + terms * (model_.length + epsilon * terms));
    }

    // Would no parameter on its own lower the cost by what it resolves? So it is at minima where
    // the Jacobian is singular, whose linear model promises more than there is.
    [[nodiscard]] bool nothing_left() const {
        return gradient() * gradient() * cost_ <= singular_allowance * rounding();
    }

    [[nodiscard]] Fit fit(Stop stop) const {
        Fit fit;
        fit.x.assign(x_.begin(), x_.end());
        fit.cost = cost_;
        fit.stop = stop;
        fit.iterations = iterations_;
        fit.evaluations = evaluations_;
        fit.linearisations = linearisations_;
        fit.bounds.assign(fit.x.size(), AtBound::no);
        if (stop == Stop::not_finite) {
            return fit;
        }
        fit.gradient = gradient();
        for (Index i = 0; i < x_.size(); ++i) {
            fit.bounds[at(i)] = held(i);
        }
        const Matrix gram = model_.root.transpose() * model_.root;
        fit.gram.assign(gram.data(), gram.data() + gram.size());
        fit.determinacy = determinacy_of(model_, fit.bounds);
        return fit;
    }

    System& system_;
    const TrustRegionOptions& options_;
    Vector lower_;
    Vector upper_;
    Vector x_;
    double cost_ = infinity;
    LinearModel model_;
    Vector columns_;  // the largest lengths of the Jacobian's columns so far
    Vector scale_;    // what a step is multiplied by to be measured
    double radius_ = 0;
    int iterations_ = 0;
    int evaluations_ = 0;
    int linearisations_ = 0;
};

void check(const TrustRegionOptions& options, std::size_t parameters) {
    for (const double tolerance :
         {options.gradient_tolerance, options.cost_tolerance, options.step_tolerance}) {
        if (!(tolerance >= 0 && tolerance < 1)) {
            throw InputError(fmt::format("a tolerance of {}; allowed is [0, 1)", tolerance));
        }
    }
    if (options.max_evaluations < 1) {
        throw InputError(
            fmt::format("at most {} evaluations; allowed is 1 and more", options.max_evaluations));
    }
    if (!options.scale.empty() && options.scale.size() != parameters) {
        throw InputError(
            fmt::format("{} scales for {} parameters", options.scale.size(), parameters));
    }
    for (const double scale : options.scale) {
        if (!(scale > 0 && scale < infinity)) {
            throw InputError(fmt::format("a scale of {}; allowed is above 0", scale));
        }
    }
}

Fit minimise(System& system,
             std::span<const double> start,
             const Box& box,
             const TrustRegionOptions& options) {
    if (start.size() != at(system.parameters())) {
        throw InputError(fmt::format(
            "a start of {} numbers for {} parameters", start.size(), system.parameters()));
    }
    box.validate_start(start);
    check(options, start.size());
    return TrustRegion(system, start, box, options).run();
}

}  // namespace

bool converged(Stop stop) noexcept {
    return stop <= Stop::rounding;
}

std::string_view text(Stop stop) noexcept {
    switch (stop) {
        case Stop::gradient:
            return "converged: the gradient vanishes";
        case Stop::cost:
            return "converged: a full step would not lower the cost by as much as asked for";
        case Stop::step:
            return "converged: a full step would not move the parameters by as much as asked for";
        case Stop::rounding:
            return "converged: the cost cannot be reduced beyond its rounding";
        case Stop::stalled:
            return "not converged: no step lowers the cost, although its derivatives say so";
        case Stop::evaluations:
            return "not converged: the limit of evaluations is reached";
        case Stop::caller:
            return "not converged: stopped on request";
        case Stop::not_finite:
            break;
    }
    return "not converged: the cost or its derivatives are not finite at the start";
}

Fit minimise(Objective& objective,
             std::span<const double> start,
             const Box& box,
             const TrustRegionOptions& options) {
    ObjectiveSystem system(objective);
    return minimise(system, start, box, options);
}

Fit minimise(Residuals& residuals,
             std::span<const double> start,
             const Box& box,
             const TrustRegionOptions& options,
             const Loss& loss) {
    if (!(loss.scale > 0 && loss.scale < infinity)) {
        throw InputError(fmt::format("a loss scale of {}; allowed is above 0", loss.scale));
    }
    ResidualSystem system(residuals, loss);
    return minimise(system, start, box, options);
}

}  // namespace lockstep::xpcs::nlsq
