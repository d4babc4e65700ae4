#include "app/rl/start_value.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "lockstep/base/index.hpp"

namespace lockstep::app {
namespace {

struct Mean {
    double value = 0;
    double rounding = 0;  ///< more than what rounding may have done to it
};

// Starts are weights: three thirds rounded to doubles are thirds.
Mean mean_over(std::span<const rl::Start> starts, const std::vector<double>& values) {
    double total = 0;
    double sum = 0;
    double size = 0;
    for (const auto& start : starts) {
        const auto part = start.probability * values[at(start.state)];
        total += start.probability;
        sum += part;
        size += std::abs(part);
    }
    const auto operations = 2 * static_cast<double>(starts.size()) + 8;
    return {sum / total, operations * std::numeric_limits<double>::epsilon() * size / total};
}

}  // namespace

std::optional<formats::rl::BoundedValue> start_value(std::span<const rl::Start> starts,
                                                     const rl::Solution& solution) {
    if (starts.empty()) {
        return std::nullopt;
    }
    const auto lower = mean_over(starts, solution.lower);
    const auto upper = mean_over(starts, solution.upper);
    return formats::rl::BoundedValue{mean_over(starts, solution.value).value,
                                     lower.value - lower.rounding,
                                     upper.value + upper.rounding};
}

}  // namespace lockstep::app
