#include "lockstep/xpcs/cmc/consensus.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/xpcs/cmc/covariance_factor.hpp"

#include "xpcs/cmc/robust.hpp"

namespace lockstep::xpcs::cmc {
namespace {

constexpr double smallest_variance = 1e-10;
constexpr double smallest_combined = 1e-12;
constexpr std::size_t fewest_to_filter = 3;
constexpr std::size_t fewest_to_clip = 5;

void check(std::span<const Moments> shards) {
    if (shards.empty()) {
        throw InputError("there is no shard to combine");
    }
    const std::size_t n = shards.front().mean.size();
    for (std::size_t s = 0; s < shards.size(); ++s) {
        if (shards[s].mean.size() != n || shards[s].covariance.size() != n * n) {
            throw InputError(
                fmt::format("shard {} has {} parameters and {} covariances, must be {} "
                            "and {} as in shard 0",
                            s,
                            shards[s].mean.size(),
                            shards[s].covariance.size(),
                            n,
                            n * n));
        }
    }
}

CovarianceFactor factor_of_shard(const Moments& shard, std::size_t s) {
    try {
        return CovarianceFactor::dense(shard.covariance);
    } catch (const InputError& error) {
        throw InputError(fmt::format("shard {}: {}", s, error.what()));
    }
}

std::vector<double> kept(std::span<const double> values, const std::vector<bool>& is_kept) {
    std::vector<double> chosen;
    for (std::size_t s = 0; s < values.size(); ++s) {
        if (is_kept[s]) {
            chosen.push_back(values[s]);
        }
    }
    return chosen;
}

// Shards with next to no variance would have all the weight.
void drop_degenerate(std::span<const double> variances, std::vector<bool>& is_kept) {
    const std::vector<double> chosen = kept(variances, is_kept);
    if (chosen.size() < fewest_to_filter) {
        return;
    }
    const double least = smallest_variance_share * median_of(chosen);
    for (std::size_t s = 0; s < variances.size(); ++s) {
        is_kept[s] = is_kept[s] && variances[s] >= least;
    }
}

Marginal weighted(std::span<const double> means,
                  std::span<const double> variances,
                  std::vector<bool> is_kept) {
    double precision = 0;
    double sum = 0;
    for (std::size_t s = 0; s < means.size(); ++s) {
        if (is_kept[s]) {
            const double weight = 1 / std::max(variances[s], smallest_variance);
            precision += weight;
            sum += weight * means[s];
        }
    }
    return {sum / precision, std::max(1 / precision, smallest_combined), std::move(is_kept)};
}

}  // namespace

Moments product_of_normals(std::span<const Moments> shards) {
    check(shards);
    const std::size_t n = shards.front().mean.size();
    std::vector<double> precision(n * n, 0.0);
    std::vector<double> weighted_mean(n, 0.0);
    for (std::size_t s = 0; s < shards.size(); ++s) {
        const std::vector<double> of_shard = factor_of_shard(shards[s], s).inverse();
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                precision[i * n + j] += of_shard[i * n + j];
                weighted_mean[i] += of_shard[i * n + j] * shards[s].mean[j];
            }
        }
    }
    const CovarianceFactor factor = CovarianceFactor::dense(precision);
    factor.solve(weighted_mean);
    factor.solve_transposed(weighted_mean);
    return {std::move(weighted_mean), factor.inverse()};
}

Marginal consensus_mc(std::span<const double> means, std::span<const double> variances) {
    std::vector<bool> is_kept(means.size(), true);
    drop_degenerate(variances, is_kept);
    return weighted(means, variances, std::move(is_kept));
}

Marginal robust_consensus_mc(std::span<const double> means, std::span<const double> variances) {
    std::vector<bool> is_kept = near_median(means);
    drop_degenerate(variances, is_kept);
    std::vector<double> clipped(variances.begin(), variances.end());
    std::vector<double> sorted = kept(variances, is_kept);
    if (sorted.size() >= fewest_to_clip) {
        std::sort(sorted.begin(), sorted.end());
        const double low = quantile_of_sorted(sorted, 0.05);
        const double high = quantile_of_sorted(sorted, 0.95);
        for (double& variance : clipped) {
            variance = std::clamp(variance, low, high);
        }
    }
    return weighted(means, clipped, std::move(is_kept));
}

Moments combine_marginals(std::span<const Moments> shards, MarginalRule rule) {
    check(shards);
    const std::size_t n = shards.front().mean.size();
    Moments combined{std::vector<double>(n), std::vector<double>(n * n, 0.0)};
    for (std::size_t i = 0; i < n; ++i) {
        std::vector<double> means;
        std::vector<double> variances;
        for (const Moments& shard : shards) {
            means.push_back(shard.mean[i]);
            variances.push_back(shard.covariance[i * (n + 1)]);
        }
        const Marginal marginal = rule == MarginalRule::plain
                                      ? consensus_mc(means, variances)
                                      : robust_consensus_mc(means, variances);
        combined.mean[i] = marginal.mean;
        combined.covariance[i * (n + 1)] = marginal.variance;
    }
    return combined;
}

}  // namespace lockstep::xpcs::cmc
