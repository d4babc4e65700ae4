#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "lockstep/runtime/task_farm.hpp"
#include "lockstep/runtime/team.hpp"
#include "lockstep/xpcs/cmc/consensus.hpp"
#include "lockstep/xpcs/cmc/diagnostics.hpp"
#include "lockstep/xpcs/cmc/shard_quality.hpp"
#include "lockstep/xpcs/sample.hpp"
#include "lockstep/xpcs/shard_work.hpp"

namespace lockstep::xpcs {

/// How posteriors of shards become one.
enum class Combination {
    precision,        ///< product of normal densities: exact for normal shards
    density_product,  ///< of shards of any shape
    marginals,        ///< means and variances alone, robust, as homodyne: correlations are lost
    plain_marginals,  ///< the same without a look at outlying shards and variances
};

struct ConsensusOptions {
    int shards = 4;
    Sharding sharding = Sharding::random;
    bool is_tempered = true;  ///< priors count once, not once in every shard
    Combination combination = Combination::precision;
    cmc::ShardLimits limits{};   ///< of shards that are combined
    double least_success = 0.5;  ///< share of the shards that must remain
    /// Nothing is combined whose Variation is larger.
    double largest_variation = std::numeric_limits<double>::infinity();
    /// Of one task, a shard or a chain of a shard; 0: none.
    std::chrono::milliseconds time_limit{0};
    /// Of deal_shards(); with another plan or seed, or none: they are dealt when the work begins.
    std::shared_ptr<const ShardDeal> dealt{};
};

/// A shard's posterior.
struct ShardFigures {
    std::int64_t pairs = 0;
    SampleMethod method = SampleMethod::importance;
    double k = 0;  ///< of its weights
    double largest_rhat = 1;
    double acceptance = 0;  ///< of its chains, mean
    std::int64_t divergences = 0;
    cmc::ShardVerdict verdict = cmc::ShardVerdict::kept;
    int attempts = 0;                       ///< at all of its tasks
    double seconds = 0;                     ///< of these that ended well
    std::string failure{};                  ///< how a task ended that did not end well, and why
    std::vector<cmc::Summary> summaries{};  ///< [ConsensusResult::parameters]; none: no draws
};

/// The parameter whose means differ most between shards.
struct Variation {
    std::string parameter{};  ///< empty: fewer than two shards were kept
    /// Standard deviation of the means by their mean, or by a hundredth of the bounds' width where
    /// that is more.
    double value = 0;
};

struct ConsensusResult {
    SampleResult draws{};                   ///< of the combined posterior; none: see `shortfall`
    std::vector<std::string> parameters{};  ///< physical ones that were fitted
    std::vector<ShardFigures> shards{};     ///< [shards]
    Variation variation{};
    Combination combination = Combination::precision;  ///< that was made
    std::string remark{};  ///< why it is another one than was asked for; empty: it is not
    /// Moments in the coordinates in which the shards were combined: the posterior of the shards
    /// and, where it was sampled too, that of all data.
    cmc::Moments combined{};
    std::string shortfall{};  ///< why nothing was combined; empty: it was
    bool is_complete = true;  ///< false: ended by request
};

/// Calls `body` on the first rank, with a farm that knows the functions of `work`, and returns when
/// that has ended. `body` may be called again after it has thrown. Collective.
using OpenFarm =
    std::function<void(const ShardWork& work, const std::function<void(runtime::TaskFarm&)>& body)>;

/// Threads of all ranks.
OpenFarm farm_of(runtime::Team& team);

/// Samples shards of the pairs of frames on their own, with the priors to the power 1 / shards, and
/// combines them.
///
/// A shard whose posterior has two separate modes is no normal one: where densities of normal
/// shards were to be multiplied, those of any shape are. Where their weights cannot be relied on,
/// or matrices cannot be inverted, the next simpler rule is taken: see ConsensusResult::remark.
///
/// Tasks are shards, by importance, and (shard, chain) where that does not do; the largest begin
/// first. One that fails or whose worker dies is tried once more. When more than half of the first
/// ten have failed the rest is not tried. The same bits whichever farm runs them.
/// @param farm  where tasks run; empty: farm_of(team)
/// @par Source  [Scott2016]
/// @throws InputError  options; what `farm` throws
/// Collective.
ConsensusResult consensus(const Measurement& measurement,
                          const FitOptions& options,
                          const FitResult& fit,
                          const SampleOptions& sampling,
                          const ConsensusOptions& how,
                          runtime::Team& team,
                          SampleObserver* observer = nullptr,
                          const OpenFarm& farm = {});

/// How the draws of one sampling differ from those of another, quantity by quantity.
cmc::PosteriorDifference compare_draws(const SampleResult& found, const SampleResult& reference);

}  // namespace lockstep::xpcs
