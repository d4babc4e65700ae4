#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/xpcs/fit.hpp"

#include "xpcs/model/order_statistics.hpp"

namespace lockstep::xpcs {
namespace {

constexpr std::int64_t most_differences = 200'000;  // an angle: enough for three digits
constexpr double normal_quartile = 0.6744897501960817;
constexpr double least_sigma = 1e-6;  // of data without any noise

/// c(i, j) - c(i, j+1) - c(i+1, j) + c(i+1, j+1): what depends on one of the frames alone cancels,
/// and a smooth signal nearly so. Its variance is four times that of a value: equation (9) of
/// docs/xpcs/theory.md.
double mixed_difference(const Measurement& data, int angle, int i, int j) {
    const double* upper = &data.c2[data.row(angle, i)] + (j - i - 1);
    const double* lower = &data.c2[data.row(angle, i + 1)] + (j - i - 2);
    return (upper[0] - upper[1]) - (lower[0] - lower[1]);
}

std::vector<double> differences_of(const Measurement& data, int angle) {
    const std::int64_t step = pair_count(data.frames) / most_differences + 1;
    std::vector<double> differences;
    std::int64_t place = 0;
    for (int i = 0; i + 1 < data.frames; ++i) {
        for (int j = i + 2; j + 1 < data.frames; ++j, ++place) {
            const double value =
                place % step == 0 ? mixed_difference(data, angle, i, j) : std::nan("");
            if (!std::isnan(value)) {
                differences.push_back(std::abs(value));
            }
        }
    }
    return differences;
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

std::vector<double> noise_of(const Measurement& measurement) {
    std::vector<double> sigma;
    for (int angle = 0; angle < measurement.angles(); ++angle) {
        auto differences = differences_of(measurement, angle);
        sigma.push_back(
            differences.empty()
                ? 1
                : std::max(median(std::move(differences)) / (2 * normal_quartile), least_sigma));
    }
    return sigma;
}

double signal_spread_of(const Measurement& measurement) {
    const OrderStatistics values([&](auto&& visit) {
        for (const double value : measurement.c2) {
            visit(value, 1);
        }
    });
    const double middle = values.at(values.count() / 2);
    const OrderStatistics distances([&](auto&& visit) {
        for (const double value : measurement.c2) {
            visit(std::abs(value - middle), 1);
        }
    });
    return std::max(1.4826 * distances.at(distances.count() / 2), 1e-3);
}

}  // namespace lockstep::xpcs
