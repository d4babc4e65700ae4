#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "formats/cobre/read/raw/about.hpp"
#include "formats/cobre/records.hpp"
#include "formats/records/about.hpp"
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
        f.required(
            "id", id, {"Number of the season; stages name it in season_id", "0"}, at_least(0));
        f.required("label", label, {"Name for people", "January"});
        f.required("month_start",
                   month_start,
                   {"Month in which the season begins; of a monthly cycle the month itself", "1"},
                   within(1, 12));
        f.optional(
            "day_start", day_start, {"First day of a custom season; null: 1", "1"}, within(1, 31));
        f.optional("month_end",
                   month_end,
                   {"Month in which a custom season ends; null: month_start", "1"},
                   within(1, 12));
        f.optional("day_end",
                   day_end,
                   {"Last day of a custom season, itself included; null: 31", "31"},
                   within(1, 31));
    }
};

struct SeasonDefinitions {
    Cycle cycle_type = Cycle::monthly;
    std::vector<Season> seasons;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("cycle_type",
                   cycle_type,
                   {"How the year is divided. monthly: by month_start; weekly: ISO weeks, ids from "
                    "0; custom: by days, ranges may pass the end of the year"});
        f.required("seasons",
                   seasons,
                   {"Seasons of the year: periods with the same statistics and the same model of "
                    "inflows"});
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
        f.required("source_id", source_id, {"Stage (its id) that is left; with nodes a node", "0"});
        f.required(
            "target_id", target_id, {"Stage (its id) that comes next; with nodes a node", "1"});
        f.required(
            "probability",
            probability,
            {"Probability of the step; those of a stage or node sum to 1", "1", dimensionless},
            share);
        f.optional("annual_discount_rate_override",
                   annual_discount_rate_override,
                   {"Discount rate of the step a year; null: that of the graph. One of the stage "
                    "goes before it",
                    "0.1",
                    dimensionless},
                   non_negative);
    }
};

struct Node {
    int line = 0;
    int id = 0;
    int stage_id = 0;
    std::optional<int> scenario_id;
    std::optional<std::string> label;
    template <typename Fields>
    void fields(Fields& f) {
        f.line(line);
        f.required("id", id, {"Number of the node", "0"});
        f.required("stage_id", stage_id, {"Stage (its id) of the node", "0"});
        f.optional("scenario_id",
                   scenario_id,
                   {"Column of the external scenarios that the node has; null: the openings of its "
                    "stage",
                    "0"},
                   at_least(0));
        f.optional("label", label, {"Name for people", "wet"});
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
        f.required("type",
                   type,
                   {"finite_horizon: stages follow one another and nothing comes after the last; "
                    "cyclic: after the last stage the study goes on with an earlier one, for ever; "
                    "the transition between them says with which"});
        f.required("annual_discount_rate",
                   annual_discount_rate,
                   {"Discount rate a year, by calendar days: (1 + rate)^(-days/365.25) from a "
                    "stage to the next; 0: none",
                    "0.08",
                    dimensionless},
                   non_negative);
        f.optional(
            "transitions",
            transitions,
            {"Steps from stage to stage. Need not be given: each stage is followed by the next"});
        f.optional(
            "nodes",
            nodes,
            {"Nodes of a tree, or of a graph whose transitions lead to the next stage. The first "
             "stage has one; each is reached, and left unless it is of the last stage"});
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
        f.required("id", id, {"Number of the period, below 0", "-1"});
        f.required("start_date", start_date, {"First day", "2023-12-01"});
        f.required("end_date", end_date, {"Day after the last", "2024-01-01"});
        f.optional("season_id",
                   season_id,
                   {"Season; null: the one that the map gives to the first day", "11"});
    }
};

struct Block {
    int id = 0;
    std::string name;
    double hours = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("id",
                   id,
                   {"Number of the block: 0, 1, 2 … in the order of the list", "0"},
                   at_least(0));
        f.required("name", name, {"Name for people", "peak"});
        f.required("hours",
                   hours,
                   {"Hours of the block; those of a stage should sum to the hours between its "
                    "dates, energies and volumes follow them",
                    "120"},
                   positive);
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
        f.optional("storage",
                   storage,
                   {"Whether the future cost after the stage before depends on storages; without, "
                    "the lower bound is an estimate"});
        f.optional("inflow_lags",
                   inflow_lags,
                   {"Whether it depends on past inflows; without, the lower bound is an "
                    "estimate where inflows have memory"});
    }
};

