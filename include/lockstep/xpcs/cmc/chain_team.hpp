#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "lockstep/base/bytes.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/runtime/thread_team.hpp"
#include "lockstep/xpcs/cmc/chain_draws.hpp"
#include "lockstep/xpcs/cmc/log_density.hpp"
#include "lockstep/xpcs/cmc/nuts.hpp"

namespace lockstep::xpcs::cmc {

/// Makes a density of its own for each user; all must give the same bits.
using MakeDensity = std::function<std::unique_ptr<LogDensity>()>;

/// Where a chain stands.
struct ChainProgress {
    int iteration = 0;      ///< done, warm-up included
    int warmup = 0;         ///< iterations of the warm-up
    int draws = 0;          ///< kept so far
    int divergences = 0;    ///< among the draws
    double acceptance = 0;  ///< mean of the draws, 0 without
    double step_size = 0;
    std::int64_t leapfrogs = 0;  ///< with those of the warm-up
};

class ChainTeam;

/// Is told how chains get on.
class ChainObserver {
public:
    virtual ~ChainObserver() = default;
    ChainObserver() = default;
    ChainObserver(const ChainObserver&) = delete;
    ChainObserver& operator=(const ChainObserver&) = delete;

    /// After each round, on the calling thread, with all chains at rest: they may be saved.
    virtual void on_round(const ChainTeam& chains) = 0;
};

/// The chains of one task, side by side over threads, with the same bits for any number of them.
/// Where there are threads left and the density is large enough to be spread, a chain has several.
class ChainTeam {
public:
    /// @param starts   one [n] a chain, at least one
    /// @param options  of all chains
    /// @param task     part of the chains' keys, as is the place in `starts`
    /// @throws as NutsChain
    ChainTeam(const MakeDensity& make,
              std::span<const std::vector<double>> starts,
              const NutsOptions& options,
              std::uint64_t seed,
              std::uint32_t task = 0);

    /// Every chain goes on by so many iterations. False: `stop`, asked from all threads, ended it;
    /// each chain is then between two iterations of its own.
    /// @throws as NutsChain::advance, for the first chain that fails
    bool advance(runtime::ThreadTeam& threads, int iterations, const Stop& stop = {});
    /// The same of chosen chains.
    bool advance(runtime::ThreadTeam& threads,
                 std::span<const int> chains,
                 int iterations,
                 const Stop& stop = {});
    /// Rounds of `advance` to the end.
    bool run(runtime::ThreadTeam& threads,
             const Stop& stop = {},
             ChainObserver* observer = nullptr,
             int iterations_a_round = 100);

    [[nodiscard]] bool done() const;
    [[nodiscard]] int count() const noexcept { return static_cast<int>(chains_.size()); }
    [[nodiscard]] const NutsChain& chain(int c) const { return chains_[at(c)]; }
    [[nodiscard]] ChainProgress progress(int c) const;
    /// Copies of the draws so far, cut to the length of the shortest chain.
    [[nodiscard]] std::vector<ChainDraws> draws() const;

    void save(ByteWriter& writer) const;
    void restore(ByteReader& reader);  ///< @throws as NutsChain::restore
    /// One chain, as NutsChain::save left it.
    void restore(int c, ByteReader& reader) { chains_[at(c)].restore(reader); }

private:
    int warmup_;
    std::vector<std::unique_ptr<LogDensity>> densities_;
    std::vector<NutsChain> chains_;
    std::vector<runtime::ThreadTeam> crews_;  // of a chain each, where several chains have several
};

}  // namespace lockstep::xpcs::cmc
