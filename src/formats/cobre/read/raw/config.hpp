#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/cobre/records.hpp"
#include "formats/records/about.hpp"
#include "formats/records/fields.hpp"

namespace lockstep::formats::cobre::raw {

// config.json, as written.

enum class SelectionMethod { sampled, enumerated };
constexpr std::array<Choice<SelectionMethod>, 2> choices(SelectionMethod) {
    return {{{"sampled", SelectionMethod::sampled}, {"enumerated", SelectionMethod::enumerated}}};
}

struct TrainingSelection {
    SelectionMethod method = SelectionMethod::sampled;
    int forward_passes = 1;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("method",
                   method,
                   {"sampled: trajectories are drawn; enumerated: every path of a node graph, not "
                    "supported yet"});
        if (f.when(method == SelectionMethod::sampled, "method sampled")) {
            f.required("forward_passes",
                       forward_passes,
                       {"Trajectories an iteration, over all ranks; each gives one cut a stage. "
                        "More of them explore more and show the cost of the policy with less noise",
                        "8"},
                       count);
        }
    }
};

struct SimulationSelection {
    SelectionMethod method = SelectionMethod::sampled;
    int num_scenarios = 2000;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("method",
                   method,
                   {"sampled: scenarios are drawn; enumerated: every path of a node graph, not "
                    "supported yet"});
        if (f.when(method == SelectionMethod::sampled, "method sampled")) {
            f.optional("num_scenarios",
                       num_scenarios,
                       {"Scenarios that are simulated under the trained policy"},
                       {1, 1e7});
        }
    }
};

enum class RuleType { iteration_limit, time_limit, bound_stalling, gap };
constexpr std::array<Choice<RuleType>, 4> choices(RuleType) {
    return {{{"iteration_limit", RuleType::iteration_limit},
             {"time_limit", RuleType::time_limit},
             {"bound_stalling", RuleType::bound_stalling},
             {"gap", RuleType::gap}}};
}

struct StoppingRule {
    RuleType type = RuleType::iteration_limit;
    int limit = 1;
    double seconds = 0;
    int iterations = 1;
    double tolerance = 0;
    double absolute_tolerance = 0;
    int min_iterations = 0;
    std::optional<double> max_gap;
    std::optional<double> gap_tolerance;
    std::optional<double> relative_tolerance;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("type",
                   type,
                   {"iteration_limit: after so many iterations; time_limit: after so much time; "
                    "bound_stalling: when the lower bound stands still; gap: not supported yet"});
        if (f.when(type == RuleType::iteration_limit, "type iteration_limit")) {
            f.required(
                "limit", limit, {"Iterations after which training ends", "200"}, at_least(1));
        }
        if (f.when(type == RuleType::time_limit, "type time_limit")) {
            f.required(
                "seconds",
                seconds,
                {"Time after which training ends; looked at between iterations", "3600", "s"},
                positive);
        }
        if (f.when(type == RuleType::bound_stalling, "type bound_stalling")) {
            f.required("iterations",
                       iterations,
                       {"Iterations over which the change of the lower bound is looked at", "10"},
                       at_least(1));
            f.required("tolerance",
                       tolerance,
                       {"The bound stands still where it changes by less than this share of itself",
                        "0.0001",
                        dimensionless},
                       non_negative);
            f.optional("absolute_tolerance",
                       absolute_tolerance,
                       {"A change of so much or less is none either. Not in Cobre", "0", "$"},
                       non_negative);
            f.optional("min_iterations",
                       min_iterations,
                       {"Iterations before which the rule does not hold. Not in Cobre"},
                       at_least(0));
            f.optional("max_gap",
                       max_gap,
                       {"The rule does not hold while the costs of the window's trajectories lie "
                        "further above the bound, as a share of it, even at the lower end of their "
                        "95 % interval; null: no such limit. Not in Cobre",
                        "0.05",
                        dimensionless},
                       non_negative);
        }
        if (f.when(type == RuleType::gap, "type gap")) {
            f.optional("tolerance",
                       gap_tolerance,
                       {"Gap that ends training, in $. Not supported yet", "0", "$"},
                       non_negative);
            f.optional(
                "relative_tolerance",
                relative_tolerance,
                {"Gap that ends training, as a share of the bound. Not supported yet", "1", "%"},
                non_negative);
        }
    }
};

