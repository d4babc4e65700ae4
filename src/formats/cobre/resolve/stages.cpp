#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "formats/cobre/resolve/resolve.hpp"
#include "formats/cobre/resolve/stage_checks.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr const char* file = "stages.json";

sddp::SeasonCycle resolve_cycle(raw::Cycle cycle) {
    switch (cycle) {
        case raw::Cycle::monthly:
            return sddp::SeasonCycle::monthly;
        case raw::Cycle::weekly:
            return sddp::SeasonCycle::weekly;
        default:
            return sddp::SeasonCycle::custom;
    }
}

sddp::Season resolve_season(const raw::Season& season) {
    sddp::Season out;
    out.id = season.id;
    out.label = season.label;
    out.month_start = static_cast<unsigned>(season.month_start);
    out.day_start = static_cast<unsigned>(season.day_start.value_or(1));
    out.month_end = static_cast<unsigned>(season.month_end.value_or(season.month_start));
    out.day_end = static_cast<unsigned>(season.day_end.value_or(31));
    return out;
}

sddp::Sampling resolve_sampling(raw::SamplingMethod method) {
    switch (method) {
        case raw::SamplingMethod::lhs:
            return sddp::Sampling::lhs;
        case raw::SamplingMethod::qmc_sobol:
            return sddp::Sampling::sobol;
        case raw::SamplingMethod::qmc_halton:
            return sddp::Sampling::halton;
        case raw::SamplingMethod::historical_residuals:
            return sddp::Sampling::historical_residuals;
        default:
            return sddp::Sampling::saa;
    }
}

/// Rate of the step that leaves a stage: the stage's own, its transition's, the case's.
double discount_rate(const raw::Stage& stage, const raw::PolicyGraph& graph) {
    if (stage.annual_discount_rate_override) {
        return *stage.annual_discount_rate_override;
    }
    for (const raw::Transition& transition : graph.transitions) {
        if (transition.source_id == stage.id) {
            return transition.annual_discount_rate_override.value_or(graph.annual_discount_rate);
        }
    }
    return graph.annual_discount_rate;
}

sddp::RiskMeasure resolve_risk(const raw::RiskParts& parts) {
    const raw::Cvar cvar = parts.cvar.value_or(raw::Cvar{});
    const raw::WorstCase worst_case = parts.worst_case.value_or(raw::WorstCase{});
    const raw::Entropic entropic = parts.entropic.value_or(raw::Entropic{});
    return {cvar.alpha, cvar.lambda, worst_case.lambda, entropic.lambda, entropic.gamma};
}

sddp::Stage resolve_stage(const raw::Stage& stage, const raw::PolicyGraph& graph) {
    sddp::Stage out;
    out.id = stage.id;
    out.start = stage.start_date;
    out.end = stage.end_date;
    out.season = stage.season_id.value_or(-1);
    for (const raw::Block& block : stage.blocks) {
        out.blocks.push_back({block.name, block.hours});
    }
    out.openings = stage.num_openings.value_or(1);
    out.sampling = resolve_sampling(stage.sampling_method);
    out.is_chronological = stage.block_mode == raw::BlockMode::chronological;
    out.risk = resolve_risk(stage.risk_measure.parts);
    out.annual_discount_rate = discount_rate(stage, graph);
    out.storage_in_cuts = stage.state_variables.storage;
    out.lags_in_cuts = stage.state_variables.inflow_lags;
    return out;
}

/// A stage without a season has the one that the map gives to its first day.
template <typename Stages>
void find_seasons(Stages& stages, const sddp::Calendar& calendar) {
    for (auto& stage : stages) {
        if (stage.season < 0) {
            stage.season = calendar.season_of(stage.start);
        }
    }
}

}  // namespace

sddp::Calendar resolve_calendar(const raw::Stages& stages, Problems& problems) {
    check_stages(stages, problems);
    sddp::Calendar calendar;
    for (const raw::Stage& stage : stages.stages) {
        calendar.stages.push_back(resolve_stage(stage, stages.policy_graph));
    }
    for (const raw::PreStudyStage& past : stages.pre_study_stages) {
        calendar.past.push_back(
            {past.id, past.start_date, past.end_date, past.season_id.value_or(-1)});
    }
    if (stages.season_definitions) {
        calendar.cycle = resolve_cycle(stages.season_definitions->cycle_type);
        for (const raw::Season& season : stages.season_definitions->seasons) {
            calendar.seasons.push_back(resolve_season(season));
        }
        find_seasons(calendar.stages, calendar);
        find_seasons(calendar.past, calendar);
    }
    return calendar;
}

void check_transitions(const raw::Stages& stages, const Resolver& resolver) {
    if (stages.policy_graph.nodes) {
        return;  // ids are those of nodes
    }
    constexpr double probability_tolerance = 1e-6;
    std::map<int, std::pair<int, double>> outgoing;  // source id -> (line, sum)
    for (const raw::Transition& transition : stages.policy_graph.transitions) {
        const Origin origin =
            line_of(file, transition.line, "transition from stage", transition.source_id);
        const int source = resolver.find(resolver.stages, transition.source_id, origin);
        const int target = resolver.find(resolver.stages, transition.target_id, origin);
        const bool goes_back = stages.policy_graph.type == raw::GraphType::cyclic &&
                               source + 1 == resolver.stage_count() && target <= source;
        if (source >= 0 && target >= 0 && target != source + 1 && !goes_back) {
            resolver.error(
                ProblemKind::not_supported,
                origin,
                fmt::format("not supported yet: a transition to stage {}, which is not the next "
                            "stage",
                            transition.target_id));
        }
        auto& [line, sum] =
            outgoing.emplace(transition.source_id, std::pair{transition.line, 0.0}).first->second;
        sum += transition.probability;
    }
    for (const auto& [source, out] : outgoing) {
        if (std::abs(out.second - 1) > probability_tolerance) {
            resolver.error(ProblemKind::invalid_value,
                           line_of(file, out.first, "transition from stage", source),
                           fmt::format("probabilities sum to {}: must be 1", out.second));
        }
    }
}

}  // namespace lockstep::formats::cobre
