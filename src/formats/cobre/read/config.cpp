#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

#include "formats/cobre/resolve/resolve.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr const char* file = "config.json";

void wrong(Problems& problems, const char* path, std::string message) {
    problems.add(ProblemKind::business_rule_violation, file, path, std::move(message));
}

sddp::StoppingRule resolve_stalling(const raw::StoppingRule& rule) {
    sddp::StoppingRule out{
        sddp::StoppingRule::Kind::bound_stalling, rule.iterations, 0, rule.tolerance};
    out.absolute_tolerance = rule.absolute_tolerance;
    out.min_iterations = rule.min_iterations;
    out.max_gap = rule.max_gap.value_or(out.max_gap);
    return out;
}

sddp::StoppingRule resolve_gap(const raw::StoppingRule& rule) {
    constexpr double percent = 0.01;
    sddp::StoppingRule out;
    out.kind = sddp::StoppingRule::Kind::gap;
    out.absolute_tolerance = rule.gap_tolerance.value_or(0);
    out.tolerance = percent * rule.relative_tolerance.value_or(0);
    return out;
}

sddp::StoppingRule resolve_rule(const raw::StoppingRule& rule) {
    using Kind = sddp::StoppingRule::Kind;
    switch (rule.type) {
        case raw::RuleType::time_limit:
            return {Kind::time_limit, 0, rule.seconds, 0};
        case raw::RuleType::bound_stalling:
            return resolve_stalling(rule);
        case raw::RuleType::gap:
            return resolve_gap(rule);
        default:
            return {Kind::iteration_limit, rule.limit, 0, 0};
    }
}

void check_rules(const std::vector<raw::StoppingRule>& rules, Problems& problems) {
    const bool is_limited = std::any_of(rules.begin(), rules.end(), [](const auto& rule) {
        return rule.type == raw::RuleType::iteration_limit;
    });
    for (const auto& rule : rules) {
        if (rule.type == raw::RuleType::gap && !rule.gap_tolerance && !rule.relative_tolerance) {
            wrong(problems,
                  "training.stopping_rules",
                  "a rule of type \"gap\" needs \"tolerance\" or \"relative_tolerance\"");
        }
    }
    if (!is_limited) {
        wrong(problems,
              "training.stopping_rules",
              "at least one rule of type \"iteration_limit\" is required");
    }
}

// What our solvers do unasked is no choice.
lp::HighsProfile resolve_highs(const raw::SolverProfile& raw) {
    using EdgeWeight = lp::HighsProfile::EdgeWeight;
    lp::HighsProfile profile;
    if (raw.dual_edge_weight == raw::EdgeWeight::steepest_edge) {
        profile.edge_weight = EdgeWeight::steepest_edge;
    } else if (raw.dual_edge_weight == raw::EdgeWeight::dantzig) {
        profile.edge_weight = EdgeWeight::dantzig;
    }
    profile.scales = raw.scale == raw::Scale::solver_scaling;
    profile.prices_by_rows = raw.price == raw::Price::row;
    profile.update_limit = raw.simplex_update_limit;
    profile.cost_perturbation = raw.cost_perturbation.value_or(0);
    profile.rebuild_tolerance = raw.refactor_error_tolerance;
    profile.pivot_threshold = raw.factor_pivot_threshold;
    profile.devex_threshold = raw.steepest_edge_devex_fallback_threshold;
    return profile;
}

lp::SolverOptions resolve_tolerances(const raw::SolverProfile& profile) {
    lp::SolverOptions options;
    options.primal_tolerance =
        profile.primal_feasibility_tolerance.value_or(options.primal_tolerance);
    options.dual_tolerance = profile.dual_feasibility_tolerance.value_or(options.dual_tolerance);
    options.highs = resolve_highs(profile);
    return options;
}

// Choices that only HiGHS has, so it solves.
template <typename Options>
void resolve_solver(const std::optional<raw::SolverProfile>& given, Options& options) {
    const raw::SolverProfile profile = given.value_or(raw::SolverProfile{});
    options.tolerances = resolve_tolerances(profile);
    options.speed.warm_start = profile.use_warm_start.value_or(true);
    if (options.tolerances.highs != lp::HighsProfile{}) {
        options.solver = lp::SolverKind::highs;
    }
}

void resolve_forward_solver(const std::optional<raw::SolverProfile>& given,
                            sddp::TrainOptions& options) {
    sddp::TrainOptions forward;
    resolve_solver(given, forward);
    const sddp::PassSolver own{forward.tolerances, forward.speed.warm_start};
    if (own != sddp::PassSolver{options.tolerances, options.speed.warm_start}) {
        options.forward = own;
    }
    if (own.tolerances.highs != lp::HighsProfile{}) {
        options.solver = lp::SolverKind::highs;
    }
}

void check_profile(const std::optional<raw::SolverProfile>& profile,
                   const char* path,
                   Problems& problems) {
    try {
        resolve_tolerances(profile.value_or(raw::SolverProfile{})).validate();
    } catch (const InputError& error) {
        wrong(problems, path, error.what());
    }
}

void resolve_checkpoints(const raw::Checkpointing& checkpoints, sddp::TrainOptions& options) {
    if (!checkpoints.enabled.value_or(false)) {
        return;
    }
    options.checkpoint_iterations = checkpoints.interval_iterations.value_or(10);
    options.checkpoint_first = checkpoints.initial_iteration.value_or(0);
}

