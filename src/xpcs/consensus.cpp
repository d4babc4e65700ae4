#include "lockstep/xpcs/consensus.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/bytes.hpp"
#include "lockstep/xpcs/cmc/importance.hpp"

#include "xpcs/posterior_frame.hpp"
#include "xpcs/shards/run.hpp"

namespace lockstep::xpcs {
namespace {

constexpr int fewest_for_outliers = 8;  // of fewer shards the median deviation is mere chance

/// One call of consensus(), once its tasks have ended.
class Combining {
public:
    Combining(const PosteriorFrame& frame,
              const SampleOptions& sampling,
              const ConsensusOptions& how,
              runtime::Team& team)
        : frame_(frame), sampling_(sampling), how_(how), team_(team) {}

    ConsensusResult of(const ShardRun& run) {
        ConsensusResult result;
        for (const auto& shard : run.drawn()) {
            result.shards.push_back(shard.figures);
        }
        judge(run.drawn(), result);
        result.is_complete = run.is_complete();
        result.shortfall = shortfall(run, result);
        if (result.shortfall.empty()) {
            combine(run.drawn(), result);
        }
        return result;
    }

private:
    [[nodiscard]] MatrixView<const double> matrix(const ShardDraws& shard) const {
        return {
            shard.values.data(), std::ssize(shard.values) / frame_.dimension(), frame_.dimension()};
    }

    void judge(const std::vector<ShardDraws>& drawn, ConsensusResult& result) const {
        std::vector<cmc::ShardResult> judged;
        for (const ShardDraws& shard : drawn) {
            judged.push_back(shard.values.empty() ? cmc::ShardResult{} : result_of(shard));
        }
        auto limits = how_.limits;
        if (how_.shards < fewest_for_outliers) {
            limits.deviations = std::numeric_limits<double>::infinity();
        }
        const auto verdicts = cmc::judge_shards(judged, limits);
        for (std::size_t shard = 0; shard < drawn.size(); ++shard) {
            result.shards[shard].verdict = verdicts[shard];
        }
    }

    [[nodiscard]] cmc::ShardResult result_of(const ShardDraws& shard) const {
        const auto draws = matrix(shard);
        return {cmc::moments_of(draws),
                static_cast<double>(shard.figures.divergences) / static_cast<double>(draws.rows()),
                shard.figures.largest_rhat};
    }

    [[nodiscard]] std::string shortfall(const ShardRun& run, const ConsensusResult& result) const {
        if (!run.is_complete()) {
            return "ended by request";
        }
        if (!run.abort_text().empty()) {
            return run.abort_text();
        }
        const auto kept =
            std::ranges::count(result.shards, cmc::ShardVerdict::kept, &ShardFigures::verdict);
        if (kept > 0 && static_cast<double>(kept) >= how_.least_success * how_.shards) {
            return "";
        }
        return fmt::format(
            "only {} of {} shards can be combined: take fewer shards, or sample all data",
            kept,
            how_.shards);
    }

    void combine(const std::vector<ShardDraws>& drawn, ConsensusResult& result) {
        std::vector<cmc::Moments> moments;
        std::vector<MatrixView<const double>> draws;
        for (std::size_t shard = 0; shard < drawn.size(); ++shard) {
            if (result.shards[shard].verdict == cmc::ShardVerdict::kept) {
                draws.push_back(matrix(drawn[shard]));
                moments.push_back(cmc::moments_of(draws.back()));
            }
        }
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

    const PosteriorFrame& frame_;
    const SampleOptions& sampling_;
    const ConsensusOptions& how_;
    runtime::Team& team_;
};

/// The first rank has the results; all combine them.
void share(ShardRun& run, comm::Communicator& ranks) {
    std::vector<std::byte> bytes;
    if (ranks.rank() == 0) {
        ByteWriter writer;
        run.save(writer);
        bytes = writer.take();
    }
    comm::broadcast_list(ranks, bytes, 0);
    ByteReader reader(bytes);
    run.restore(reader);
}

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
                          SampleObserver* observer,
                          const OpenFarm& farm) {
    const ShardWork work(measurement, options, fit, sampling, how.shards);
    ShardRun run(work, how, observer);
    comm::agree(team.ranks, [&] {
        const auto& open = farm ? farm : farm_of(team);
        open(work, [&](runtime::TaskFarm& tasks) { run.on(tasks); });
    });
    if (team.ranks.size() > 1) {
        share(run, team.ranks);
    }
    const PosteriorFrame frame(measurement, options, fit, sampling);
    return Combining(frame, sampling, how, team).of(run);
}

OpenFarm farm_of(runtime::Team& team) {
    return [&team](const ShardWork& work, const std::function<void(runtime::TaskFarm&)>& body) {
        runtime::FarmOptions options;
        options.workers = team.threads.size();
        if (team.ranks.size() == 1) {
            body(*runtime::make_thread_farm(work.functions(), options));
        } else {
            runtime::run_rank_farm(team.ranks, work.functions(), options, body);
        }
    };
}

cmc::PosteriorDifference compare_draws(const SampleResult& found, const SampleResult& reference) {
    return cmc::compare(moments_of(found), moments_of(reference));
}

}  // namespace lockstep::xpcs