struct Cvar {
    double alpha = 1;
    double lambda = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("alpha",
                   alpha,
                   {"Share of the costliest outcomes that the tail is the mean of; 1: all of them",
                    "0.2",
                    dimensionless},
                   {0, 1, true});
        f.required("lambda",
                   lambda,
                   {"Weight of the tail against the expected cost; 0: expected cost alone",
                    "0.5",
                    dimensionless},
                   share);
    }
};

struct WorstCase {
    double lambda = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("lambda",
                   lambda,
                   {"Weight of the costliest outcome. Not in Cobre", "0.2", dimensionless},
                   share);
    }
};

struct Entropic {
    double gamma = 0;
    double lambda = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("gamma",
                   gamma,
                   {"Aversion to risk of the measure ln(E e^(gamma·cost))/gamma. Not in Cobre",
                    "1e-9",
                    "1/$"},
                   positive);
        f.required(
            "lambda", lambda, {"Weight of the measure. Not in Cobre", "1", dimensionless}, share);
    }
};

/// {"cvar": {"alpha": …, "lambda": …}}; what other measures leave is the weight of the mean.
struct RiskParts {
    std::optional<Cvar> cvar;
    std::optional<WorstCase> worst_case;
    std::optional<Entropic> entropic;
    [[nodiscard]] double weight() const {
        return (cvar ? cvar->lambda : 0) + (worst_case ? worst_case->lambda : 0) +
               (entropic ? entropic->lambda : 0);
    }
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("cvar", cvar, {"Tail of the costliest outcomes"});
        f.optional("worst_case", worst_case, {"The costliest outcome. Not in Cobre"});
        f.optional("entropic", entropic, {"The entropic measure. Not in Cobre"});
    }
};

/// "expectation" or parts of other measures.
struct RiskMeasure {
    RiskParts parts;
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
        f.required(
            "id",
            id,
            {"Number of the stage, by which other files refer to it; stages run in this order",
             "0"},
            at_least(0));
        f.required("start_date", start_date, {"First day", "2024-01-01"});
        f.required("end_date", end_date, {"Day after the last", "2024-02-01"});
        f.optional("season_id",
                   season_id,
                   {"Season: its id in season_definitions; null: the one that the map gives to the "
                    "first day",
                    "0"});
        f.required("blocks", blocks, {"Load levels of the stage with their hours, one or more"});
        f.optional("block_mode",
                   block_mode,
                   {"parallel: blocks share the water of the stage; chronological: they follow one "
                    "another, and each has its own storage at its end"});
        f.optional("state_variables",
                   state_variables,
                   {"What the future cost after the stage before may depend on"});
        f.optional(
            "risk_measure",
            risk_measure,
            {"How outcomes of the next stage are weighted: \"expectation\", or an object of "
             "\"cvar\", "
             "\"worst_case\" and \"entropic\", each with its weight lambda; what they leave is the "
             "weight of the mean",
             "{\"cvar\": {\"alpha\": 0.2, \"lambda\": 0.5}}"});
        f.optional("annual_discount_rate_override",
                   annual_discount_rate_override,
                   {"Discount rate of the step to the next stage a year; null: that of the "
                    "transition, else of the graph",
                    "0.1",
                    dimensionless},
                   non_negative);
        f.replaced("num_scenarios", R"(it is "num_openings")");
        f.optional("num_openings",
                   num_openings,
                   {"Outcomes of the noise that the policy is trained on, all equally likely. "
                    "Every stage needs it",
                    "20"},
                   count);
        f.optional("sampling_method",
                   sampling_method,
                   {"How openings are drawn. saa: at random; lhs: Latin hypercube; qmc_sobol, "
                    "qmc_halton: low-discrepancy points; historical_residuals: what the inflow "
                    "model leaves of years of the record; selective: not supported yet"});
    }
};