// Tolerances of costs are those of an objective divided by cost_scale_factor.
void resolve_dynamic(const raw::CutSelectionRule& rule,
                     double cost_scale,
                     sddp::TrainOptions& options) {
    options.speed.seed_window = rule.seed_window;
    options.speed.cuts_per_round = rule.max_added_per_round;
    options.speed.violation = rule.violation_tolerance * cost_scale;
    options.speed.lazy_from = rule.start_iteration;
    if (rule.candidate_recency) {
        options.selection.method = sddp::CutSelection::Method::recent;
        options.selection.window = *rule.candidate_recency;
    }
}

void resolve_selection(const raw::CutSelection& cuts,
                       double cost_scale,
                       sddp::TrainOptions& options) {
    using Method = sddp::CutSelection::Method;
    options.speed.activity = cuts.row_activity_tolerance;
    options.selection.most_selected = cuts.max_active_per_stage.value_or(0);
    if (!cuts.selection) {
        return;
    }
    const raw::CutSelectionRule& rule = *cuts.selection;
    options.selection.every = rule.check_frequency;
    switch (rule.method) {
        case raw::CutSelectionMethod::level1:
        case raw::CutSelectionMethod::lml1:
            options.selection.method =
                rule.method == raw::CutSelectionMethod::lml1 ? Method::lml1 : Method::level1;
            options.selection.tolerance = rule.tie_tolerance * cost_scale;
            break;
        case raw::CutSelectionMethod::domination:
            options.selection.method = Method::level1;
            options.selection.tolerance = rule.domination_tolerance * cost_scale;
            break;
        case raw::CutSelectionMethod::dynamic:
            resolve_dynamic(rule, cost_scale, options);
            break;
    }
}

sddp::TrainOptions resolve_training(const raw::Training& training,
                                    double cost_scale,
                                    Problems& problems) {
    check_rules(training.stopping_rules, problems);
    sddp::TrainOptions options;
    options.forward_passes = training.selection.forward_passes;
    options.enumerated = training.selection.method == raw::SelectionMethod::enumerated;
    for (const raw::StoppingRule& rule : training.stopping_rules) {
        options.stopping.push_back(resolve_rule(rule));
    }
    options.stop_when_all = training.stopping_mode == raw::StoppingMode::all;
    resolve_selection(training.cut_selection, cost_scale, options);
    resolve_solver(training.solver.backward, options);
    resolve_forward_solver(training.solver.forward, options);
    return options;
}

void resolve_upper_bound(const raw::UpperBoundEvaluation& raw, sddp::TrainOptions& options) {
    if (!raw.enabled.value_or(false)) {
        return;
    }
    const int every = raw.interval_iterations.value_or(10);
    const int first = raw.initial_iteration.value_or(every);
    if (raw.method == raw::UpperBoundMethod::importance_sampling) {
        options.policy_cost = {every, first, raw.num_paths};
        return;
    }
    const raw::Lipschitz prices = raw.lipschitz.value_or(raw::Lipschitz{});
    options.inner = {
        every, first, prices.fallback_value.value_or(0) * prices.scale_factor.value_or(1)};
}

sddp::SimulateOptions resolve_simulation(const raw::Simulation& simulation) {
    sddp::SimulateOptions options;
    options.scenarios = simulation.selection.num_scenarios;
    options.cycles = simulation.num_cycles;
    options.enumerated = simulation.selection.method == raw::SelectionMethod::enumerated;
    resolve_solver(simulation.solver, options);
    return options;
}

bool is_in_sample(const raw::ScenarioSource& source) {
    using raw::Scheme;
    return source.inflow.scheme == Scheme::in_sample && source.load.scheme == Scheme::in_sample &&
           source.ncs.scheme == Scheme::in_sample;
}

void check_source(const raw::ScenarioSource& source, const char* path, Problems& problems) {
    if (!is_in_sample(source) && !source.seed) {
        wrong(problems, path, "\"seed\" is required unless every scheme is \"in_sample\"");
    }
    if (source.historical_years && source.inflow.scheme != raw::Scheme::historical) {
        wrong(problems, path, "\"historical_years\" needs the inflow scheme \"historical\"");
    }
    if (source.load.scheme == raw::Scheme::historical ||
        source.ncs.scheme == raw::Scheme::historical) {
        wrong(problems, path, "the scheme \"historical\" is for inflow only");
    }
}

}  // namespace

Config resolve_config(const raw::Config& config, Problems& problems) {
    check_source(config.training.scenario_source, "training.scenario_source", problems);
    if (config.simulation.scenario_source) {
        check_source(*config.simulation.scenario_source, "simulation.scenario_source", problems);
    }
    check_profile(config.training.solver.forward, "training.solver.forward", problems);
    check_profile(config.training.solver.backward, "training.solver.backward", problems);
    check_profile(config.simulation.solver, "simulation.solver", problems);
    Config out;
    out.training_enabled = config.training.enabled;
    out.train = resolve_training(
        config.training, config.modeling.cost_scale_factor.value_or(1e6), problems);
    resolve_checkpoints(config.policy.checkpointing, out.train);
    out.simulation_enabled = config.simulation.enabled;
    out.simulate = resolve_simulation(config.simulation);
    resolve_upper_bound(config.upper_bound_evaluation, out.train);
    out.train.speed.multi_cut = out.simulate.speed.multi_cut = config.training.multi_cut;
    out.policy_path = config.policy.path;
    out.policy_mode = config.policy.mode;
    if (config.policy.boundary) {
        out.boundary_path = config.policy.boundary->path;
        out.is_boundary_strict = config.policy.boundary->strict;
    }
    out.export_stochastic = config.exports.stochastic;
    out.train.keep_states = config.exports.states;
    out.export_fitting_points = config.exports.fpha_deviation_points;
    return out;
}

}  // namespace lockstep::formats::cobre
