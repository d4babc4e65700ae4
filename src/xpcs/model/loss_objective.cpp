#include "xpcs/model/loss_objective.hpp"

#include <algorithm>
#include <cmath>

#include "lockstep/base/index.hpp"

namespace lockstep::xpcs {

LossObjective::LossObjective(Summation& summation,
                             runtime::Team* team,
                             const FreeParameters& parameters,
                             std::span<const double> held,
                             const Scaling& scaling,
                             std::span<const double> weights)
    : summation_(summation),
      team_(team),
      parameters_(parameters),
      physical_(held.begin(), held.end()),
      gradient_(held.size()),
      scaling_(scaling),
      projection_(scaling, parameters.all()),
      coefficients_(at(scaling.coefficients())),
      free_(coefficients_.size(), nlsq::AtBound::no),
      scales_(at(summation.model().angles())),
      of_{{}, weights, coefficients_} {}

void LossObjective::set(std::span<const double> x) {
    std::ranges::copy(x.first(coefficients_.size()), coefficients_.begin());
    parameters_.put(x.subspan(coefficients_.size()), physical_);
    for (std::size_t angle = 0; angle < scales_.size(); ++angle) {
        scales_[angle] = scaling_.scale_of(static_cast<int>(angle), coefficients_);
    }
}

bool LossObjective::evaluate(std::span<const double> x, nlsq::NormalEquations& normal) {
    set(x);
    of_.sums = summation_.over(team_, physical_, Level::gram, scales_);
    projection_.take(of_, free_);
    normal.cost = projection_.sum_of_squares() / 2;
    normal.gradient.resize(at(parameters()));
    const auto gradient = std::span(normal.gradient);
    projection_.scale_gradient(gradient.first(coefficients_.size()));
    projection_.gradient(of_, gradient_);
    parameters_.take_part(gradient_, gradient.subspan(coefficients_.size()));
    normal.gram.resize(at(parameters() * parameters()));
    parameters_.take_square(
        projection_.whole_gram(of_), normal.gram, static_cast<int>(coefficients_.size()));
    return std::isfinite(normal.cost);
}

}  // namespace lockstep::xpcs
