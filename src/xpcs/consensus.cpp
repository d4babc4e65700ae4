#include "lockstep/xpcs/consensus.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/runtime/random.hpp"
#include "lockstep/xpcs/cmc/importance.hpp"
#include "lockstep/xpcs/cmc/starts.hpp"

#include "xpcs/posterior_frame.hpp"

namespace lockstep::xpcs {
namespace {

constexpr double dispersion = 2;
constexpr int fewest_for_outliers = 8;  // of fewer shards the median deviation is mere chance

/// Places of all pairs in a random order that the seed alone gives.
std::vector<std::int64_t> shuffled(std::int64_t pairs, std::uint64_t seed) {
    std::vector<std::int64_t> order(at(pairs));
    std::iota(order.begin(), order.end(), 0);
    const runtime::Random random(seed, "xpcs.shards");
    for (std::int64_t k = pairs - 1; k > 0; --k) {
        const auto other = static_cast<std::int64_t>(
            random.uniform01(static_cast<std::uint64_t>(k), 0, 0) * static_cast<double>(k + 1));
        std::swap(order[at(k)], order[at(other)]);
    }
    return order;
}

/// The pairs of a measurement dealt out, each shard in the order of the packed rows.
std::vector<PairSelection> deal(const Measurement& data, int shards, std::uint64_t seed) {
    const std::int64_t pairs = pair_count(data.frames);
    const auto order = shuffled(pairs, seed);
    std::vector<std::int32_t> owner(at(pairs));
    for (std::int64_t k = 0; k < pairs; ++k) {
        owner[at(order[at(k)])] = static_cast<std::int32_t>(k % shards);
    }
    std::vector<PairSelection> dealt(at(shards));
    for (auto& shard : dealt) {
        shard.c2.resize(data.phi.size());
    }
    std::int64_t place = 0;
    for (int i = 0; i < data.frames; ++i) {
        for (int j = i + 1; j < data.frames; ++j, ++place) {
            PairSelection& shard = dealt[at(owner[at(place)])];
            shard.rows.push_back(i);
            shard.columns.push_back(j);
            for (int angle = 0; angle < data.angles(); ++angle) {
                shard.c2[at(angle)].push_back(data.c2[data.row(angle, 0) + at(place)]);
            }
        }
    }
    return dealt;
}

/// Draws of one shard in the frame's coordinates.
struct ShardDraws {
    std::vector<double> values{};  // [draws, dimension]
    ShardFigures figures{};
};

/// One call of consensus().
class Consensus {
public:
    Consensus(const Measurement& measurement,
              const FitOptions& options,
              const FitResult& fit,
              const SampleOptions& sampling,
              const ConsensusOptions& how,
              runtime::Team& team,
              SampleObserver* observer)
        : sampling_(sampling),
          how_(how),
          team_(team),
          observer_(observer),
          frame_(measurement, options, fit, sampling),
          coordinates_(frame_.coordinates(how.shards)),
          shards_(deal(measurement, how.shards, sampling.seed)) {}

    ConsensusResult run() {
        std::vector<ShardDraws> drawn;
        for (int shard = 0; shard < how_.shards; ++shard) {
            drawn.push_back(draw(shard));
            tell(shard + 1);
        }
        judge(drawn);
        ConsensusResult result;
        for (const ShardDraws& shard : drawn) {
            result.shards.push_back(shard.figures);
        }
        combine(drawn, result);
        return result;
    }

private:
    [[nodiscard]] std::unique_ptr<PosteriorDensity> make(int shard) const {
        return frame_.make(shards_[at(shard)], 1.0 / how_.shards);
    }

    ShardDraws draw(int shard) {
        ShardDraws drawn;
        drawn.figures.pairs =
            shards_[at(shard)].size() * static_cast<std::int64_t>(shards_[at(shard)].c2.size());
        if (sampling_.method != SampleMethod::chains) {
            by_importance(shard, drawn);
        }
        const bool wants_chains = sampling_.method == SampleMethod::chains ||
                                  (sampling_.method == SampleMethod::automatic &&
                                   !(drawn.figures.k <= sampling_.largest_k));
        if (wants_chains) {
            by_chains(shard, drawn);
        }
        return drawn;
    }

    void by_importance(int shard, ShardDraws& drawn) {
        const int draws = sampling_.chains * sampling_.draws;
        cmc::Proposal proposal;
        proposal.points = 2 * draws;
        const auto points = cmc::importance_sample([&] { return make(shard); },
                                                   coordinates_,
                                                   proposal,
                                                   sampling_.seed,
                                                   task(shard),
                                                   team_.threads);
        drawn.figures.method = SampleMethod::importance;
        drawn.figures.k = points.k;
        drawn.values = cmc::resample(points, draws, sampling_.seed, task(shard));
    }

