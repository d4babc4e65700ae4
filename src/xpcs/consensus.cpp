#include "lockstep/xpcs/consensus.hpp"

#include <vector>

#include "lockstep/base/bytes.hpp"

#include "xpcs/posterior_frame.hpp"
#include "xpcs/shards/combine.hpp"
#include "xpcs/shards/run.hpp"

namespace lockstep::xpcs {
namespace {

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
    const ShardWork work(measurement,
                         options,
                         fit,
                         sampling,
                         {how.shards, how.sharding, how.is_tempered},
                         how.dealt);
    ShardRun run(work, how, observer);
    comm::agree(team.ranks, [&] {
        const auto& open = farm ? farm : farm_of(team);
        open(work, [&](runtime::TaskFarm& tasks) { run.on(tasks); });
    });
    if (team.ranks.size() > 1) {
        share(run, team.ranks);
    }
    const PosteriorFrame frame(measurement, options, fit, sampling);
    return combine_shards(run, frame, options, sampling, how, team.threads);
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
