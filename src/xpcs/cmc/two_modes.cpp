#include "xpcs/cmc/two_modes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/base/math.hpp"
#include "lockstep/xpcs/cmc/diagnostics.hpp"

namespace lockstep::xpcs::cmc {
namespace {

constexpr std::ptrdiff_t most_draws = 1000;  // more cost time and tell nothing new
constexpr int iterations = 60;
constexpr double least_weight = 0.2;
constexpr double least_separation = 4;
constexpr double least_variance = 1e-6;  // of a component, by that of all
// (skewness² + 1) / kurtosis: 1/3 where normal, above this where two modes pass the tests below.
constexpr double least_coefficient = 0.5;

struct Component {
    double weight = 0.5;
    double mean = 0;
    double variance = 1;
};
using Mixture = std::array<Component, 2>;

/// At most so many, evenly spaced, with mean 0 and variance 1; none where they are constant.
std::vector<double> standardised(std::span<const double> draws) {
    const std::ptrdiff_t every = (std::ssize(draws) + most_draws - 1) / most_draws;
    std::vector<double> values;
    double sum = 0;
    for (std::ptrdiff_t draw = 0; draw < std::ssize(draws); draw += every) {
        values.push_back(draws[at(draw)]);
        sum += values.back();
    }
    const auto count = static_cast<double>(values.size());
    double squares = 0;
    for (double& value : values) {
        value -= sum / count;
        squares += value * value;
    }
    const double deviation = std::sqrt(squares / count);
    if (!(deviation > 0)) {
        return {};
    }
    for (double& value : values) {
        value /= deviation;
    }
    return values;
}

double coefficient_of(std::span<const double> standard) {
    double third = 0;
    double fourth = 0;
    for (const double value : standard) {
        third += value * value * value;
        fourth += value * value * value * value;
    }
    const auto count = static_cast<double>(standard.size());
    return ((third / count) * (third / count) + 1) / (fourth / count);
}

double log_share(const Component& component, double value) {
    const double distance = value - component.mean;
    return math::log(component.weight) -
           0.5 * (math::log(component.variance) + distance * distance / component.variance);
}

/// One step of expectation and maximisation.
Mixture improved(const Mixture& from, std::span<const double> values) {
    std::array<double, 2> count{};
    std::array<double, 2> sum{};
    std::array<double, 2> squares{};
    for (const double value : values) {
        const double difference = log_share(from[1], value) - log_share(from[0], value);
        const double first = 1 / (1 + math::exp(std::clamp(difference, -500.0, 500.0)));
        const std::array<double, 2> share{first, 1 - first};
        for (std::size_t k = 0; k < 2; ++k) {
            count[k] += share[k];
            sum[k] += share[k] * value;
            squares[k] += share[k] * value * value;
        }
    }
    Mixture mixture;
    for (std::size_t k = 0; k < 2; ++k) {
        const double held = std::max(count[k], 1e-9);
        const double mean = sum[k] / held;
        mixture[k] = {held / static_cast<double>(values.size()),
                      mean,
                      std::max(squares[k] / held - mean * mean, least_variance)};
    }
    return mixture;
}

}  // namespace

bool has_two_modes(std::span<const double> draws) {
    const auto values = standardised(draws);
    if (values.empty() || coefficient_of(values) < least_coefficient) {
        return false;
    }
    auto sorted = values;
    std::ranges::sort(sorted);
    Mixture mixture{Component{0.5, quantile_of_sorted(sorted, 0.1), 0.1},
                    Component{0.5, quantile_of_sorted(sorted, 0.9), 0.1}};
    for (int iteration = 0; iteration < iterations; ++iteration) {
        mixture = improved(mixture, values);
    }
    const double deviation = std::sqrt((mixture[0].variance + mixture[1].variance) / 2);
    return std::min(mixture[0].weight, mixture[1].weight) >= least_weight &&
           std::abs(mixture[0].mean - mixture[1].mean) >= least_separation * deviation;
}

}  // namespace lockstep::xpcs::cmc