enum class StoppingMode { any, all };
constexpr std::array<Choice<StoppingMode>, 2> choices(StoppingMode) {
    return {{{"any", StoppingMode::any}, {"all", StoppingMode::all}}};
}

enum class CutSelectionMethod { level1, lml1, domination, dynamic };
constexpr std::array<Choice<CutSelectionMethod>, 4> choices(CutSelectionMethod) {
    return {{{"level1", CutSelectionMethod::level1},
             {"lml1", CutSelectionMethod::lml1},
             {"domination", CutSelectionMethod::domination},
             {"dynamic", CutSelectionMethod::dynamic}}};
}

struct CutSelectionRule {
    CutSelectionMethod method = CutSelectionMethod::level1;
    double tie_tolerance = 1e-10;
    int check_frequency = 5;
    double domination_tolerance = 0;
    int seed_window = 5;
    int max_added_per_round = 10;
    double violation_tolerance = 1e-10;
    int start_iteration = 2;
    std::optional<int> candidate_recency;
    template <typename Fields>
    void fields(Fields& f) {
        using enum CutSelectionMethod;
        f.required("method", method, {"Which cuts are kept"});
        if (f.when(method == level1 || method == lml1, "method level1 or lml1")) {
            f.optional(
                "tie_tolerance",
                tie_tolerance,
                {"Distance from the highest cut at a visited state within which a cut is kept",
                 "1e-10",
                 "$"},
                non_negative);
        }
        if (f.when(method == domination, "method domination")) {
            f.required("domination_tolerance",
                       domination_tolerance,
                       {"Distance below the highest cut at every visited state beyond which a cut "
                        "is dropped",
                        "0",
                        "$"},
                       non_negative);
        }
        if (f.when(method != dynamic, "a method other than dynamic")) {
            f.optional("check_frequency",
                       check_frequency,
                       {"Iterations between two selections"},
                       at_least(1));
        }
        if (f.when(method == dynamic, "method dynamic")) {
            f.optional("seed_window",
                       seed_window,
                       {"Iterations whose cuts each solve begins with"},
                       at_least(0));
            f.optional("max_added_per_round",
                       max_added_per_round,
                       {"Cuts that are added before a solve is repeated"},
                       at_least(1));
            f.optional("violation_tolerance",
                       violation_tolerance,
                       {"Violation above which a cut is added", "1e-10", "$"},
                       positive);
            f.optional("start_iteration",
                       start_iteration,
                       {"First iteration with selection"},
                       at_least(1));
            f.optional("candidate_recency",
                       candidate_recency,
                       {"Iterations back from which cuts may be added; null: all", "20"},
                       at_least(1));
        }
    }
};

struct CutSelection {
    std::optional<CutSelectionRule> selection;
    double row_activity_tolerance = 0;
    std::optional<int> max_active_per_stage;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("selection", selection, {"Selection of cuts. Not supported yet"});
        f.optional(
            "row_activity_tolerance",
            row_activity_tolerance,
            {"Dual above which a cut counts as active. Read, without effect", "0", dimensionless},
            non_negative);
        f.optional("max_active_per_stage",
                   max_active_per_stage,
                   {"Most cuts that are kept a stage. Not supported yet", "1000"},
                   at_least(1));
    }
};

enum class SchedulerMethod { by_scenario, by_node };
constexpr std::array<Choice<SchedulerMethod>, 2> choices(SchedulerMethod) {
    return {{{"by_scenario", SchedulerMethod::by_scenario}, {"by_node", SchedulerMethod::by_node}}};
}

struct Scheduler {
    SchedulerMethod method = SchedulerMethod::by_scenario;
    std::optional<int> block_size;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("method",
                   method,
                   {"by_scenario: a trial point a piece of work; by_node: groups of openings. "
                    "Read, without effect: results never depend on how work is dealt out"});
        if (f.when(method == SchedulerMethod::by_node, "method by_node")) {
            f.optional("block_size", block_size, {"Openings a piece of work", "5"}, at_least(1));
        }
    }
};

struct Parallelism {
    Scheduler backward_scheduler;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("backward_scheduler",
                   backward_scheduler,
                   {"How the work of the backward pass is dealt out. Read, without effect"});
    }
};

