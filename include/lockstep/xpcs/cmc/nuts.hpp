#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "lockstep/base/bytes.hpp"
#include "lockstep/xpcs/cmc/chain_draws.hpp"
#include "lockstep/xpcs/cmc/log_density.hpp"

namespace lockstep::xpcs::cmc {

enum class MetricKind : std::uint8_t { diagonal, dense };

/// How a chain is adapted and run. The defaults are those of [Stan2024].
struct NutsOptions {
    int warmup = 1000;               ///< iterations that adapt and are not kept, >= 0
    int draws = 1000;                ///< iterations that are kept, >= 1
    double target_acceptance = 0.8;  ///< of the step size, in (0, 1)
    int max_tree_depth = 10;         ///< at most 2^depth - 1 leapfrogs an iteration, 1 to 20
    double max_energy_error = 1000;  ///< beyond it a trajectory has diverged, > 0
    double initial_step = 1;  ///< where the search for a step size starts, > 0; without a warm-up
                              ///< the step size itself
    MetricKind metric = MetricKind::dense;
    /// What the metric is before anything is known and what its estimates are shrunk towards, as if
    /// five draws had this covariance: [n][n], row by row, for example of a fit. Empty: the metric
    /// starts as the identity and is shrunk towards the diagonal of its estimate, so that units do
    /// not matter. (The usual target, 0.001 times the identity, spoils posteriors whose standard
    /// deviations are far below 1.)
    std::vector<double> covariance;
};

/// What names a chain: its draws are a function of the density, the start, the options and this.
struct ChainKey {
    std::uint64_t seed = 0;
    std::uint32_t task = 0;   ///< for example a shard
    std::uint32_t chain = 0;  ///< of the task
};

/// Asked in every leapfrog step; true ends the work. The unfinished iteration is thrown away.
using Stop = std::function<bool()>;

/// One Markov chain by the no-U-turn sampler.
///
/// Trajectories double until they turn back (generalised criterion, with the checks across
/// sub-trees), draws are taken from them by multinomial weights with a bias towards their far ends;
/// the step size follows dual averaging, the metric is estimated in windows of doubling length.
/// Iterations allocate nothing.
/// @par Source  [HoffmanGelman2014], [Betancourt2017], [Stan2024]
class NutsChain {
public:
    /// @param density  must outlive the chain
    /// @param start    [n], where the density is positive
    /// @throws InputError  an option or a size is out of range, the covariance is not positive
    /// definite;
    ///         ModelError  the density is zero, not a number, or without finite derivatives at the
    ///         start
    NutsChain(LogDensity& density,
              std::span<const double> start,
              const NutsOptions& options,
              ChainKey key);
    ~NutsChain();
    NutsChain(NutsChain&&) noexcept;
    NutsChain& operator=(NutsChain&&) noexcept;

    /// Goes on by so many iterations, or to the end. False: `stop` ended it.
    /// @throws ModelError  no step size is small or large enough: the density is improper or
    ///                     wrong in its derivatives
    bool advance(int iterations, const Stop& stop = {});

    [[nodiscard]] bool done() const;      ///< all draws are there
    [[nodiscard]] int iteration() const;  ///< done so far, warm-up included
    [[nodiscard]] const ChainDraws& draws() const;
    [[nodiscard]] ChainDraws take_draws();  ///< moved out; the chain must not be used any more
    [[nodiscard]] const WarmupReport& warmup() const;
    [[nodiscard]] double step_size() const;
    /// Covariance that the metric stands for: [n] variances or [n][n].
    [[nodiscard]] const std::vector<double>& metric() const;

    /// All that the rest of the chain depends on, and its draws so far.
    void save(ByteWriter& writer) const;
    /// Puts a chain of the same density, options and key where `save` was called; what follows has
    /// the same bits as without the interruption.
    /// @throws InputError  the bytes are damaged or of another chain; this one is then of no use
    void restore(ByteReader& reader);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace lockstep::xpcs::cmc
