#pragma once

#include <array>
#include <optional>

#include "formats/cobre/records.hpp"
#include "formats/records/about.hpp"
#include "formats/records/fields.hpp"

namespace lockstep::formats::cobre::raw {

// config.json, as written. How training shares its work, and what the LP solver is told.

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
                   {"How the dual simplex method weighs rows. devex: as the solver chooses itself; "
                    "others: with HiGHS, which then solves"});
        f.optional("scale",
                   scale,
                   {"Scaling by the solver, on top of ours. solver_scaling: with HiGHS, which then "
                    "solves"});
        f.optional(
            "price",
            price,
            {"How rows are priced. row: with HiGHS, which then solves", R"("row_hyper_sparse")"});
        f.optional("presolve",
                   presolve,
                   {"Presolve of the LP solver. Read, without effect: LPs have a start basis, with "
                    "which none is done"});
        f.optional("simplex_update_limit",
                   simplex_update_limit,
                   {"Most updates of a factorisation, with HiGHS, which then solves", "5000"},
                   at_least(1));
        f.optional("cost_perturbation",
                   cost_perturbation,
                   {"Perturbation of costs by the solver; above 0: with HiGHS, which then solves",
                    "0",
                    dimensionless},
                   non_negative);
        f.optional("refactor_error_tolerance",
                   refactor_error_tolerance,
                   {"Error that asks for a new factorisation, with HiGHS, which then solves",
                    "1e-6",
                    dimensionless},
                   positive);
        f.optional("factor_pivot_threshold",
                   factor_pivot_threshold,
                   {"Threshold of pivots in the factorisation, from 0.0008 to 0.5, with HiGHS, "
                    "which then solves",
                    "0.1",
                    dimensionless},
                   positive);
        f.optional("use_warm_start",
                   use_warm_start,
                   {"Whether solves begin from stored bases; null: true. false is slower and for "
                    "comparison"});
        f.optional("steepest_edge_devex_fallback_threshold",
                   steepest_edge_devex_fallback_threshold,
                   {"When steepest edge gives way to devex, with HiGHS, which then solves",
                    "10",
                    dimensionless},
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
        f.optional("forward", forward, {"LP solver in the forward pass"});
        f.optional("backward", backward, {"LP solver in the backward pass and of the bounds"});
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

}  // namespace lockstep::formats::cobre::raw
