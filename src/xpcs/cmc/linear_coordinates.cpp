#include "lockstep/xpcs/cmc/linear_coordinates.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

namespace lockstep::xpcs::cmc {

LinearCoordinates::LinearCoordinates(std::vector<double> centre, std::span<const double> covariance)
    : centre_(std::move(centre)), factor_(CovarianceFactor::dense(covariance)) {
    if (centre_.size() != at(dimension())) {
        throw InputError(fmt::format(
            "the centre has {} coordinates, the covariance {}", centre_.size(), dimension()));
    }
}

void LinearCoordinates::to_x(std::span<const double> z, std::span<double> x) const {
    factor_.multiply(z, x);
    for (std::size_t i = 0; i < centre_.size(); ++i) {
        x[i] += centre_[i];
    }
}

void LinearCoordinates::to_z(std::span<const double> x, std::span<double> z) const {
    std::transform(
        x.begin(), x.end(), centre_.begin(), z.begin(), [](double a, double b) { return a - b; });
    factor_.solve(z);
}

ChainDraws in_x(ChainDraws draws, const LinearCoordinates& coordinates) {
    std::vector<double> z(at(draws.dimension));
    for (int draw = 0; draw < draws.count(); ++draw) {
        const auto x = std::span(draws.values).subspan(at(draw) * z.size(), z.size());
        std::copy(x.begin(), x.end(), z.begin());
        coordinates.to_x(z, x);
    }
    return draws;
}

WhitenedDensity::WhitenedDensity(LogDensity& density, const LinearCoordinates& coordinates)
    : density_(&density),
      coordinates_(&coordinates),
      x_(at(coordinates.dimension())),
      gradient_(at(coordinates.dimension())) {
    if (density.dimension() != coordinates.dimension()) {
        throw InputError(fmt::format("the density has {} coordinates, the linear map {}",
                                     density.dimension(),
                                     coordinates.dimension()));
    }
}

double WhitenedDensity::evaluate(std::span<const double> z, std::span<double> gradient) {
    coordinates_->to_x(z, x_);
    const double value = density_->evaluate(x_, gradient_);
    coordinates_->factor().multiply_transposed(gradient_, gradient);
    return value;
}

double WhitenedDensity::evaluate(std::span<const double> z) {
    coordinates_->to_x(z, x_);
    return density_->evaluate(x_);
}

}  // namespace lockstep::xpcs::cmc
