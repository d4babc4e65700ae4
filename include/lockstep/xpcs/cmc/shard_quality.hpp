#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "lockstep/xpcs/cmc/moments.hpp"

namespace lockstep::xpcs::cmc {

/// Why a shard is left out of a combination.
enum class ShardVerdict {
    kept,
    failed,      ///< no draws, or not finite
    divergent,   ///< too many divergent draws
    unmixed,     ///< chains disagree
    degenerate,  ///< a covariance that is not positive definite, or next to no variance beside
                 ///< others
    outlier,     ///< a mean far from those of the other shards
};
std::string_view to_string(ShardVerdict verdict);

/// What is known of a shard. A failed one has no moments.
struct ShardResult {
    Moments moments;
    double divergence_rate = 0;  ///< share of divergent draws
    double rhat = 1;             ///< largest of its parameters
};

struct ShardLimits {
    double divergence_rate = 0.1;
    double rhat = 1.1;
    double deviations = 3.5;  ///< 0.6745 |mean - median| by the median absolute deviation
};

/// One verdict a shard, in order. Outliers are looked for among shards that pass the other tests,
/// of three or more.
/// @throws InputError  dimensions differ
std::vector<ShardVerdict> judge_shards(std::span<const ShardResult> shards,
                                       const ShardLimits& limits = {});

}  // namespace lockstep::xpcs::cmc
