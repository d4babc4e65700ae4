#include "xpcs/cmc/robust.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace lockstep::xpcs::cmc {
namespace {

constexpr double deviation_of_normal = 0.6745;  // median absolute deviation by sd
constexpr std::ptrdiff_t fewest = 3;

}  // namespace

double median_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return quantile_of_sorted(values, 0.5);
}

std::vector<bool> near_median(std::span<const double> values, double limit) {
    const std::vector<bool> all(values.size(), true);
    if (values.empty()) {
        return all;
    }
    const double middle = median_of({values.begin(), values.end()});
    std::vector<double> distances;
    for (const double value : values) {
        distances.push_back(std::abs(value - middle));
    }
    const double deviation = median_of(distances);
    std::vector<bool> is_near;
    for (const double distance : distances) {
        is_near.push_back(deviation_of_normal * distance / deviation < limit);
    }
    const bool enough = std::count(is_near.begin(), is_near.end(), true) >= fewest;
    return deviation > 0 && enough ? is_near : all;
}

}  // namespace lockstep::xpcs::cmc