struct Stages {
    std::optional<SeasonDefinitions> season_definitions;
    PolicyGraph policy_graph;
    std::vector<PreStudyStage> pre_study_stages;
    std::vector<Stage> stages;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("season_definitions",
                   season_definitions,
                   {"Map from days to seasons, which fitting and inflows with memory need"});
        f.required(
            "policy_graph", policy_graph, {"How stages follow one another, and the discount rate"});
        f.optional(
            "pre_study_stages",
            pre_study_stages,
            {"Periods before the study that inflows remember. Need not be given for a season map"});
        f.required("stages", stages, {"Stages of the study; they may not overlap"});
    }
};

struct Storage {
    int line = 0;
    int hydro_id = 0;
    double value_hm3 = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.line(line);
        f.required("hydro_id", hydro_id, about::hydro_id, at_least(0));
        f.required(
            "value_hm3",
            value_hm3,
            {"Storage at the start of the study, within the limits of the reservoir", "1200"},
            non_negative);
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
        f.required("hydro_id", hydro_id, about::hydro_id, at_least(0));
        f.required("start_date", start_date, about::window_start);
        f.required("end_date", end_date, about::window_end);
        f.required("value_m3s", value_m3s, about::observed_inflow);
    }
};

struct Commitment {
    int line = 0;
    int thermal_id = 0;
    Date start_date{};
    Date end_date{};
    double value_mw = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.line(line);
        f.required("thermal_id", thermal_id, about::thermal_id, at_least(0));
        f.required("start_date", start_date, about::window_start);
        f.required("end_date", end_date, about::window_end);
        f.required("value_mw", value_mw, {"Generation that was decided", "100"}, non_negative);
    }
};

struct PostStudyStage {
    int line = 0;
    Date start_date{};
    double duration_hours = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.line(line);
        f.required(
            "start_date",
            start_date,
            {"First day; stages follow the study and one another without a gap", "2025-01-01"});
        f.required("duration_hours", duration_hours, {"Length of the stage", "744"}, positive);
    }
};

struct PostStudyBounds {
    int line = 0;
    int thermal_id = 0;
    int post_study_stage_index = 0;
    double cost_per_mwh = 0;
    double min_mw = 0;
    double max_mw = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.line(line);
        f.required("thermal_id", thermal_id, about::thermal_id, at_least(0));
        f.required("post_study_stage_index",
                   post_study_stage_index,
                   {"Place of the stage in \"stages\", from 0", "0"},
                   at_least(0));
        f.required(
            "cost_per_mwh", cost_per_mwh, {"Variable cost of generation", "120"}, non_negative);
        f.required("min_mw", min_mw, {"Least generation", "0"}, non_negative);
        f.required("max_mw", max_mw, {"Largest generation", "250"}, non_negative);
    }
};

/// post_study_stages.json
struct PostStudy {
    std::vector<PostStudyStage> stages;
    std::vector<PostStudyBounds> thermal_bounds;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("stages", stages, {"Stages after the study, in time order"});
        f.required("thermal_bounds",
                   thermal_bounds,
                   {"Limits and costs of plants whose generation of these stages is decided in the "
                    "study"});
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
        f.required(
            "storage", storage, {"Storage of each plant; one that is not listed starts at 0"});
        f.required("filling_storage",
                   filling_storage,
                   {"Storage of reservoirs that are being filled, or will be", "[]"});
        f.replaced("past_inflows", R"(give windows in "recent_observations")");
        f.optional("recent_observations",
                   recent_observations,
                   {"Inflows of the months before the study, in windows that end before it; they "
                    "go before those of scenarios/inflow_history.parquet"});
        f.optional("past_anticipated_commitments",
                   past_anticipated_commitments,
                   {"Generation of the first stages that was decided before the study, by plants "
                    "with anticipated_config: windows that cover those stages",
                    "[]"});
        f.optional("past_defluences",
                   past_defluences,
                   {"Outflows, turbined and spilled, before the study that are still on their way: "
                    "windows of each "
                    "plant with a travel time that cover it",
                    "[]"});
    }
};

}  // namespace lockstep::formats::cobre::raw
