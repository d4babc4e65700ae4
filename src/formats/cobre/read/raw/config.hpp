#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/cobre/read/raw/config/cut_selection.hpp"
#include "formats/cobre/read/raw/config/modeling.hpp"
#include "formats/cobre/read/raw/config/policy.hpp"
#include "formats/cobre/read/raw/config/scenario_source.hpp"
#include "formats/cobre/read/raw/config/selection.hpp"
#include "formats/cobre/read/raw/config/solver.hpp"
#include "formats/cobre/read/raw/config/stopping.hpp"
#include "formats/cobre/records.hpp"
#include "formats/records/about.hpp"
#include "formats/records/fields.hpp"

namespace lockstep::formats::cobre::raw {

// config.json, as written.

struct Training {
    bool enabled = true;
    std::optional<std::int64_t> tree_seed;
    TrainingSelection selection;
    std::vector<StoppingRule> stopping_rules;
    StoppingMode stopping_mode = StoppingMode::any;
    CutSelection cut_selection;
    bool multi_cut = false;
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
        f.optional(
            "multi_cut",
            multi_cut,
            {"Whether the future has a cost, and a trial point a cut, for each outcome that "
             "may follow; false: one cut of their weighted mean. Not with an entropic part of "
             "a risk measure"});
        f.optional("parallelism", parallelism, {"How work is dealt out. Read, without effect"});
        f.optional("solver", solver, {"Tolerances of the LP solver"});
        f.optional(
            "scenario_source", scenario_source, {"Where trajectories and openings come from"});
    }
};

struct Simulation {
    bool enabled = false;
    SimulationSelection selection;
    int num_cycles = 1;
    int io_channel_capacity = 64;
    std::optional<ScenarioSource> scenario_source;
    std::optional<SolverProfile> solver;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("enabled", enabled, {"Whether the policy is simulated after training"});
        f.replaced("num_scenarios",
                   R"(use "selection": {"method": "sampled", "num_scenarios": n})");
        f.optional("selection", selection, {"How many scenarios are simulated"});
        f.optional("num_cycles",
                   num_cycles,
                   {"Passages of a scenario through the stages of a cyclic policy graph"},
                   at_least(1));
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

struct Lipschitz {
    std::optional<std::string> mode;
    std::optional<double> fallback_value;
    std::optional<double> scale_factor;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("mode",
                   mode,
                   {"How prices of states are found: by the cheapest answer to a "
                    "change that is always open",
                    "auto"});
        f.optional("fallback_value",
                   fallback_value,
                   {"Price of a state of which a change has no answer by itself, $ per unit of "
                    "the state; the bound is one only if it is not too low; null: none",
                    "1000",
                    dimensionless});
        f.optional("scale_factor", scale_factor, {"Factor of fallback_value; null: 1", "1.1"});
    }
};

enum class UpperBoundMethod { inner, importance_sampling };
constexpr std::array<Choice<UpperBoundMethod>, 2> choices(UpperBoundMethod) {
    return {{{"inner", UpperBoundMethod::inner},
             {"importance_sampling", UpperBoundMethod::importance_sampling}}};
}

struct UpperBoundEvaluation {
    std::optional<bool> enabled;
    UpperBoundMethod method = UpperBoundMethod::inner;
    int num_paths = 20;
    std::optional<int> initial_iteration;
    std::optional<int> interval_iterations;
    std::optional<Lipschitz> lipschitz;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("enabled",
                   enabled,
                   {"Whether what the policy costs is evaluated beside the mean of trajectories, "
                    "also where stages are averse to risk"});
        f.optional("method",
                   method,
                   {"inner: an upper bound from within, which gives a true gap; "
                    "importance_sampling: an estimate of the policy's cost under its risk measures "
                    "from paths drawn by their weights, which is cheaper on large systems. Not in "
                    "Cobre"});
        f.optional("num_paths",
                   num_paths,
                   {"Paths of an estimate by importance_sampling. Not in Cobre", "50"},
                   at_least(1));
        f.optional("initial_iteration",
                   initial_iteration,
                   {"First iteration with it; null: the interval", "10"},
                   at_least(1));
        f.optional("interval_iterations",
                   interval_iterations,
                   {"Iterations between two; null: 10", "10"},
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
        f.optional("states",
                   states,
                   {"Whether the policy has the states that training visited, in states/"});
        f.optional("stochastic",
                   stochastic,
                   {"Whether the process of inflows, loads and availabilities is written as input "
                    "files, into stochastic/"});
        f.optional("fpha_deviation_points",
                   fpha_deviation_points,
                   {"Whether what fitted planes allow is written, point by point of their grids"});
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

/// Whether a source takes its openings from scenarios/noise_openings.parquet.
inline bool takes_openings_file(const Config& config) {
    const auto takes = [](const ScenarioSource& source) {
        return source.openings && source.openings->source == OpeningsSource::file;
    };
    return takes(config.training.scenario_source) ||
           (config.simulation.scenario_source && takes(*config.simulation.scenario_source));
}

}  // namespace lockstep::formats::cobre::raw