enum class EdgeWeight { devex, steepest_edge, dantzig };
constexpr std::array<Choice<EdgeWeight>, 3> choices(EdgeWeight) {
    return {{{"devex", EdgeWeight::devex},
             {"steepest_edge", EdgeWeight::steepest_edge},
             {"dantzig", EdgeWeight::dantzig}}};
}

enum class Scale { off, solver_scaling };
constexpr std::array<Choice<Scale>, 2> choices(Scale) {
    return {{{"off", Scale::off}, {"solver_scaling", Scale::solver_scaling}}};
}

enum class Price { row, row_hyper_sparse };
constexpr std::array<Choice<Price>, 2> choices(Price) {
    return {{{"row", Price::row}, {"row_hyper_sparse", Price::row_hyper_sparse}}};
}

enum class Presolve { on, off, choose };
constexpr std::array<Choice<Presolve>, 3> choices(Presolve) {
    return {{{"on", Presolve::on}, {"off", Presolve::off}, {"choose", Presolve::choose}}};
}

struct SolverProfile {
    std::optional<double> primal_feasibility_tolerance;
    std::optional<double> dual_feasibility_tolerance;
    std::optional<EdgeWeight> dual_edge_weight;
    std::optional<Scale> scale;
    std::optional<Price> price;
    std::optional<Presolve> presolve;
    std::optional<int> simplex_update_limit;
    std::optional<double> cost_perturbation;
    std::optional<double> refactor_error_tolerance;
    std::optional<double> factor_pivot_threshold;
    std::optional<bool> use_warm_start;
    std::optional<double> steepest_edge_devex_fallback_threshold;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("primal_feasibility_tolerance",
                   primal_feasibility_tolerance,
                   {"Largest violation of a bound in a solution, in the scaled LP; null: 1e-9",
                    "1e-9",
                    dimensionless},
                   positive);
        f.optional("dual_feasibility_tolerance",
                   dual_feasibility_tolerance,
                   {"Largest wrong sign of a reduced cost, in the scaled LP; null: 1e-9",
                    "1e-9",
                    dimensionless},
                   positive);
        f.optional("dual_edge_weight",
                   dual_edge_weight,
                   {"How the dual simplex method prices rows; only devex is taken, and the solver "
                    "chooses itself"});
        f.optional(
            "scale",
            scale,
            {"Scaling by the solver; only off is taken: LPs are scaled before it sees them"});
        f.optional(
            "price",
            price,
            {"How rows are priced; only row_hyper_sparse is taken", R"("row_hyper_sparse")"});
        f.optional("presolve", presolve, {"Presolve of the LP solver. Read, without effect"});
        f.optional("simplex_update_limit",
                   simplex_update_limit,
                   {"Updates of a factorisation. Not supported yet", "5000"},
                   at_least(1));
        f.optional("cost_perturbation",
                   cost_perturbation,
                   {"Perturbation of costs by the solver; only 0 is taken", "0", dimensionless},
                   non_negative);
        f.optional(
            "refactor_error_tolerance",
            refactor_error_tolerance,
            {"Error that asks for a new factorisation. Not supported yet", "1e-6", dimensionless},
            positive);
        f.optional(
            "factor_pivot_threshold",
            factor_pivot_threshold,
            {"Threshold of pivots in the factorisation. Not supported yet", "0.1", dimensionless},
            positive);
        f.optional("use_warm_start",
                   use_warm_start,
                   {"Whether solves begin from stored bases; null: true. false is slower and for "
                    "comparison"});
        f.optional(
            "steepest_edge_devex_fallback_threshold",
            steepest_edge_devex_fallback_threshold,
            {"When steepest edge gives way to devex. Not supported yet", "10", dimensionless},
            non_negative);
    }
};

struct TrainingSolver {
    std::optional<SolverProfile> forward;
    std::optional<SolverProfile> backward;
    int retry_max_attempts = 5;
    double retry_time_budget_seconds = 30;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional(
            "forward", forward, {"LP solver in the forward pass; has to agree with backward"});
        f.optional("backward", backward, {"LP solver in the backward pass"});
        f.optional(
            "retry_max_attempts",
            retry_max_attempts,
            {"Attempts at an LP that fails. Read, without effect: the ladder of attempts is fixed"},
            at_least(0));
        f.optional("retry_time_budget_seconds",
                   retry_time_budget_seconds,
                   {"Time for those attempts. Read, without effect"},
                   non_negative);
    }
};