    void by_chains(int shard, ShardDraws& drawn) {
        const auto make_density = [&] { return make(shard); };
        cmc::ChainTeam chains(make_density,
                              cmc::dispersed_starts(make_density,
                                                    coordinates_,
                                                    sampling_.chains,
                                                    dispersion,
                                                    sampling_.seed,
                                                    task(shard)),
                              frame_.nuts_options(covariance_),
                              sampling_.seed,
                              task(shard));
        chains.run(team_.threads);
        drawn.figures.method = SampleMethod::chains;
        drawn.values.clear();
        const auto of_chains = chains.draws();
        for (const auto& chain : of_chains) {
            drawn.values.insert(drawn.values.end(), chain.values.begin(), chain.values.end());
            drawn.figures.divergences += chain.divergences();
        }
        for (int k = 0; k < frame_.dimension(); ++k) {
            const auto column = cmc::coordinate_of(of_chains, k);
            drawn.figures.largest_rhat = std::max(
                drawn.figures.largest_rhat,
                cmc::split_rhat({column.data(), sampling_.chains, sampling_.draws}).value());
        }
    }

    /// Task 0 is the sampling of all data.
    static std::uint32_t task(int shard) { return static_cast<std::uint32_t>(shard + 1); }

    void tell(int done) {
        if (observer_ != nullptr) {
            observer_->on_progress({true, done, how_.shards, {}});
        }
    }

    [[nodiscard]] MatrixView<const double> matrix(const ShardDraws& shard) const {
        return {
            shard.values.data(), std::ssize(shard.values) / frame_.dimension(), frame_.dimension()};
    }

    void judge(std::vector<ShardDraws>& drawn) const {
        std::vector<cmc::ShardResult> results;
        for (const ShardDraws& shard : drawn) {
            const auto draws = matrix(shard);
            results.push_back(
                {cmc::moments_of(draws),
                 static_cast<double>(shard.figures.divergences) / static_cast<double>(draws.rows()),
                 shard.figures.largest_rhat});
        }
        auto limits = how_.limits;
        if (how_.shards < fewest_for_outliers) {
            limits.deviations = std::numeric_limits<double>::infinity();
        }
        const auto verdicts = cmc::judge_shards(results, limits);
        for (std::size_t shard = 0; shard < drawn.size(); ++shard) {
            drawn[shard].figures.verdict = verdicts[shard];
        }
    }

    void combine(const std::vector<ShardDraws>& drawn, ConsensusResult& result) {
        std::vector<cmc::Moments> moments;
        std::vector<MatrixView<const double>> draws;
        for (const ShardDraws& shard : drawn) {
            if (shard.figures.verdict == cmc::ShardVerdict::kept) {
                draws.push_back(matrix(shard));
                moments.push_back(cmc::moments_of(draws.back()));
            }
        }
        require_enough(moments.size());
        const int count = sampling_.chains * sampling_.draws;
        result.draws.names = frame_.names();
        result.draws.method = SampleMethod::importance;
        result.draws.chains = 1;
        result.draws.draws = count;
        if (how_.combination == Combination::density_product) {
            const auto product =
                cmc::density_product(draws, 2 * count, sampling_.seed, 0, team_.threads);
            const auto points = cmc::resample(product, count, sampling_.seed, 0);
            result.combined =
                cmc::moments_of(MatrixView<const double>(points.data(), count, frame_.dimension()));
            frame_.describe(points, team_.threads, result.draws);
            return;
        }
        result.combined = how_.combination == Combination::precision
                              ? cmc::product_of_normals(moments)
                              : cmc::combine_marginals(moments, cmc::MarginalRule::robust);
        frame_.describe(cmc::normal_draws(result.combined, count, sampling_.seed, 0),
                        team_.threads,
                        result.draws);
    }

    void require_enough(std::size_t kept) const {
        if (static_cast<double>(kept) < how_.least_success * how_.shards || kept == 0) {
            throw ModelError(fmt::format(
                "only {} of {} shards can be combined: take fewer shards, or sample all data",
                kept,
                how_.shards));
        }
    }

    const SampleOptions& sampling_;
    const ConsensusOptions& how_;
    runtime::Team& team_;
    SampleObserver* observer_;
    PosteriorFrame frame_;
    cmc::LinearCoordinates coordinates_;
    std::vector<double> covariance_ = frame_.covariance(how_.shards);
    std::vector<PairSelection> shards_;
};

cmc::Moments moments_of(const SampleResult& result) {
    return cmc::moments_of({result.values.data(),
                            std::int64_t{result.chains} * result.draws,
                            std::ssize(result.names)});
}

}  // namespace

ConsensusResult consensus(const Measurement& measurement,
                          const FitOptions& options,
                          const FitResult& fit,
                          const SampleOptions& sampling,
                          const ConsensusOptions& how,
                          runtime::Team& team,
                          SampleObserver* observer) {
    sampling.validate(fit);
    if (how.shards < 1 || how.shards > pair_count(measurement.frames)) {
        throw InputError(fmt::format("shards are {}: must be from 1 to the {} pairs of frames",
                                     how.shards,
                                     pair_count(measurement.frames)));
    }
    return Consensus(measurement, options, fit, sampling, how, team, observer).run();
}

cmc::PosteriorDifference compare_draws(const SampleResult& found, const SampleResult& reference) {
    return cmc::compare(moments_of(found), moments_of(reference));
}

}  // namespace lockstep::xpcs
