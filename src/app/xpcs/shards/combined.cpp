#include "app/xpcs/shards/combined.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"

#include "app/xpcs/records.hpp"
#include "app/xpcs/settings.hpp"
#include "app/xpcs/shards/shard_choice.hpp"
#include "app/xpcs/shards/shard_farm.hpp"

namespace lockstep::app {
namespace {

ShardSituation situation_of(const Dataset& dataset, const Fitted& fitted) {
    return {dataset.measurement().angles(),
            fitted.result.pairs,
            static_cast<int>(fitted.result.values.size())};
}

/// homodyne's keys ask for it when few shards are left, not for an end.
void tell_of_losses(const xpcs::ConsensusResult& consensus,
                    const formats::xpcs::ConsensusRecord& record,
                    const formats::homodyne::Cmc& cmc,
                    Job& job) {
    const auto trouble = [&](const std::string& text) {
        job.observer().on_notice(Notice::trouble, text);
    };
    const double success = record.kept / static_cast<double>(record.shards);
    if (!consensus.shortfall.empty()) {
        return trouble("shards were not combined: " + consensus.shortfall);
    }
    if (success < std::max(cmc.least_success, cmc.warned_success)) {
        trouble(fmt::format("only {} of {} shards could be combined", record.kept, record.shards));
    }
    if (!record.combination.remark.empty()) {
        trouble(fmt::format(
            "shards were combined by {}: {}", record.combination.taken, record.combination.remark));
    }
    if (consensus.variation.value > cmc.most_parameter_cv) {
        trouble(fmt::format("means of {} differ between shards by {} times their size",
                            consensus.variation.parameter,
                            digits(consensus.variation.value, 2)));
    }
}

}  // namespace

bool wants_shards(const XpcsRequest& request, const Dataset& dataset, const Fitted& fitted) {
    return shards_wanted(request, dataset.configuration.cmc, situation_of(dataset, fitted)) > 0;
}

std::unique_ptr<ShardDealing> begin_dealing(const XpcsRequest& request,
                                            const Dataset& dataset,
                                            const Fitted& fitted) {
    if (request.work == XpcsWork::fit || !wants_shards(request, dataset, fitted)) {
        return nullptr;
    }
    const auto& cmc = dataset.configuration.cmc;
    const auto how =
        choose_shards(request, cmc, dataset.fitting, situation_of(dataset, fitted)).how;
    return std::make_unique<ShardDealing>(
        [&dataset,
         plan = xpcs::ShardPlan{how.shards, how.sharding, how.is_tempered},
         seed = sampling_seed(request, cmc)] {
            return xpcs::deal_shards(dataset.measurement(), dataset.fitting, plan, seed);
        });
}

CombinedShards combined_shards(const XpcsRequest& request,
                               const Dataset& dataset,
                               const Fitted& fitted,
                               const xpcs::SampleOptions& sampling,
                               const xpcs::SampleResult* whole,
                               Job& job,
                               XpcsBridge& bridge) {
    const auto& cmc = dataset.configuration.cmc;
    auto choice = choose_shards(request, cmc, dataset.fitting, situation_of(dataset, fitted));
    choice.how.dealt = fitted.dealt.deal;
    for (const auto& note : choice.notes) {
        job.observer().on_notice(Notice::news, note);
    }
    auto& team = job.team();
    ShardFarm farm(request,
                   choose_farm(request.farm,
                               cmc,
                               {team.ranks.size(),
                                team.threads.size(),
                                choice.how.shards,
                                fitted.result.pairs,
                                request.lent_farm == nullptr ? "" : request.lent_farm->name}),
                   job);
    CombinedShards shards;
    shards.consensus = xpcs::consensus(dataset.measurement(),
                                       dataset.fitting,
                                       fitted.result,
                                       sampling,
                                       choice.how,
                                       team,
                                       &bridge,
                                       farm.opener());
    if (shards.consensus.is_complete) {
        farm.clear();
    }
    shards.record = consensus_record(shards.consensus, dataset.measurement(), choice, whole);
    shards.record.farm = farm.record();
    tell_of_losses(shards.consensus, shards.record, cmc, job);
    return shards;
}

}  // namespace lockstep::app