enum class Scheme { in_sample, out_of_sample, historical, external };
constexpr std::array<Choice<Scheme>, 4> choices(Scheme) {
    return {{{"in_sample", Scheme::in_sample},
             {"out_of_sample", Scheme::out_of_sample},
             {"historical", Scheme::historical},
             {"external", Scheme::external}}};
}

struct ClassSource {
    Scheme scheme = Scheme::in_sample;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("scheme",
                   scheme,
                   {"in_sample: an opening of the stage, drawn at random; out_of_sample: noise "
                    "that the openings do not hold; historical, external: not supported yet"});
    }
};

enum class OpeningsSource { generated, file };
constexpr std::array<Choice<OpeningsSource>, 2> choices(OpeningsSource) {
    return {{{"generated", OpeningsSource::generated}, {"file", OpeningsSource::file}}};
}

struct Openings {
    OpeningsSource source = OpeningsSource::generated;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("source",
                   source,
                   {"generated: drawn from the model; file: scenarios/noise_openings.parquet"});
    }
};

struct ScenarioSource {
    std::optional<std::int64_t> seed;
    io::Json historical_years;  ///< only with a scheme that is refused
    ClassSource inflow;
    ClassSource load;
    ClassSource ncs;
    std::optional<Openings> openings;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("seed",
                   seed,
                   {"Seed of out-of-sample noise; required unless every scheme is in_sample", "7"});
        f.optional("historical_years",
                   historical_years,
                   {"Years that the scheme historical draws from: a list, or from and to. Not "
                    "supported yet",
                    "[1950, 1951, 1952]"});
        f.optional("inflow", inflow, {"Where inflows of the trajectories come from"});
        f.optional("load", load, {"Where random loads of the trajectories come from"});
        f.optional("ncs", ncs, {"Where random availabilities of the trajectories come from"});
        f.optional("openings",
                   openings,
                   {"Where the openings that the policy is trained on come from; null: they are "
                    "generated"});
    }
};

struct Training {
    bool enabled = true;
    std::optional<std::int64_t> tree_seed;
    TrainingSelection selection;
    std::vector<StoppingRule> stopping_rules;
    StoppingMode stopping_mode = StoppingMode::any;
    CutSelection cut_selection;
    Parallelism parallelism;
    TrainingSolver solver;
    ScenarioSource scenario_source;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("enabled",
                   enabled,
                   {"Whether to train; false: the policy in policy.path is simulated"});
        f.optional("tree_seed",
                   tree_seed,
                   {"Seed of the openings and of what is drawn from them; its sign does not count; "
                    "null: 42",
                    "42"});
        f.replaced("forward_passes",
                   R"(use "selection": {"method": "sampled", "forward_passes": n})");
        f.required("selection", selection, {"How many trajectories an iteration has"});
        f.required("stopping_rules",
                   stopping_rules,
                   {"When training ends; one of them has to be an iteration_limit",
                    R"([{"type": "iteration_limit", "limit": 200}])"});
        f.optional(
            "stopping_mode",
            stopping_mode,
            {"any: the first rule that holds ends training; all: those other than iteration_limit "
             "have to hold at once. The largest iteration_limit always ends it"});
        f.optional("cut_selection",
                   cut_selection,
                   {"Which cuts are kept. Cuts that do not bind cost next to nothing here, so none "
                    "need be dropped"});
        f.optional("parallelism", parallelism, {"How work is dealt out. Read, without effect"});
        f.optional("solver", solver, {"Tolerances of the LP solver"});
        f.optional(
            "scenario_source", scenario_source, {"Where trajectories and openings come from"});
    }
};

struct Simulation {
    bool enabled = false;
    SimulationSelection selection;
    int io_channel_capacity = 64;
    std::optional<ScenarioSource> scenario_source;
    std::optional<SolverProfile> solver;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("enabled", enabled, {"Whether the policy is simulated after training"});
        f.replaced("num_scenarios",
                   R"(use "selection": {"method": "sampled", "num_scenarios": n})");
        f.optional("selection", selection, {"How many scenarios are simulated"});
        f.optional("io_channel_capacity",
                   io_channel_capacity,
                   {"Scenarios that wait to be written. Read, without effect"},
                   at_least(1));
        f.optional("scenario_source",
                   scenario_source,
                   {"Where simulated scenarios come from; null: as in training"});
        f.optional("solver", solver, {"Tolerances of the LP solver in the simulation"});
    }
};

