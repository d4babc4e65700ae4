#include "sddp/passes/risk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/base/math.hpp"

namespace lockstep::sddp {

namespace {

// The expectation's part, and up to the weight of the tail that of the costliest outcomes.
void weigh_tail(const RiskMeasure& measure,
                std::span<const double> probability,
                std::span<const double> cost,
                std::span<double> weight) {
    std::vector<std::size_t> order(cost.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return cost[a] > cost[b]; });
    // What lies beyond the tail keeps the weight of the expectation alone.
    const auto expectation = 1 - measure.lambda - measure.worst_case - measure.entropic;
    double tail = measure.lambda;
    for (const auto index : order) {
        const auto p = probability[index];
        const auto floor = expectation * p;
        const auto cap = floor + measure.lambda * p / measure.alpha;
        const auto extra = std::min(cap - floor, tail);
        weight[index] = floor + extra;
        tail -= extra;
    }
}

// Probabilities tilted by e^(γ·cost). The offset is -D/γ, D their divergence from those given.
double weigh_entropic(const RiskMeasure& measure,
                      std::span<const double> probability,
                      std::span<const double> cost,
                      std::span<double> weight) {
    const auto most = *std::max_element(cost.begin(), cost.end());
    std::vector<double> tilted(cost.size());
    double sum = 0;
    for (std::size_t i = 0; i < cost.size(); ++i) {
        tilted[i] = probability[i] * math::exp(measure.gamma * (cost[i] - most));
        sum += tilted[i];
    }
    double mean = 0;
    for (std::size_t i = 0; i < cost.size(); ++i) {
        weight[i] += measure.entropic * tilted[i] / sum;
        mean += tilted[i] / sum * (cost[i] - most);
    }
    return measure.entropic * (math::log(sum) / measure.gamma - mean);
}

}  // namespace

double risk_weights(const RiskMeasure& measure,
                    std::span<const double> probability,
                    std::span<const double> cost,
                    std::span<double> weight) {
    if (measure.is_neutral()) {
        std::copy(probability.begin(), probability.end(), weight.begin());
        return 0;
    }
    weigh_tail(measure, probability, cost, weight);
    if (measure.worst_case > 0) {
        weight[at(std::max_element(cost.begin(), cost.end()) - cost.begin())] += measure.worst_case;
    }
    return measure.entropic > 0 ? weigh_entropic(measure, probability, cost, weight) : 0;
}

double risk_of(const RiskMeasure& measure,
               std::span<const double> probability,
               std::span<const double> cost) {
    if (std::any_of(cost.begin(), cost.end(), [](double c) { return std::isinf(c); })) {
        return std::numeric_limits<double>::infinity();
    }
    std::vector<double> weight(cost.size());
    const auto offset = risk_weights(measure, probability, cost, weight);
    return weighted_sum(weight, cost) + offset;
}

double risk_of(const RiskMeasure& measure, std::span<const double> cost) {
    const std::vector<double> alike(cost.size(), 1.0 / static_cast<double>(cost.size()));
    return risk_of(measure, alike, cost);
}

double weighted_sum(std::span<const double> weight, std::span<const double> cost) {
    double sum = 0;
    for (std::size_t i = 0; i < weight.size(); ++i) {
        sum += weight[i] * cost[i];
    }
    return sum;
}

}  // namespace lockstep::sddp
