#include "lockstep/xpcs/cmc/chain_team.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "lockstep/base/error.hpp"

#include "xpcs/cmc/crews.hpp"

namespace lockstep::xpcs::cmc {
namespace {

void cut(ChainDraws& draws, int count) {
    draws.values.resize(at(count) * at(draws.dimension));
    draws.log_density.resize(at(count));
    draws.energy.resize(at(count));
    draws.acceptance.resize(at(count));
    draws.leapfrogs.resize(at(count));
    draws.tree_depth.resize(at(count));
    draws.is_divergent.resize(at(count));
}

void make(std::vector<runtime::ThreadTeam>& crews, const CrewPlan& plan) {
    if (std::ssize(crews) == plan.crews && crews.front().size() == plan.threads) {
        return;
    }
    crews.clear();
    for (int crew = 0; crew < plan.crews; ++crew) {
        crews.emplace_back(plan.threads);
    }
}

}  // namespace

ChainTeam::ChainTeam(const MakeDensity& make,
                     std::span<const std::vector<double>> starts,
                     const NutsOptions& options,
                     std::uint64_t seed,
                     std::uint32_t task)
    : warmup_(options.warmup) {
    if (starts.empty()) {
        throw InputError("sampling needs at least one chain: there are no start values");
    }
    for (const std::vector<double>& start : starts) {
        densities_.push_back(make());
        chains_.emplace_back(*densities_.back(),
                             start,
                             options,
                             ChainKey{seed, task, static_cast<std::uint32_t>(chains_.size())});
    }
}

bool ChainTeam::advance(runtime::ThreadTeam& threads, int iterations, const Stop& stop) {
    std::vector<int> all(chains_.size());
    std::iota(all.begin(), all.end(), 0);
    return advance(threads, all, iterations, stop);
}

bool ChainTeam::advance(runtime::ThreadTeam& threads,
                        std::span<const int> chains,
                        int iterations,
                        const Stop& stop) {
    std::atomic<bool> whole = true;
    const auto advance_one = [&](std::ptrdiff_t k) {
        if (!chains_[at(chains[at(k)])].advance(iterations, stop)) {
            whole = false;
        }
    };
    const auto advance_with = [&](std::ptrdiff_t k, runtime::ThreadTeam& crew) {
        const Spread spread(*densities_[at(chains[at(k)])], crew);
        advance_one(k);
    };
    const auto count = std::ssize(chains);
    const auto plan =
        plan_crews(static_cast<int>(count), threads.size(), densities_.front()->useful_threads());
    if (plan.threads == 1) {
        threads.parallel_for(count, [&](std::ptrdiff_t k, int) { advance_one(k); });
    } else if (plan.crews == 1) {
        on_crews({&threads, 1}, count, advance_with);
    } else {
        make(crews_, plan);
        on_crews(crews_, count, advance_with);
    }
    return whole;
}

bool ChainTeam::run(runtime::ThreadTeam& threads,
                    const Stop& stop,
                    ChainObserver* observer,
                    int iterations_a_round) {
    while (!done()) {
        if (!advance(threads, iterations_a_round, stop)) {
            return false;
        }
        if (observer != nullptr) {
            observer->on_round(*this);
        }
    }
    return true;
}

bool ChainTeam::done() const {
    return std::all_of(
        chains_.begin(), chains_.end(), [](const NutsChain& chain) { return chain.done(); });
}

ChainProgress ChainTeam::progress(int c) const {
    const NutsChain& chain = this->chain(c);
    const ChainDraws& draws = chain.draws();
    return {chain.iteration(),
            warmup_,
            draws.count(),
            draws.divergences(),
            draws.mean_acceptance(),
            chain.step_size(),
            chain.warmup().leapfrogs + draws.total_leapfrogs()};
}

std::vector<ChainDraws> ChainTeam::draws() const {
    std::vector<ChainDraws> draws;
    int shortest = chain(0).draws().count();
    for (const NutsChain& chain : chains_) {
        draws.push_back(chain.draws());
        shortest = std::min(shortest, chain.draws().count());
    }
    for (ChainDraws& of_chain : draws) {
        cut(of_chain, shortest);
    }
    return draws;
}

void ChainTeam::save(ByteWriter& writer) const {
    for (const NutsChain& chain : chains_) {
        chain.save(writer);
    }
}

void ChainTeam::restore(ByteReader& reader) {
    for (NutsChain& chain : chains_) {
        chain.restore(reader);
    }
}

}  // namespace lockstep::xpcs::cmc
