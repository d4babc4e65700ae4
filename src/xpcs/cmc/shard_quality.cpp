#include "lockstep/xpcs/cmc/shard_quality.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/xpcs/cmc/covariance_factor.hpp"

#include "xpcs/cmc/robust.hpp"

namespace lockstep::xpcs::cmc {
namespace {

constexpr std::size_t fewest_to_compare = 3;

bool has_moments(const Moments& moments) {
    const auto is_finite = [](double value) { return std::isfinite(value); };
    return !moments.mean.empty() &&
           std::all_of(moments.mean.begin(), moments.mean.end(), is_finite) &&
           std::all_of(moments.covariance.begin(), moments.covariance.end(), is_finite);
}

bool is_positive_definite(const Moments& moments) {
    try {
        CovarianceFactor::dense(moments.covariance);
        return true;
    } catch (const InputError&) {
        return false;
    }
}

// What the shard alone tells. Comparisons are such that NaN fails.
ShardVerdict judge_alone(const ShardResult& shard, const ShardLimits& limits) {
    if (!has_moments(shard.moments)) {
        return ShardVerdict::failed;
    }
    if (!(shard.divergence_rate <= limits.divergence_rate)) {
        return ShardVerdict::divergent;
    }
    if (!(shard.rhat <= limits.rhat)) {
        return ShardVerdict::unmixed;
    }
    return is_positive_definite(shard.moments) ? ShardVerdict::kept : ShardVerdict::degenerate;
}

// Numbers of the shards that are kept so far.
std::vector<std::size_t> kept_of(std::span<const ShardVerdict> verdicts) {
    std::vector<std::size_t> kept;
    for (std::size_t s = 0; s < verdicts.size(); ++s) {
        if (verdicts[s] == ShardVerdict::kept) {
            kept.push_back(s);
        }
    }
    return kept;
}

// value(moments) of each shard in `among` -> which pass; those that do not get `verdict`.
template <typename Value, typename Pass>
void exclude(std::span<const ShardResult> shards,
             std::span<const std::size_t> among,
             ShardVerdict verdict,
             std::vector<ShardVerdict>& verdicts,
             Value value,
             Pass pass) {
    std::vector<double> values;
    for (const std::size_t s : among) {
        values.push_back(value(shards[s].moments));
    }
    const std::vector<bool> passes = pass(values);
    for (std::size_t i = 0; i < among.size(); ++i) {
        if (!passes[i]) {
            verdicts[among[i]] = verdict;
        }
    }
}

std::vector<bool> not_degenerate(const std::vector<double>& variances) {
    const double least = smallest_variance_share * median_of(variances);
    std::vector<bool> passes;
    for (const double variance : variances) {
        passes.push_back(variance > 0 && variance >= least);
    }
    return passes;
}

}  // namespace

std::string_view to_string(ShardVerdict verdict) {
    switch (verdict) {
        case ShardVerdict::kept:
            return "kept";
        case ShardVerdict::failed:
            return "failed";
        case ShardVerdict::divergent:
            return "divergent";
        case ShardVerdict::unmixed:
            return "unmixed";
        case ShardVerdict::degenerate:
            return "degenerate";
        case ShardVerdict::outlier:
            return "outlier";
    }
    return "unknown";
}

std::vector<ShardVerdict> judge_shards(std::span<const ShardResult> shards,
                                       const ShardLimits& limits) {
    std::vector<ShardVerdict> verdicts;
    for (const ShardResult& shard : shards) {
        verdicts.push_back(judge_alone(shard, limits));
    }
    const std::vector<std::size_t> sound = kept_of(verdicts);
    if (sound.size() < fewest_to_compare) {
        return verdicts;
    }
    const int n = shards[sound.front()].moments.dimension();
    for (const std::size_t s : sound) {
        if (shards[s].moments.dimension() != n) {
            throw InputError(fmt::format("shard {} has {} parameters, shard {} has {}",
                                         s,
                                         shards[s].moments.dimension(),
                                         sound.front(),
                                         n));
        }
    }
    for (int i = 0; i < n; ++i) {
        exclude(
            shards,
            sound,
            ShardVerdict::degenerate,
            verdicts,
            [=](const Moments& moments) { return moments.variance(i); },
            not_degenerate);
    }
    const std::vector<std::size_t> varied = kept_of(verdicts);
    for (int i = 0; i < n; ++i) {
        exclude(
            shards,
            varied,
            ShardVerdict::outlier,
            verdicts,
            [=](const Moments& moments) { return moments.mean[static_cast<std::size_t>(i)]; },
            [&](const std::vector<double>& means) {
                return near_median(means, limits.deviations);
            });
    }
    return verdicts;
}

}  // namespace lockstep::xpcs::cmc
