#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "formats/cobre/records.hpp"
#include "formats/records/fields.hpp"

namespace lockstep::formats::cobre::raw {

// stages.json and initial_conditions.json, as written.

enum class Cycle { monthly, weekly, custom };
constexpr std::array<Choice<Cycle>, 3> choices(Cycle) {
    return {{{"monthly", Cycle::monthly}, {"weekly", Cycle::weekly}, {"custom", Cycle::custom}}};
}

struct Season {
    int line = 0;
    int id = 0;
    std::string label;
    int month_start = 1;
    std::optional<int> day_start;
    std::optional<int> month_end;
    std::optional<int> day_end;
    template <typename Fields>
    void fields(Fields& f) {
        f.line(line);
        f.required("id", id, at_least(0));
        f.required("label", label);
        f.required("month_start", month_start, within(1, 12));
        f.optional("day_start", day_start, within(1, 31));
        f.optional("month_end", month_end, within(1, 12));
        f.optional("day_end", day_end, within(1, 31));
    }
};

struct SeasonDefinitions {
    Cycle cycle_type = Cycle::monthly;
    std::vector<Season> seasons;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("cycle_type", cycle_type);
        f.required("seasons", seasons);
    }
};

enum class GraphType { finite_horizon, cyclic };
constexpr std::array<Choice<GraphType>, 2> choices(GraphType) {
    return {{{"finite_horizon", GraphType::finite_horizon}, {"cyclic", GraphType::cyclic}}};
}

struct Transition {
    int line = 0;
    int source_id = 0;
    int target_id = 0;
    double probability = 1;
    std::optional<double> annual_discount_rate_override;
    template <typename Fields>
    void fields(Fields& f) {
        f.line(line);
        f.required("source_id", source_id);
        f.required("target_id", target_id);
        f.required("probability", probability, share);
        f.optional("annual_discount_rate_override", annual_discount_rate_override, non_negative);
    }
};

struct Node {
    int id = 0;
    int stage_id = 0;
    std::optional<int> scenario_id;
    std::optional<std::string> label;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("id", id);
        f.required("stage_id", stage_id);
        f.optional("scenario_id", scenario_id);
        f.optional("label", label);
    }
};

struct PolicyGraph {
    int line = 0;
    GraphType type = GraphType::finite_horizon;
    double annual_discount_rate = 0;
    std::vector<Transition> transitions;
    std::optional<std::vector<Node>> nodes;
    template <typename Fields>
    void fields(Fields& f) {
        f.line(line);
        f.required("type", type);
        f.required("annual_discount_rate", annual_discount_rate, non_negative);
        f.optional("transitions", transitions);
        f.optional("nodes", nodes);
    }
};

struct PreStudyStage {
    int line = 0;
    int id = 0;
    Date start_date{};
    Date end_date{};
    std::optional<int> season_id;
    template <typename Fields>
    void fields(Fields& f) {
        f.line(line);
        f.required("id", id);
        f.required("start_date", start_date);
        f.required("end_date", end_date);
        f.optional("season_id", season_id);
    }
};

struct Block {
    int id = 0;
    std::string name;
    double hours = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("id", id, at_least(0));
        f.required("name", name);
        f.required("hours", hours, positive);
    }
};

enum class BlockMode { parallel, chronological };
constexpr std::array<Choice<BlockMode>, 2> choices(BlockMode) {
    return {{{"parallel", BlockMode::parallel}, {"chronological", BlockMode::chronological}}};
}

struct StateVariables {
    bool storage = true;
    bool inflow_lags = false;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("storage", storage);
        f.optional("inflow_lags", inflow_lags);
    }
};

struct Cvar {
    double alpha = 1;
    double lambda = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("alpha", alpha, {0, 1, true});
        f.required("lambda", lambda, share);
    }
};

/// "expectation" or {"cvar": {"alpha": …, "lambda": …}}.
struct RiskMeasure {
    Cvar cvar;
};
io::Json schema_of(const RiskMeasure& example, Range range);
void read_value(const ValueAt& at, RiskMeasure& out, Range range);

enum class SamplingMethod { saa, lhs, qmc_sobol, qmc_halton, selective, historical_residuals };
constexpr std::array<Choice<SamplingMethod>, 6> choices(SamplingMethod) {
    return {{{"saa", SamplingMethod::saa},
             {"lhs", SamplingMethod::lhs},
             {"qmc_sobol", SamplingMethod::qmc_sobol},
             {"qmc_halton", SamplingMethod::qmc_halton},
             {"selective", SamplingMethod::selective},
             {"historical_residuals", SamplingMethod::historical_residuals}}};
}

struct Stage {
    int line = 0;
    int id = 0;
    Date start_date{};
    Date end_date{};
    std::optional<int> season_id;
    std::vector<Block> blocks;
    BlockMode block_mode = BlockMode::parallel;
    StateVariables state_variables;
    RiskMeasure risk_measure;
    std::optional<double> annual_discount_rate_override;
    std::optional<int> num_openings;
    SamplingMethod sampling_method = SamplingMethod::saa;
    template <typename Fields>
    void fields(Fields& f) {
        f.line(line);
        f.required("id", id, at_least(0));
        f.required("start_date", start_date);
        f.required("end_date", end_date);
        f.optional("season_id", season_id);
        f.required("blocks", blocks);
        f.optional("block_mode", block_mode);
        f.optional("state_variables", state_variables);
        f.optional("risk_measure", risk_measure);
        f.optional("annual_discount_rate_override", annual_discount_rate_override, non_negative);
        f.replaced("num_scenarios", R"(it is "num_openings")");
        f.optional("num_openings", num_openings, count);
        f.optional("sampling_method", sampling_method);
    }
};

struct Stages {
    std::optional<SeasonDefinitions> season_definitions;
    PolicyGraph policy_graph;
    std::vector<PreStudyStage> pre_study_stages;
    std::vector<Stage> stages;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("season_definitions", season_definitions);
        f.required("policy_graph", policy_graph);
        f.optional("pre_study_stages", pre_study_stages);
        f.required("stages", stages);
    }
};

struct Storage {
    int line = 0;
    int hydro_id = 0;
    double value_hm3 = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.line(line);
        f.required("hydro_id", hydro_id, at_least(0));
        f.required("value_hm3", value_hm3, non_negative);
    }
};

struct Observation {
    int line = 0;
    int hydro_id = 0;
    Date start_date{};
    Date end_date{};
    double value_m3s = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.line(line);
        f.required("hydro_id", hydro_id, at_least(0));
        f.required("start_date", start_date);
        f.required("end_date", end_date);
        f.required("value_m3s", value_m3s);
    }
};

struct Commitment {
    int thermal_id = 0;
    Date start_date{};
    Date end_date{};
    double value_mw = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("thermal_id", thermal_id, at_least(0));
        f.required("start_date", start_date);
        f.required("end_date", end_date);
        f.required("value_mw", value_mw, non_negative);
    }
};

struct InitialConditions {
    std::vector<Storage> storage;
    std::vector<Storage> filling_storage;
    std::vector<Observation> recent_observations;
    std::vector<Commitment> past_anticipated_commitments;
    std::vector<Observation> past_defluences;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("storage", storage);
        f.required("filling_storage", filling_storage);
        f.replaced("past_inflows", R"(give windows in "recent_observations")");
        f.optional("recent_observations", recent_observations);
        f.optional("past_anticipated_commitments", past_anticipated_commitments);
        f.optional("past_defluences", past_defluences);
    }
};

}  // namespace lockstep::formats::cobre::raw