enum class NonNegativity { none, penalty, truncation, truncation_with_penalty };
constexpr std::array<Choice<NonNegativity>, 4> choices(NonNegativity) {
    return {{{"none", NonNegativity::none},
             {"penalty", NonNegativity::penalty},
             {"truncation", NonNegativity::truncation},
             {"truncation_with_penalty", NonNegativity::truncation_with_penalty}}};
}

enum class BoundSlopes { secant, tangent };
constexpr std::array<Choice<BoundSlopes>, 2> choices(BoundSlopes) {
    return {{{"secant", BoundSlopes::secant}, {"tangent", BoundSlopes::tangent}}};
}

struct InflowNonNegativity {
    NonNegativity method = NonNegativity::penalty;
    BoundSlopes bound_slopes = BoundSlopes::secant;  ///< Cobre's are tangents
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("method",
                   method,
                   {"What happens to negative inflows that are drawn. none: they stay, and a plant "
                    "without water has no solution; penalty: what is missing may be added at "
                    "inflow_nonnegativity_cost; truncation: they are cut off at 0; "
                    "truncation_with_penalty: both"});
        f.optional(
            "bound_slopes",
            bound_slopes,
            {"Where inflows with memory are truncated. secant: the lower bound is one; tangent: it "
             "is computed as by Cobre and may exceed the optimum. Not in Cobre"});
        f.replaced("penalty_cost", R"(the cost is "inflow_nonnegativity_cost" of penalties.json)");
    }
};

struct Modeling {
    InflowNonNegativity inflow_non_negativity;
    std::optional<double> cost_scale_factor;  ///< of Cobre's LP; ours scales itself
    template <typename Fields>
    void fields(Fields& f) {
        f.optional(
            "inflow_non_negativity", inflow_non_negativity, {"How negative inflows are treated"});
        f.optional("cost_scale_factor",
                   cost_scale_factor,
                   {"Divisor of costs in Cobre's LPs. Read, without effect: LPs are scaled by what "
                    "they hold",
                    "1000000",
                    dimensionless},
                   positive);
    }
};

enum class OrderSelection { pacf, pacf_annual };
constexpr std::array<Choice<OrderSelection>, 2> choices(OrderSelection) {
    return {{{"pacf", OrderSelection::pacf}, {"pacf_annual", OrderSelection::pacf_annual}}};
}

struct Estimation {
    int max_order = 6;
    OrderSelection order_selection = OrderSelection::pacf;
    int min_observations_per_season = 30;
    std::optional<double> max_coefficient_magnitude;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("max_order",
                   max_order,
                   {"Highest order of an inflow model that is fitted to the record"},
                   at_least(0));
        f.optional("order_selection",
                   order_selection,
                   {"How the order of a season is found. pacf: by partial autocorrelations; "
                    "pacf_annual: the same, with a term of the last twelve months' mean"});
        f.optional("min_observations_per_season",
                   min_observations_per_season,
                   {"A season with fewer values in the record gets a warning"},
                   at_least(0));
        f.optional("max_coefficient_magnitude",
                   max_coefficient_magnitude,
                   {"A season that is fitted a larger standardised coefficient gets order 0; null: "
                    "no limit",
                    "3",
                    dimensionless},
                   positive);
    }
};

/// Values that Cobre has and this program has not; no part of its format.
struct Compat {
    bool rounded_moments = false;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("rounded_moments",
                   rounded_moments,
                   {"true: a month of the record of which more than half the values round to one "
                    "whole number has that mean and no deviation, as in Cobre; false: the mean and "
                    "deviation of its values, as small rivers need"});
    }
};

enum class PolicyMode { fresh, warm_start, resume };
constexpr std::array<Choice<PolicyMode>, 3> choices(PolicyMode) {
    return {{{"fresh", PolicyMode::fresh},
             {"warm_start", PolicyMode::warm_start},
             {"resume", PolicyMode::resume}}};
}

struct Boundary {
    std::string path;
    bool strict = false;
    template <typename Fields>
    void fields(Fields& f) {
        f.required(
            "path",
            path,
            {"Folder of the other policy, relative to the case", "../next-year/output/policy"});
        f.optional("strict",
                   strict,
                   {"Whether a policy that prices what this study does not model is refused"});
    }
};

