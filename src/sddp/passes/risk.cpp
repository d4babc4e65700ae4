#include "sddp/passes/risk.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace lockstep::sddp {

void risk_weights(const RiskMeasure& measure,
                  std::span<const double> probability,
                  std::span<const double> cost,
                  std::span<double> weight) {
    if (measure.is_neutral()) {
        std::copy(probability.begin(), probability.end(), weight.begin());
        return;
    }
    std::vector<std::size_t> order(cost.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return cost[a] > cost[b]; });
    // What lies beyond the tail keeps the weight of the expectation alone.
    double tail = measure.lambda;
    for (const auto index : order) {
        const auto p = probability[index];
        const auto floor = (1 - measure.lambda) * p;
        const auto cap = floor + measure.lambda * p / measure.alpha;
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
