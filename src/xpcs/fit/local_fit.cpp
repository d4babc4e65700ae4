#include "xpcs/fit/local_fit.hpp"

#include <algorithm>

#include "lockstep/base/index.hpp"

namespace lockstep::xpcs {

LocalFit::LocalFit(const FitProblem& problem, runtime::Team* team)
    : problem_(problem),
      team_(team),
      summation_(problem.summation()),
      squares_(summation_,
               team,
               problem.parameters,
               problem.held,
               problem.scaling,
               problem.weights,
               problem.scale_start) {
    if (problem.has_loss()) {
        weighted_.emplace(problem.summation());
        weighted_->set_loss(problem.options.loss.kind, problem.loss_scales());
        loss_.emplace(
            *weighted_, team, problem.parameters, problem.held, problem.scaling, problem.weights);
    }
}

double LocalFit::cost(std::span<const double> x) {
    squares_.restart();
    return squares_.cost(x);
}

double LocalFit::stand(std::span<const double> x) {
    const double here = cost(x);
    const auto scales = squares_.projection().coefficients();
    coefficients_.assign(scales.begin(), scales.end());
    bounds_.clear();
    for (int k = 0; k < problem_.scaling.coefficients(); ++k) {
        bounds_.push_back(squares_.projection().bound_of(k));
    }
    return here;
}

nlsq::Fit LocalFit::run(std::span<const double> start, const OnIteration& on_iteration) {
    squares_.restart();
    return loss_ ? run_loss(start, on_iteration) : run_squares(start, on_iteration);
}

nlsq::TrustRegionOptions LocalFit::region(bool has_scales) const {
    auto options = problem_.options.trust_region;
    options.scale.clear();
    const auto& sizes = problem_.options.step_sizes;
    if (sizes.empty()) {
        return options;
    }
    if (has_scales) {
        const std::size_t functions = at(problem_.scaling.coefficients()) / 2;
        options.scale.assign(functions, problem_.options.scale_step_sizes.contrast);
        options.scale.resize(2 * functions, problem_.options.scale_step_sizes.offset);
    }
    const auto free = problem_.parameters.part_of(sizes);
    options.scale.insert(options.scale.end(), free.begin(), free.end());
    return options;
}

nlsq::Fit LocalFit::run_squares(std::span<const double> start, const OnIteration& on_iteration) {
    auto options = region(false);
    if (on_iteration) {
        options.on_iteration = [&](const nlsq::Iteration& iteration) {
            return on_iteration(iteration, squares_.projection().coefficients());
        };
    }
    return nlsq::minimise(squares_, start, problem_.box, options);
}

/// From the scales that the squares have there.
nlsq::Fit LocalFit::run_loss(std::span<const double> start, const OnIteration& on_iteration) {
    problem_.box.validate_start(start);
    squares_.cost(start);
    const auto scales = squares_.projection().coefficients();
    const auto linear = static_cast<std::ptrdiff_t>(scales.size());
    std::vector<double> joint(scales.begin(), scales.end());
    joint.insert(joint.end(), start.begin(), start.end());
    auto options = region(true);
    if (on_iteration) {
        options.on_iteration = [&](const nlsq::Iteration& iteration) {
            auto physical = iteration;
            physical.x = iteration.x.subspan(scales.size());
            return on_iteration(physical, iteration.x.first(scales.size()));
        };
    }
    auto fit = nlsq::minimise(*loss_, joint, problem_.joint_box(), options);
    coefficients_.assign(fit.x.begin(), fit.x.begin() + linear);
    bounds_.assign(fit.bounds.begin(), fit.bounds.begin() + linear);
    fit.x.erase(fit.x.begin(), fit.x.begin() + linear);
    fit.bounds.erase(fit.bounds.begin(), fit.bounds.begin() + linear);
    fit.gram.clear();
    fit.determinacy = {};
    return fit;
}

LocalFit::Place LocalFit::look(const nlsq::Fit& minimum) {
    return loss_ ? look_at_loss(minimum) : look_at_squares(minimum);
}

void LocalFit::fill(Place& place, const Projection& projection, const WeightedSums& sums) const {
    const auto whole = projection.whole_gram(sums);
    const int linear = problem_.scaling.coefficients();
    const int size = linear + problem_.parameters.count();
    place.gram.resize(at(size * size));
    problem_.parameters.take_square(whole, place.gram, linear);
    place.gradient.assign(at(size), 0.0);
    place.coefficients.assign(projection.coefficients().begin(), projection.coefficients().end());
    place.sums.assign(sums.sums.begin(), sums.sums.end());
    for (int angle = 0; angle < problem_.measurement.angles(); ++angle) {
        place.squares.push_back(projection.sum_of_squares(sums, angle));
    }
    place.penalty = projection.penalty();
    place.chi_squared = projection.sum_of_squares() - place.penalty;
}

LocalFit::Place LocalFit::look_at_squares(const nlsq::Fit& minimum) {
    nlsq::NormalEquations last;
    squares_.evaluate(minimum.x, last);
    Place place;
    fill(place, squares_.projection(), squares_.sums());
    std::ranges::copy(last.gradient,
                      place.gradient.end() - static_cast<std::ptrdiff_t>(last.gradient.size()));
    for (int k = 0; k < problem_.scaling.coefficients(); ++k) {
        place.bounds.push_back(squares_.projection().bound_of(k));
    }
    return place;
}

LocalFit::Place LocalFit::look_at_loss(const nlsq::Fit& minimum) {
    const auto physical = problem_.physical(minimum.x);
    std::vector<Scale> scales;
    for (int angle = 0; angle < problem_.measurement.angles(); ++angle) {
        scales.push_back(problem_.scaling.scale_of(angle, coefficients_));
    }
    Projection projection(problem_.scaling, problem_.parameters.all());
    const WeightedSums of{
        summation_.over(team_, physical, Level::gram, scales), problem_.weights, coefficients_};
    projection.take(of, bounds_);
    Place place;
    fill(place, projection, of);
    place.bounds = bounds_;
    const auto influence = weighted_->over(team_, physical, Level::influence, scales);
    place.influence.assign(influence.begin(), influence.end());
    return place;
}

}  // namespace lockstep::xpcs
