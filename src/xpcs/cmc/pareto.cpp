#include "lockstep/xpcs/cmc/pareto.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/math.hpp"
#include "lockstep/runtime/fixed_sum.hpp"

namespace lockstep::xpcs::cmc {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t fewest_in_tail = 5;

// log(1 - b x), averaged over x: minus the shape that belongs to b.
double mean_log(double b, std::span<const double> x, std::vector<double>& scratch) {
    scratch.clear();
    for (const double value : x) {
        scratch.push_back(math::log(1 - b * value));
    }
    return runtime::fixed_sum(scratch) / static_cast<double>(x.size());
}

// Quantile of a generalised Pareto distribution.
double pareto_quantile(double p, const ParetoFit& fit) {
    const double y = -math::log(1 - p);
    const double power = fit.k * y;
    // (e^(k y) - 1) / k, by its series where the difference would cancel.
    return fit.sigma * (std::abs(power) < 1e-5 ? y * (1 + power / 2 * (1 + power / 3))
                                               : (math::exp(power) - 1) / fit.k);
}

double largest_of(std::span<const double> log_weights) {
    double largest = -infinity;
    for (std::size_t i = 0; i < log_weights.size(); ++i) {
        if (std::isnan(log_weights[i]) || log_weights[i] == infinity) {
            throw InputError(fmt::format(
                "log weight {} is {}, must be a number below infinity", i, log_weights[i]));
        }
        largest = std::max(largest, log_weights[i]);
    }
    if (largest == -infinity) {
        throw InputError(fmt::format("none of {} weights is above 0", log_weights.size()));
    }
    return largest;
}

std::vector<double> exponentials(std::span<const double> logarithms) {
    std::vector<double> values;
    for (const double logarithm : logarithms) {
        values.push_back(math::exp(logarithm));
    }
    return values;
}

// Replaces the weights of `tail`, ascending, by quantiles of the fitted tail, at most 1.
void smooth(std::vector<double>& log_weights,
            std::span<const std::size_t> tail,
            double cutoff,
            const ParetoFit& fit) {
    const auto count = static_cast<double>(tail.size());
    for (std::size_t i = 0; i < tail.size(); ++i) {
        const double p = (static_cast<double>(i) + 0.5) / count;
        log_weights[tail[i]] = std::min(0.0, math::log(pareto_quantile(p, fit) + cutoff));
    }
}

}  // namespace

ParetoFit fit_pareto(std::span<const double> exceedances) {
    constexpr double prior_of_b = 3;
    constexpr double prior_draws = 10;
    constexpr double prior_k = 0.5;
    const auto n = static_cast<double>(exceedances.size());
    const std::size_t grid = 30 + static_cast<std::size_t>(std::sqrt(n));
    const double quartile = exceedances[static_cast<std::size_t>(n / 4 + 0.5) - 1];
    std::vector<double> scratch;
    std::vector<double> b;
    std::vector<double> log_likelihood;
    for (std::size_t j = 0; j < grid; ++j) {
        const double share = static_cast<double>(grid) / (static_cast<double>(j) + 0.5);
        b.push_back((1 - std::sqrt(share)) / (prior_of_b * quartile) + 1 / exceedances.back());
        const double k = mean_log(b.back(), exceedances, scratch);
        log_likelihood.push_back(n * (math::log(-b.back() / k) - k - 1));
    }
    double weights = 0;
    double mean_b = 0;
    const double best = *std::max_element(log_likelihood.begin(), log_likelihood.end());
    for (std::size_t j = 0; j < grid; ++j) {
        const double weight = math::exp(log_likelihood[j] - best);
        weights += weight;
        mean_b += weight * b[j];
    }
    mean_b /= weights;
    const double k = mean_log(mean_b, exceedances, scratch);
    return {(n * k + prior_draws * prior_k) / (n + prior_draws), -k / mean_b};
}

SmoothedWeights smooth_weights(std::span<const double> log_weights, double relative_efficiency) {
    const double largest = largest_of(log_weights);
    const std::size_t n = log_weights.size();
    const auto total = static_cast<double>(n);
    const auto in_tail = static_cast<std::size_t>(
        std::ceil(std::min(total / 5, 3 * std::sqrt(total / relative_efficiency))));
    SmoothedWeights smoothed;
    auto& weights = smoothed.log_weights;
    for (const double log_weight : log_weights) {
        weights.push_back(log_weight - largest);
    }
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return weights[a] < weights[b];
    });
    smoothed.k = weights[order.front()] == 0 ? -infinity : infinity;
    if (n > in_tail) {
        const double log_cutoff = std::max(weights[order[n - in_tail - 1]],
                                           math::log(std::numeric_limits<double>::min()));
        const auto first = std::find_if(
            order.begin(), order.end(), [&](std::size_t i) { return weights[i] > log_cutoff; });
        const std::vector<std::size_t> tail(first, order.end());
        const double cutoff = math::exp(log_cutoff);
        std::vector<double> exceedances;
        for (const std::size_t i : tail) {
            exceedances.push_back(math::exp(weights[i]) - cutoff);
        }
        if (tail.size() >= fewest_in_tail && exceedances.front() > 0) {
            const ParetoFit fit = fit_pareto(exceedances);
            smoothed.k = std::isfinite(fit.k) ? fit.k : infinity;
            if (std::isfinite(fit.k) && fit.sigma > 0) {
                smooth(weights, tail, cutoff, fit);
            }
        }
    }
    const double log_sum = math::log(runtime::fixed_sum(exponentials(weights)));
    for (double& weight : weights) {
        weight -= log_sum;
    }
    const std::vector<double> normalised = exponentials(weights);
    smoothed.effective_size = 1 / runtime::fixed_dot(normalised, normalised);
    return smoothed;
}

}  // namespace lockstep::xpcs::cmc
