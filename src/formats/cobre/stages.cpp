#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "formats/cobre/resolve.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr const char* file = "stages.json";

/// Longest allowed difference between stages that share statistics.
constexpr int season_length_tolerance_days = 7;

class StageChecks {
public:
    StageChecks(const raw::Stages& stages, Problems& problems)
        : stages_(stages), problems_(problems) {}

    void run() const {
        if (stages_.stages.empty()) {
            problems_.add(
                ProblemKind::invalid_value, file, "stages", "at least one stage is required");
        }
        check_ids();
        check_order();
        for (const raw::Stage& stage : stages_.stages) {
            check_stage(stage);
        }
        for (const raw::PreStudyStage& stage : stages_.pre_study_stages) {
            check_past(stage);
        }
        check_seasons();
    }

private:
    void add(ProblemKind kind, int line, int id, std::string message) const {
        const Origin origin = line_of(file, line, "stage", id);
        problems_.add(kind, origin.file, origin.entity, std::move(message));
    }

    void check_ids() const {
        std::set<int> seen;
        const auto check = [&](int line, int id) {
            if (!seen.insert(id).second) {
                add(ProblemKind::duplicate_id, line, id, "stage id is used twice");
            }
        };
        for (const raw::PreStudyStage& stage : stages_.pre_study_stages) {
            check(stage.line, stage.id);
        }
        for (const raw::Stage& stage : stages_.stages) {
            check(stage.line, stage.id);
        }
    }

    void check_order() const {
        for (std::size_t i = 1; i < stages_.stages.size(); ++i) {
            const raw::Stage& before = stages_.stages[i - 1];
            const raw::Stage& stage = stages_.stages[i];
            if (stage.start_date <= before.start_date) {
                add(ProblemKind::invalid_value, stage.line, stage.id,
                    fmt::format("does not start after stage {}", before.id));
            } else if (stage.start_date != before.end_date) {
                add(ProblemKind::model_quality, stage.line, stage.id,
                    fmt::format("does not start where stage {} ends", before.id));
            }
        }
    }

    void check_dates(int line, int id, sddp::Date start, sddp::Date end) const {
        if (start >= end) {
            add(ProblemKind::invalid_value, line, id, "start_date must be before end_date");
        }
    }

    void check_stage(const raw::Stage& stage) const {
        check_dates(stage.line, stage.id, stage.start_date, stage.end_date);
        check_blocks(stage);
        check_season(stage.line, stage.id, stage.season_id);
        if (!stage.num_openings && !stages_.policy_graph.nodes) {
            add(ProblemKind::schema_violation,
                stage.line,
                stage.id,
                "missing key \"num_openings\"");
        }
        const auto openings = static_cast<unsigned>(stage.num_openings.value_or(1));
        if (stage.sampling_method == raw::SamplingMethod::qmc_sobol &&
            (openings & (openings - 1)) != 0) {
            add(ProblemKind::model_quality,
                stage.line,
                stage.id,
                fmt::format("{} Sobol points: a power of two is more even", openings));
        }
    }

    void check_blocks(const raw::Stage& stage) const {
        if (stage.blocks.empty()) {
            add(ProblemKind::invalid_value, stage.line, stage.id, "at least one block is required");
        }
        for (std::size_t i = 0; i < stage.blocks.size(); ++i) {
            if (static_cast<std::size_t>(stage.blocks[i].id) != i) {
                add(ProblemKind::invalid_value,
                    stage.line,
                    stage.id,
                    fmt::format("block ids must be 0, 1, 2 … in order: found {} at place {}",
                                stage.blocks[i].id,
                                i));
                return;
            }
        }
    }

    void check_past(const raw::PreStudyStage& stage) const {
        check_dates(stage.line, stage.id, stage.start_date, stage.end_date);
        check_season(stage.line, stage.id, stage.season_id);
        if (stage.id >= 0) {
            add(ProblemKind::invalid_value,
                stage.line,
                stage.id,
                "ids of pre_study_stages must be negative");
        }
        if (!stages_.stages.empty() && stage.end_date > stages_.stages.front().start_date) {
            add(ProblemKind::invalid_value, stage.line, stage.id, "ends after the study starts");
        }
    }

