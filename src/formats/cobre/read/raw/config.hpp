#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/cobre/records.hpp"
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
        f.required("method", method);
        if (f.when(method == SelectionMethod::sampled)) {
            f.required("forward_passes", forward_passes, count);
        }
    }
};

struct SimulationSelection {
    SelectionMethod method = SelectionMethod::sampled;
    int num_scenarios = 2000;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("method", method);
        if (f.when(method == SelectionMethod::sampled)) {
            f.optional("num_scenarios", num_scenarios, {1, 1e7});
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
        f.required("type", type);
        if (f.when(type == RuleType::iteration_limit)) {
            f.required("limit", limit, at_least(1));
        }
        if (f.when(type == RuleType::time_limit)) {
            f.required("seconds", seconds, positive);
        }
        if (f.when(type == RuleType::bound_stalling)) {
            f.required("iterations", iterations, at_least(1));
            f.required("tolerance", tolerance, non_negative);
            f.optional("absolute_tolerance", absolute_tolerance, non_negative);
            f.optional("min_iterations", min_iterations, at_least(0));
            f.optional("max_gap", max_gap, non_negative);
        }
        if (f.when(type == RuleType::gap)) {
            f.optional("tolerance", gap_tolerance, non_negative);
            f.optional("relative_tolerance", relative_tolerance, non_negative);
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
        f.required("method", method);
        if (f.when(method == level1 || method == lml1)) {
            f.optional("tie_tolerance", tie_tolerance, non_negative);
        }
        if (f.when(method == domination)) {
            f.required("domination_tolerance", domination_tolerance, non_negative);
        }
        if (f.when(method != dynamic)) {
            f.optional("check_frequency", check_frequency, at_least(1));
        }
        if (f.when(method == dynamic)) {
            f.optional("seed_window", seed_window, at_least(0));
            f.optional("max_added_per_round", max_added_per_round, at_least(1));
            f.optional("violation_tolerance", violation_tolerance, positive);
            f.optional("start_iteration", start_iteration, at_least(1));
            f.optional("candidate_recency", candidate_recency, at_least(1));
        }
    }
};

struct CutSelection {
    std::optional<CutSelectionRule> selection;
    double row_activity_tolerance = 0;
    std::optional<int> max_active_per_stage;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("selection", selection);
        f.optional("row_activity_tolerance", row_activity_tolerance, non_negative);
        f.optional("max_active_per_stage", max_active_per_stage, at_least(1));
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
        f.required("method", method);
        if (f.when(method == SchedulerMethod::by_node)) {
            f.optional("block_size", block_size, at_least(1));
        }
    }
};

struct Parallelism {
    Scheduler backward_scheduler;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("backward_scheduler", backward_scheduler);
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
        f.optional("primal_feasibility_tolerance", primal_feasibility_tolerance, positive);
        f.optional("dual_feasibility_tolerance", dual_feasibility_tolerance, positive);
        f.optional("dual_edge_weight", dual_edge_weight);
        f.optional("scale", scale);
        f.optional("price", price);
        f.optional("presolve", presolve);
        f.optional("simplex_update_limit", simplex_update_limit, at_least(1));
        f.optional("cost_perturbation", cost_perturbation, non_negative);
        f.optional("refactor_error_tolerance", refactor_error_tolerance, positive);
        f.optional("factor_pivot_threshold", factor_pivot_threshold, positive);
        f.optional("use_warm_start", use_warm_start);
        f.optional("steepest_edge_devex_fallback_threshold",
                   steepest_edge_devex_fallback_threshold,
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
        f.optional("forward", forward);
        f.optional("backward", backward);
        f.optional("retry_max_attempts", retry_max_attempts, at_least(0));
        f.optional("retry_time_budget_seconds", retry_time_budget_seconds, non_negative);
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
        f.optional("scheme", scheme);
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
        f.required("source", source);
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
        f.optional("seed", seed);
        f.optional("historical_years", historical_years);
        f.optional("inflow", inflow);
        f.optional("load", load);
        f.optional("ncs", ncs);
        f.optional("openings", openings);
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
        f.optional("enabled", enabled);
        f.optional("tree_seed", tree_seed);
        f.replaced("forward_passes",
                   R"(use "selection": {"method": "sampled", "forward_passes": n})");
        f.required("selection", selection);
        f.required("stopping_rules", stopping_rules);
        f.optional("stopping_mode", stopping_mode);
        f.optional("cut_selection", cut_selection);
        f.optional("parallelism", parallelism);
        f.optional("solver", solver);
        f.optional("scenario_source", scenario_source);
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
        f.optional("enabled", enabled);
        f.replaced("num_scenarios",
                   R"(use "selection": {"method": "sampled", "num_scenarios": n})");
        f.optional("selection", selection);
        f.optional("io_channel_capacity", io_channel_capacity, at_least(1));
        f.optional("scenario_source", scenario_source);
        f.optional("solver", solver);
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
        f.optional("method", method);
        f.optional("bound_slopes", bound_slopes);
        f.replaced("penalty_cost", R"(the cost is "inflow_nonnegativity_cost" of penalties.json)");
    }
};

struct Modeling {
    InflowNonNegativity inflow_non_negativity;
    std::optional<double> cost_scale_factor;  ///< of Cobre's LP; ours scales itself
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("inflow_non_negativity", inflow_non_negativity);
        f.optional("cost_scale_factor", cost_scale_factor, positive);
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
        f.optional("max_order", max_order, at_least(0));
        f.optional("order_selection", order_selection);
        f.optional("min_observations_per_season", min_observations_per_season, at_least(0));
        f.optional("max_coefficient_magnitude", max_coefficient_magnitude, positive);
    }
};

/// Values that Cobre has and this program has not; no part of its format.
struct Compat {
    bool rounded_moments = false;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("rounded_moments", rounded_moments);
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
        f.required("path", path);
        f.optional("strict", strict);
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
        f.optional("enabled", enabled);
        f.optional("initial_iteration", initial_iteration, at_least(1));
        f.optional("interval_iterations", interval_iterations, at_least(1));
        f.optional("store_basis", store_basis);
        f.optional("compress", compress);
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
        f.optional("path", path);
        f.optional("mode", mode);
        f.optional("validate_compatibility", validate_compatibility);
        f.optional("boundary", boundary);
        f.optional("checkpointing", checkpointing);
    }
};

struct Lipschitz {
    std::optional<std::string> mode;
    std::optional<double> fallback_value;
    std::optional<double> scale_factor;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("mode", mode);
        f.optional("fallback_value", fallback_value);
        f.optional("scale_factor", scale_factor);
    }
};

struct UpperBoundEvaluation {
    std::optional<bool> enabled;
    std::optional<int> initial_iteration;
    std::optional<int> interval_iterations;
    std::optional<Lipschitz> lipschitz;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("enabled", enabled);
        f.optional("initial_iteration", initial_iteration, at_least(0));
        f.optional("interval_iterations", interval_iterations, at_least(1));
        f.optional("lipschitz", lipschitz);
    }
};

struct Exports {
    bool states = false;
    bool stochastic = false;
    bool fpha_deviation_points = false;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("states", states);
        f.optional("stochastic", stochastic);
        f.optional("fpha_deviation_points", fpha_deviation_points);
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
        f.optional("modeling", modeling);
        f.required("training", training);
        f.optional("upper_bound_evaluation", upper_bound_evaluation);
        f.optional("policy", policy);
        f.optional("simulation", simulation);
        f.optional("exports", exports);
        f.optional("estimation", estimation);
        f.optional("compat", compat);
    }
};

}  // namespace lockstep::formats::cobre::raw
