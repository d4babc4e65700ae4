#include "xpcs/model/objective.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lockstep/base/index.hpp"

namespace lockstep::xpcs {

ModelObjective::ModelObjective(Summation& summation,
                               runtime::Team* team,
                               const FreeParameters& parameters,
                               std::span<const double> held,
                               const Scaling& scaling,
                               std::span<const double> weights,
                               std::span<const double> start)
    : summation_(summation),
      team_(team),
      parameters_(parameters),
      physical_(held.begin(), held.end()),
      gradient_(held.size()),
      gram_(held.size() * held.size()),
      scaling_(scaling),
      projection_(scaling, parameters.all()),
      start_(start.begin(), start.end()),
      reference_(start_),
      scales_(at(summation.model().angles())),
      of_{{}, weights, reference_} {
    restart();
}

void ModelObjective::restart() {
    of_.sums = {};
    best_ = std::numeric_limits<double>::infinity();
    take_reference(start_);
}

void ModelObjective::take_reference(std::span<const double> coefficients) {
    std::ranges::copy(coefficients, reference_.begin());
    for (std::size_t angle = 0; angle < scales_.size(); ++angle) {
        scales_[angle] = scaling_.scale_of(static_cast<int>(angle), reference_);
    }
}

void ModelObjective::sum(std::span<const double> x, Level level) {
    const bool is_better = projection_.sum_of_squares() / 2 < best_ && !of_.sums.empty();
    if (is_better) {
        best_ = projection_.sum_of_squares() / 2;
        take_reference(projection_.coefficients());
    }
    parameters_.put(x, physical_);
    of_.sums = summation_.over(team_, physical_, level, scales_);
    projection_.solve(of_);
}

double ModelObjective::cost(std::span<const double> x) {
    sum(x, Level::value);
    return projection_.sum_of_squares() / 2;
}

bool ModelObjective::evaluate(std::span<const double> x, nlsq::NormalEquations& normal) {
    sum(x, Level::gram);
    normal.cost = projection_.sum_of_squares() / 2;
    projection_.gradient(of_, gradient_);
    projection_.gram(of_, gram_);
    normal.gradient.resize(at(parameters()));
    normal.gram.resize(at(parameters() * parameters()));
    parameters_.take_part(gradient_, normal.gradient);
    parameters_.take_square(gram_, normal.gram);
    return std::isfinite(normal.cost);
}

}  // namespace lockstep::xpcs