    void check_season(int line, int id, std::optional<int> season_id) const {
        if (!season_id || !stages_.season_definitions) {
            return;
        }
        const auto& seasons = stages_.season_definitions->seasons;
        const bool exists =
            std::any_of(seasons.begin(), seasons.end(), [&](const raw::Season& season) {
                return season.id == *season_id;
            });
        if (!exists) {
            add(ProblemKind::invalid_reference,
                line,
                id,
                fmt::format("season {} does not exist", *season_id));
        }
    }

    void check_seasons() const {
        if (!stages_.season_definitions) {
            return;
        }
        std::set<int> ids;
        for (const raw::Season& season : stages_.season_definitions->seasons) {
            const Origin origin = line_of(file, season.line, "season", season.id);
            if (!ids.insert(season.id).second) {
                problems_.add(ProblemKind::duplicate_id,
                              origin.file,
                              origin.entity,
                              "season id is used twice");
            }
        }
        check_season_lengths();
        warn_of_unused_seasons();
    }

    void check_season_lengths() const {
        std::map<int, std::pair<int, int>> first;  // season -> (stage id, days)
        for (const raw::Stage& stage : stages_.stages) {
            const int days = static_cast<int>((stage.end_date - stage.start_date).count());
            if (!stage.season_id) {
                continue;
            }
            const auto [seen, is_new] = first.emplace(*stage.season_id, std::pair{stage.id, days});
            if (!is_new && std::abs(seen->second.second - days) > season_length_tolerance_days) {
                add(ProblemKind::business_rule_violation,
                    stage.line,
                    stage.id,
                    fmt::format(
                        "lasts {} days, but stage {} of the same season {} lasts {}: they may "
                        "differ by {} days",
                        days,
                        seen->second.first,
                        *stage.season_id,
                        seen->second.second,
                        season_length_tolerance_days));
            }
        }
    }

    /// Months and weeks come as a whole calendar; parts of it that a short study does not reach are
    /// normal.
    void warn_of_unused_seasons() const {
        if (stages_.season_definitions->cycle_type != raw::Cycle::custom) {
            return;
        }
        std::set<int> used;
        for (const raw::Stage& stage : stages_.stages) {
            used.insert(stage.season_id.value_or(-1));
        }
        for (const raw::PreStudyStage& stage : stages_.pre_study_stages) {
            used.insert(stage.season_id.value_or(-1));
        }
        for (const raw::Season& season : stages_.season_definitions->seasons) {
            if (!used.contains(season.id)) {
                const Origin origin = line_of(file, season.line, "season", season.id);
                problems_.add(ProblemKind::unused_entity,
                              origin.file,
                              origin.entity,
                              "no stage refers to this season");
            }
        }
    }

    const raw::Stages& stages_;
    Problems& problems_;
};

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
    out.risk = {stage.risk_measure.cvar.alpha, stage.risk_measure.cvar.lambda};
    out.annual_discount_rate = discount_rate(stage, graph);
    out.storage_in_cuts = stage.state_variables.storage;
    out.lags_in_cuts = stage.state_variables.inflow_lags;
    return out;
}

}  // namespace

sddp::Calendar resolve_calendar(const raw::Stages& stages, Problems& problems) {
    StageChecks(stages, problems).run();
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
    }
    return calendar;
}

void check_transitions(const raw::Stages& stages, const Resolver& resolver) {
    if (stages.policy_graph.nodes) {
        return;  // ids are those of nodes, which are refused
    }
    constexpr double probability_tolerance = 1e-6;
    std::map<int, std::pair<int, double>> outgoing;  // source id -> (line, sum)
    for (const raw::Transition& transition : stages.policy_graph.transitions) {
        const Origin origin =
            line_of(file, transition.line, "transition from stage", transition.source_id);
        const int source = resolver.find(resolver.stages, transition.source_id, origin);
        const int target = resolver.find(resolver.stages, transition.target_id, origin);
        if (source >= 0 && target >= 0 && target != source + 1) {
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
