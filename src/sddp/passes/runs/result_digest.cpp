#include "sddp/passes/runs/result_digest.hpp"

#include <algorithm>
#include <vector>

namespace lockstep::sddp {

namespace {

void add(DigestBuilder& builder, const CostBreakdown& cost) {
    for (const double part : {cost.thermal,
                              cost.deficit,
                              cost.excess,
                              cost.exchange,
                              cost.curtailment,
                              cost.spillage,
                              cost.turbined,
                              cost.outflow_below,
                              cost.outflow_above,
                              cost.turbined_below,
                              cost.generation_below,
                              cost.evaporation,
                              cost.withdrawal,
                              cost.inflow_slack,
                              cost.generic,
                              cost.immediate,
                              cost.future,
                              cost.discount}) {
        builder.add(part);
    }
}

// What few systems have: others keep the digests that they had before there was such a thing.
void add_if_any(DigestBuilder& builder, std::span<const double> values) {
    if (std::any_of(values.begin(), values.end(), [](double value) { return value != 0; })) {
        builder.add(values);
    }
}

void add(DigestBuilder& builder, const StageResult& stage) {
    builder.add(stage.stage);
    add(builder, stage.cost);
    const auto& h = stage.hydro;
    for (const auto* list : {&h.storage_initial_hm3,
                             &h.storage_final_hm3,
                             &h.incremental_inflow_m3s,
                             &h.evaporation_m3s,
                             &h.evaporation_above_m3s,
                             &h.evaporation_below_m3s,
                             &h.withdrawal_above_m3s,
                             &h.withdrawal_below_m3s,
                             &h.inflow_slack_m3s,
                             &h.water_value_per_hm3,
                             &h.turbined_m3s,
                             &h.spillage_m3s,
                             &h.diverted_m3s,
                             &h.generation_mw,
                             &h.arriving_m3s,
                             &h.turbined_slack_m3s,
                             &h.outflow_slack_below_m3s,
                             &h.outflow_slack_above_m3s,
                             &h.generation_slack_mw,
                             &h.spillage_cost,
                             &stage.cell.turbined_m3s,
                             &stage.cell.generation_mw,
                             &stage.thermal_mw,
                             &stage.direct_mw,
                             &stage.reverse_mw,
                             &stage.load_mw,
                             &stage.deficit_mw,
                             &stage.excess_mw,
                             &stage.spot_price,
                             &stage.available_mw,
                             &stage.curtailed_mw,
                             &stage.incoming_lags_m3s}) {
        builder.add(std::span<const double>(*list));
    }
    for (const auto* list : {&h.storage_between_hm3,
                             &h.storage_below_hm3,
                             &stage.contract_mw,
                             &stage.pumped_m3s,
                             &stage.charge_mw,
                             &stage.discharge_mw,
                             &stage.energy_final_mwh,
                             &stage.transit_hm3,
                             &stage.committed_mw,
                             &stage.decided_mw}) {
        add_if_any(builder, *list);
    }
    for (const auto& slack : stage.generic) {
        if (!slack.has_slack) {
            continue;
        }
        builder.add(slack.constraint);
        builder.add(slack.block);
        builder.add(slack.value);
    }
}

// As one span of [cuts × state].
void add_rows(DigestBuilder& builder, const CutSlopes& slopes) {
    builder.add(static_cast<std::uint64_t>(slopes.size()) *
                static_cast<std::uint64_t>(slopes.width()));
    for (int cut = 0; cut < slopes.size(); ++cut) {
        builder.add_bytes(std::as_bytes(std::span<const double>(slopes.row(cut))));
    }
}

}  // namespace

Digest digest_of(const TrainResult& result) {
    DigestBuilder builder;
    for (const auto& iteration : result.iterations) {
        builder.add(iteration.lower_bound);
        builder.add(iteration.upper_bound);
        builder.add(iteration.upper_bound_std);
    }
    for (const auto& stage : result.policy.stages) {
        builder.add(std::span<const double>(stage.intercept));
        add_rows(builder, stage.slopes);
    }
    return builder.digest();
}

Digest digest_of(const ScenarioResult& result) {
    DigestBuilder builder;
    builder.add(result.scenario);
    builder.add(result.total_cost);
    for (const auto& stage : result.stages) {
        add(builder, stage);
    }
    return builder.digest();
}

Digest digest_of(std::span<const Digest> scenarios) {
    DigestBuilder builder;
    for (const auto& scenario : scenarios) {
        builder.add(std::span<const std::uint64_t>(scenario));
    }
    return builder.digest();
}

}  // namespace lockstep::sddp