struct Checkpointing {
    std::optional<bool> enabled;
    std::optional<int> initial_iteration;
    std::optional<int> interval_iterations;
    std::optional<bool> store_basis;
    std::optional<bool> compress;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("enabled",
                   enabled,
                   {"Whether training writes checkpoints that --resume goes on from; null: false"});
        f.optional("initial_iteration",
                   initial_iteration,
                   {"Iteration of the first one; null: the interval", "10"},
                   at_least(1));
        f.optional("interval_iterations",
                   interval_iterations,
                   {"Iterations between two; null: 10", "10"},
                   at_least(1));
        f.optional("store_basis",
                   store_basis,
                   {"Whether bases are stored. Read, without effect: checkpoints hold all that the "
                    "same bits need"});
        f.optional(
            "compress", compress, {"Whether checkpoints are compressed. Read, without effect"});
    }
};

struct Policy {
    std::string path = "./policy";
    PolicyMode mode = PolicyMode::fresh;
    bool validate_compatibility = true;
    std::optional<Boundary> boundary;
    Checkpointing checkpointing;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional(
            "path", path, {"Folder of the policy, relative to the output directory and within it"});
        f.optional("mode",
                   mode,
                   {"fresh: training begins anew; warm_start, resume: not supported yet, --resume "
                    "goes on from a checkpoint"});
        f.optional("validate_compatibility",
                   validate_compatibility,
                   {"Whether a policy that is read has to fit the case. Read, without effect: it "
                    "always has to"});
        f.optional(
            "boundary", boundary, {"Policy that prices the end of the study. Not supported yet"});
        f.optional("checkpointing", checkpointing, {"Checkpoints of the training"});
    }
};

struct Lipschitz {
    std::optional<std::string> mode;
    std::optional<double> fallback_value;
    std::optional<double> scale_factor;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("mode", mode, {"How its constants are found", "auto"});
        f.optional("fallback_value",
                   fallback_value,
                   {"Constant where none is found", "1000", dimensionless});
        f.optional("scale_factor", scale_factor, {"Factor of the constants", "1.1"});
    }
};

struct UpperBoundEvaluation {
    std::optional<bool> enabled;
    std::optional<int> initial_iteration;
    std::optional<int> interval_iterations;
    std::optional<Lipschitz> lipschitz;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("enabled",
                   enabled,
                   {"Whether an inner approximation is evaluated; only false is taken"});
        f.optional(
            "initial_iteration", initial_iteration, {"First iteration with it", "10"}, at_least(0));
        f.optional("interval_iterations",
                   interval_iterations,
                   {"Iterations between two", "10"},
                   at_least(1));
        f.optional("lipschitz", lipschitz, {"Lipschitz constants of the cost-to-go"});
    }
};

struct Exports {
    bool states = false;
    bool stochastic = false;
    bool fpha_deviation_points = false;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("states", states, {"Whether visited states are written. Not supported yet"});
        f.optional("stochastic",
                   stochastic,
                   {"Whether the process of inflows, loads and availabilities is written as input "
                    "files, into stochastic/"});
        f.optional("fpha_deviation_points",
                   fpha_deviation_points,
                   {"Whether errors of fitted planes are written. Not supported yet"});
    }
};

struct Config {
    Modeling modeling;
    Training training;
    UpperBoundEvaluation upper_bound_evaluation;
    Policy policy;
    Simulation simulation;
    Exports exports;
    Estimation estimation;
    Compat compat;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("modeling", modeling, {"What the model leaves open"});
        f.required("training", training, {"Training of the policy"});
        f.optional("upper_bound_evaluation",
                   upper_bound_evaluation,
                   {"A deterministic upper bound. Not supported yet"});
        f.optional("policy", policy, {"Where the policy is kept"});
        f.optional("simulation", simulation, {"Simulation of the policy"});
        f.optional("exports", exports, {"What is written besides"});
        f.optional("estimation",
                   estimation,
                   {"How inflow models are fitted to scenarios/inflow_history.parquet where they "
                    "are not given"});
        f.optional(
            "compat", compat, {"Values that Cobre has and this program has not. Not in Cobre"});
    }
};

}  // namespace lockstep::formats::cobre::raw
