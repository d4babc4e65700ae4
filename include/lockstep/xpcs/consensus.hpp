#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/runtime/team.hpp"
#include "lockstep/xpcs/cmc/consensus.hpp"
#include "lockstep/xpcs/cmc/shard_quality.hpp"
#include "lockstep/xpcs/sample.hpp"

namespace lockstep::xpcs {

/// How posteriors of shards become one.
enum class Combination {
    precision,        ///< product of normal densities: exact for normal shards
    density_product,  ///< of shards of any shape
    marginals,        ///< means and variances alone, as homodyne: correlations are lost
};

struct ConsensusOptions {
    int shards = 4;
    Combination combination = Combination::precision;
    cmc::ShardLimits limits{};   ///< of shards that are combined
    double least_success = 0.5;  ///< share of the shards that must remain
};

/// A shard's posterior.
struct ShardFigures {
    std::int64_t pairs = 0;
    SampleMethod method = SampleMethod::importance;
    double k = 0;  ///< of its weights
    double largest_rhat = 1;
    std::int64_t divergences = 0;
    cmc::ShardVerdict verdict = cmc::ShardVerdict::kept;
};

struct ConsensusResult {
    SampleResult draws{};                ///< of the combined posterior
    std::vector<ShardFigures> shards{};  ///< [shards]
    /// Moments in the coordinates in which the shards were combined: the posterior of the shards
    /// and, where it was sampled too, that of all data.
    cmc::Moments combined{};
};

/// Samples shards of the pairs of frames on their own, with the priors to the power 1 / shards, and
/// combines them. A shard has the same random pairs at all angles. Tasks are (shard, chain): the
/// same bits for any number of ranks and threads.
/// @par Source  [Scott2016]
/// @throws InputError  options; ModelError  too few shards can be used, and why
/// Collective.
ConsensusResult consensus(const Measurement& measurement,
                          const FitOptions& options,
                          const FitResult& fit,
                          const SampleOptions& sampling,
                          const ConsensusOptions& how,
                          runtime::Team& team,
                          SampleObserver* observer = nullptr);

/// How the draws of one sampling differ from those of another, quantity by quantity.
cmc::PosteriorDifference compare_draws(const SampleResult& found, const SampleResult& reference);

}  // namespace lockstep::xpcs
