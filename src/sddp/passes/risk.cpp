#include "sddp/passes/risk.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace lockstep::sddp {

void risk_weights(const RiskMeasure& measure,
                  std::span<const double> cost,
                  std::span<double> weight) {
    const auto probability = 1.0 / static_cast<double>(cost.size());
    if (measure.is_neutral()) {
        std::fill(weight.begin(), weight.end(), probability);
        return;
    }
    const auto cap =
        (1 - measure.lambda) * probability + measure.lambda * probability / measure.alpha;
    std::vector<std::size_t> order(cost.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return cost[a] > cost[b]; });
    // What lies beyond the tail keeps the weight of the expectation alone.
    const auto floor = (1 - measure.lambda) * probability;
    double tail = measure.lambda;
    for (const auto index : order) {
        const auto extra = std::min(cap - floor, tail);
        weight[index] = floor + extra;
        tail -= extra;
    }
}

double weighted_sum(std::span<const double> weight, std::span<const double> cost) {
    double sum = 0;
    for (std::size_t i = 0; i < weight.size(); ++i) {
        sum += weight[i] * cost[i];
    }
    return sum;
}

}  // namespace lockstep::sddp
