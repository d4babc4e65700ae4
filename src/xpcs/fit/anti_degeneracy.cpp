#include "lockstep/xpcs/anti_degeneracy.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lockstep/base/math.hpp"

#include "xpcs/model/lanes.hpp"

namespace lockstep::xpcs {
namespace {

constexpr double degree = 0.017453292519943295;
constexpr double least_cosine = 1e-10;

double weight_of(const AngleEstimate& angle, std::size_t p, AngleWeighting weighting) {
    switch (weighting) {
        case AngleWeighting::inverse_variance:
            return 1 / angle.variances[p];
        case AngleWeighting::points:
            return angle.points;
        case AngleWeighting::uniform:
            break;
    }
    return 1;
}

}  // namespace

/// Equation (29) of docs/xpcs/theory.md.
std::vector<double> shear_weights(std::span<const double> phi,
                                  double phi0,
                                  const ShearWeighting& how) {
    std::vector<double> weights;
    for (const double angle : phi) {
        const double cosine = lanes::sine_cosine(lanes::all((phi0 - angle) * degree)).cosine[0];
        const double along = math::pow(std::max(std::abs(cosine), least_cosine), how.power);
        weights.push_back(how.smallest + (1 - how.smallest) * along);
    }
    if (how.is_normalised) {
        const double mean = std::accumulate(weights.begin(), weights.end(), 0.0) /
                            static_cast<double>(weights.size());
        for (double& weight : weights) {
            weight /= mean;
        }
    }
    return weights;
}

std::string_view to_string(AngleWeighting weighting) noexcept {
    switch (weighting) {
        case AngleWeighting::inverse_variance:
            return "inverse_variance";
        case AngleWeighting::points:
            return "n_points";
        case AngleWeighting::uniform:
            return "uniform";
    }
    return "";
}

AngleEstimate combine_angles(std::span<const AngleEstimate> angles, AngleWeighting weighting) {
    AngleEstimate combined;
    for (std::size_t p = 0; p < angles.front().values.size(); ++p) {
        double sum = 0;
        double value = 0;
        double variance = 0;
        for (const auto& angle : angles) {
            const double weight = weight_of(angle, p, weighting);
            sum += weight;
            value += weight * angle.values[p];
            variance += weight * weight * angle.variances[p];
        }
        combined.values.push_back(value / sum);
        combined.variances.push_back(variance / (sum * sum));
    }
    for (const auto& angle : angles) {
        combined.points += angle.points;
    }
    return combined;
}

}  // namespace lockstep::xpcs
