#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/base/matrix_view.hpp"
#include "lockstep/runtime/thread_team.hpp"
#include "lockstep/xpcs/cmc/importance.hpp"
#include "lockstep/xpcs/cmc/moments.hpp"

namespace lockstep::xpcs::cmc {

/// Rules that make one posterior of those of shards, whose densities multiply.
///
/// All are pure functions of what they are given, in the order of the shards, for any number of
/// shards.
/// @{

/// Product of normal densities: precisions add up, means are weighted by them. Exact for normal
/// shards.
/// @throws InputError  no shard, another dimension, or a covariance that is not positive definite:
///         names the shard
/// @par Source  [Scott2016]
Moments product_of_normals(std::span<const Moments> shards);

/// One parameter combined by means and variances alone, with homodyne's numbers.
struct Marginal {
    double mean = 0;
    double variance = 0;
    std::vector<bool> is_kept;  ///< [shards]
};
/// Weights 1 / variance over shards whose variance is at least 1e-6 of the median (of three or
/// more shards).
Marginal consensus_mc(std::span<const double> means, std::span<const double> variances);
/// The same over shards whose mean lies within 3.5 / 0.6745 median absolute deviations of the
/// median, with variances clipped to their 5 % and 95 % quantiles; robust for any number of shards.
Marginal robust_consensus_mc(std::span<const double> means, std::span<const double> variances);

enum class MarginalRule { plain, robust };
/// Each parameter for itself: correlations are lost, so that the covariance is diagonal.
/// @throws InputError  as product_of_normals
Moments combine_marginals(std::span<const Moments> shards, MarginalRule rule);

/// Points of the product of densities of any shape, with importance weights.
///
/// Each shard's density is its normal one times what kernels at its draws say of the difference;
/// the product of these is sampled by importance from a Student-t with the moments of the product
/// of normals, so that its Pareto k tells whether shards are too far apart. Kernels have the width
/// 1.2 draws^(-1/(4+n)) in units of the mean covariance of the shards; of a shard at most 1,000
/// draws are used, evenly spaced. Cost: points times draws of all shards.
/// @param shards  draws [draws][n] each
/// @throws as product_of_normals and importance_sample
/// @par Source  [Neiswanger2014], section 3.3, for the density; the sampler is not theirs, whose
///         exchanges of one draw at a time mix slowly
WeightedPoints density_product(std::span<const MatrixView<const double>> shards,
                               int points,
                               std::uint64_t seed,
                               std::uint32_t task,
                               runtime::ThreadTeam& threads);
/// @}

}  // namespace lockstep::xpcs::cmc
