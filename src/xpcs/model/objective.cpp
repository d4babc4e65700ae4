#include "xpcs/model/objective.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lockstep/base/index.hpp"

namespace lockstep::xpcs {

ModelObjective::ModelObjective(Summation& summation,
                               runtime::Team& team,
                               const Scaling& scaling,
                               std::span<const double> weights,
                               std::span<const double> start)
    : summation_(summation),
      team_(team),
      scaling_(scaling),
      parameters_(static_cast<int>(parameters_of(summation.model().motion()).size())),
      projection_(scaling, parameters_),
      reference_(start.begin(), start.end()),
      scales_(at(summation.model().angles())),
      best_(std::numeric_limits<double>::infinity()),
      of_{{}, weights, reference_} {
    take_reference(start);
}

void ModelObjective::take_reference(std::span<const double> coefficients) {
    std::ranges::copy(coefficients, reference_.begin());
    for (std::size_t angle = 0; angle < scales_.size(); ++angle) {
        scales_[angle] = scaling_.scale_of(static_cast<int>(angle), reference_);
    }
}

bool ModelObjective::evaluate(std::span<const double> x, nlsq::NormalEquations& normal) {
    const bool is_better = projection_.sum_of_squares() / 2 < best_ && !of_.sums.empty();
    if (is_better) {
        best_ = projection_.sum_of_squares() / 2;
        take_reference(projection_.coefficients());
    }
    of_.sums = summation_.over(team_, x, Level::gram, scales_);
    projection_.solve(of_);
    normal.cost = projection_.sum_of_squares() / 2;
    normal.gradient.resize(at(parameters_));
    normal.gram.resize(at(parameters_ * parameters_));
    projection_.gradient(of_, normal.gradient);
    projection_.gram(of_, normal.gram);
    return std::isfinite(normal.cost);
}

}  // namespace lockstep::xpcs
