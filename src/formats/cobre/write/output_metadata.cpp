#include "formats/cobre/write/output_metadata.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>

#include "lockstep/base/build_info.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/formats/cobre/output.hpp"

#include "formats/cobre/write/output_files.hpp"
#include "formats/cobre/write/tables/solver.hpp"

namespace lockstep::formats::cobre {

bool is_whole(const sddp::TrainResult& result) {
    using enum sddp::StopReason;
    return !result.failure && (result.stop == iteration_limit || result.stop == time_limit ||
                               result.stop == bound_stalling || result.stop == gap);
}

bool is_whole(const sddp::SimulateResult& result) {
    return !result.cancelled && !result.failure;
}

bool is_risk_averse(const sddp::Calendar& calendar) {
    return std::any_of(calendar.stages.begin(), calendar.stages.end(), [](const auto& stage) {
        return !stage.risk.is_neutral();
    });
}

}  // namespace lockstep::formats::cobre

namespace lockstep::formats::cobre::out {
namespace {

using io::Json;

Json integer(std::size_t value) {
    return static_cast<std::int64_t>(value);
}

Json text_or_null(const std::string& text) {
    return text.empty() ? Json() : Json(text);
}

Json texts(const std::vector<std::string>& values) {
    Json out = Json::array();
    for (const std::string& value : values) {
        out.push(value);
    }
    return out;
}

Json build() {
    const BuildInfo& info = build_info();
    Json libraries = Json::object();
    for (const BuildInfo::Library& library : info.libraries) {
        libraries.set(library.name, library.version);
    }
    return Json::Object{{"commit", info.commit},
                        {"compiler", info.compiler},
                        {"flags", info.flags},
                        {"build_type", info.build_type},
                        {"libraries", libraries}};
}

Json distribution(const RunInfo& run) {
    return Json::Object{{"backend", run.backend},
                        {"world_size", run.ranks},
                        {"ranks_participated", run.ranks},
                        {"num_hosts", integer(run.hosts.size())},
                        {"hosts", texts(run.hosts)},
                        {"threads_per_rank", run.threads_per_rank},
                        {"mpi_library", text_or_null(run.mpi_library)},
                        {"case_bytes_saved", run.borrowed_bytes}};
}

Json dimensions(const sddp::Problem& problem) {
    const sddp::System& system = problem.system;
    return Json::Object{{"num_stages", problem.stage_count()},
                        {"num_hydros", integer(system.hydros.size())},
                        {"num_thermals", integer(system.thermals.size())},
                        {"num_buses", integer(system.buses.size())},
                        {"num_lines", integer(system.lines.size())},
                        {"num_non_controllables", integer(system.sources.size())},
                        {"num_contracts", integer(system.contracts.size())},
                        {"num_pumping_stations", integer(system.pumping_stations.size())},
                        {"num_batteries", integer(system.batteries.size())},
                        {"num_generic_constraints", integer(system.constraints.size())},
                        {"inflow_lags", problem.process.inflow.lags},
                        {"state_dimension", problem.state_size()}};
}

Json block_hours(const sddp::Stage& stage) {
    Json out = Json::array();
    for (const sddp::Block& block : stage.blocks) {
        out.push(block.hours);
    }
    return out;
}

Json stages(const sddp::Calendar& calendar) {
    Json out = Json::array();
    for (const sddp::Stage& stage : calendar.stages) {
        out.push(Json::Object{{"id", stage.id},
                              {"start_date", to_iso(stage.start)},
                              {"end_date", to_iso(stage.end)},
                              {"hours", stage.hours()},
                              {"block_hours", block_hours(stage)},
                              {"openings", stage.openings}});
    }
    return out;
}

Json setup(const RunInfo& run) {
    Json out = Json::object();
    for (const auto& [phase, seconds] : run.setup_seconds) {
        out.set(phase + "_seconds", seconds);
    }
    return out;
}

Json settings(const RunInfo& run) {
    Json out = Json::object();
    for (const auto& [key, value] : run.settings) {
        out.set(key, value);
    }
    return out;
}

Json failure(const std::optional<sddp::Failure>& failed, const sddp::Calendar& calendar) {
    if (!failed) {
        return {};
    }
    return Json::Object{{"phase", to_string(failed->phase)},
                        {"iteration", failed->iteration},
                        {"stage_id", calendar.stages[at(failed->stage)].id},
                        {"scenario_id", failed->scenario},
                        {"opening_index", failed->opening < 0 ? Json() : Json(failed->opening)},
                        {"status", lp::to_string(failed->status)},
                        {"conflicting_rows", texts(failed->conflicting_rows)}};
}

/// What both parts of an output say first.
Json header(const CaseFacts& input, const RunInfo& run, lp::SolverKind solver, double seconds) {
    return Json::Object{{"software", "lockstep"},
                        {"software_version", build_info().version},
                        {"build", build()},
                        {"hostname", run.hosts.empty() ? Json() : Json(run.hosts.front())},
                        {"solver", lp::to_string(solver)},
                        {"solver_version", text_or_null(run.solver_version)},
                        {"started_at", run.started_at},
                        {"completed_at", run.completed_at},
                        {"duration_seconds", seconds},
                        {"input_digest", to_string(input.input_digest)}};
}

void add_circumstances(Json& out,
                       const CaseFacts& input,
                       const sddp::Problem& problem,
                       const RunInfo& run) {
    out.set("setup", setup(run));
    out.set("distribution", distribution(run));
    out.set("problem_dimensions", dimensions(problem));
    out.set("stages", stages(problem.calendar));
    out.set("settings", settings(run));
    out.set("warnings", texts(run.warnings));
    out.set("case_directory", input.directory.string());
    out.set("curtailment_constant", sddp::curtailment_constant(problem));
    out.set("risk_averse", is_risk_averse(problem.calendar));
    out.set("cyclic", problem.graph.is_cyclic());
}

Json iteration_limit(const sddp::TrainOptions& options) {
    const int limit = options.iteration_limit();
    return limit > 0 ? Json(limit) : Json();
}

Json configuration(const CaseFacts& input, const sddp::Problem& problem, const RunInfo& run) {
    const sddp::TrainOptions& options = input.config.train;
    return Json::Object{{"seed", problem.process.resolved.tree_seed},
                        {"max_iterations", iteration_limit(options)},
                        {"forward_passes", options.forward_passes},
                        {"stopping_mode", options.stop_when_all ? "all" : "any"},
                        {"policy_mode", run.policy_mode}};
}

Json season_bounds(const sddp::TrainResult& result, const sddp::Problem& problem) {
    Json list = Json::array();
    for (std::size_t t = 0; t < result.season_bounds.size(); ++t) {
        list.push(Json::Object{{"stage_id", problem.calendar.stages[t].id},
                               {"lower_bound", result.season_bounds[t]}});
    }
    return list;
}

Json bounds(const sddp::TrainResult& result, const sddp::Problem& problem) {
    if (result.iterations.empty()) {
        return Json::object();
    }
    const bool is_exact = result.iterations.back().is_upper_bound_exact;
    const double inner = result.iterations.back().inner_bound;
    Json out = Json::Object{
        {"final_lower_bound", result.lower_bound},
        {"final_lower_bound_kind",
         sddp::has_valid_bound(problem.calendar, problem.process) ? "exact" : "estimate"},
        {"final_upper_bound", result.upper_bound},
        {"final_upper_bound_std",
         is_exact ? Json() : Json(result.iterations.back().upper_bound_std)},
        {"final_upper_bound_kind", is_exact ? "exact" : "statistical"}};
    if (std::isfinite(inner)) {
        out.set("inner_upper_bound", inner);
    }
    if (const auto& last = result.iterations.back(); std::isfinite(last.policy_cost)) {
        out.set("policy_cost",
                Json::Object{{"mean", last.policy_cost},
                             {"half_width_95", last.policy_cost_half_width_95}});
    }
    if (!result.season_bounds.empty()) {
        out.set("season_lower_bounds", season_bounds(result, problem));
    }
    return out;
}

Json convergence(const sddp::TrainResult& result) {
    const Json gap = result.iterations.empty() ? Json() : Json(100 * result.iterations.back().gap);
    return Json::Object{{"achieved", result.has_converged},
                        {"final_gap_percent", gap},
                        {"termination_reason", to_string(result.stop)}};
}

Json iterations(const sddp::TrainResult& result) {
    return Json::Object{
        {"completed", result.completed()},
        {"converged_at", result.has_converged ? Json(result.iterations.back().iteration) : Json()}};
}

using Retries = decltype(sddp::PhaseReport::retried);

// Nothing where there was none, as nearly always.
void add_retries(Json& work, const Retries& retried) {
    const auto last = std::find_if(
        retried.rbegin(), retried.rend(), [](std::int64_t solves) { return solves > 0; });
    if (last != retried.rend()) {
        Json counts = Json::array();
        std::for_each(retried.begin(), last.base(), [&](std::int64_t n) { counts.push(n); });
        work.set("retried_by_attempts", std::move(counts));
    }
}

Json training_work(const sddp::TrainResult& result, const RunInfo& run) {
    std::int64_t solves = 0;
    std::int64_t pivots = 0;
    std::int64_t retried = 0;
    Retries by_attempts{};
    double forward = 0;
    double backward = 0;
    for (const sddp::IterationReport& report : result.iterations) {
        for (const sddp::PhaseReport* phase : {&report.forward, &report.backward, &report.bound}) {
            solves += phase->solves;
            pivots += phase->pivots;
            retried += retried_solves(*phase);
            std::transform(phase->retried.begin(),
                           phase->retried.end(),
                           by_attempts.begin(),
                           by_attempts.begin(),
                           std::plus<>());
        }
        forward += report.forward.solve_seconds;
        backward += report.backward.solve_seconds;
    }
    Json out = Json::Object{{"total_lp_solves", solves},
                            {"first_try", solves - retried},
                            {"retried", retried},
                            {"simplex_iterations", pivots},
                            {"failed", result.failure ? 1 : 0},
                            {"forward_solve_seconds", forward},
                            {"backward_solve_seconds", backward},
                            {"parallelism", run.threads_per_rank}};
    add_retries(out, by_attempts);
    return out;
}

// What all ranks read in memory of others, at the end.
std::int64_t borrowed_bytes(const sddp::TrainResult& result) {
    std::int64_t bytes = 0;
    if (!result.iterations.empty()) {
        for (const sddp::RankReport& rank : result.iterations.back().ranks) {
            bytes += rank.borrowed_bytes;
        }
    }
    return bytes;
}

Json row_pool(const sddp::TrainResult& result) {
    std::int64_t generated = 0;
    std::int64_t active = 0;
    std::int64_t peak = 0;
    for (const sddp::IterationReport& report : result.iterations) {
        generated += report.cuts_added;
        active = report.cuts_active;
        peak = std::max(peak, report.cuts_active);
    }
    const double resident =
        result.iterations.empty() ? 0 : result.iterations.back().mean_cuts_in_lp;
    return Json::Object{{"total_generated", generated},
                        {"total_active", active},
                        {"peak_active", peak},
                        {"final_mean_rows_in_lp", resident},
                        {"bytes_saved", borrowed_bytes(result)}};
}

}  // namespace

Json training_metadata(const CaseFacts& input,
                       const sddp::Problem& problem,
                       const sddp::TrainResult& result,
                       const RunInfo& run) {
    Json out = header(input, run, input.config.train.solver, result.seconds);
    out.set("status", is_whole(result) ? "complete" : "partial");
    out.set("digest", to_string(result.digest));
    out.set("configuration", configuration(input, problem, run));
    out.set("iterations", iterations(result));
    out.set("convergence", convergence(result));
    out.set("bounds", bounds(result, problem));
    out.set("solve_stats", training_work(result, run));
    out.set("row_pool", row_pool(result));
    out.set("failure", failure(result.failure, problem.calendar));
    add_circumstances(out, input, problem, run);
    return out;
}

Json simulation_metadata(const CaseFacts& input,
                         const sddp::Problem& problem,
                         const sddp::SimulateResult& result,
                         const RunInfo& run) {
    Json out = header(input, run, input.config.simulate.solver, result.seconds);
    out.set("status", is_whole(result) ? "complete" : "partial");
    out.set("digest", to_string(result.digest));
    out.set("scenarios",
            Json::Object{{"total", input.config.simulate.scenarios},
                         {"completed", integer(result.total_cost.size())},
                         {"failed", result.failure ? 1 : 0}});
    out.set("cost",
            Json::Object{{"mean_cost", result.mean},
                         {"std_cost", result.std},
                         {"half_width_95", result.half_width_95}});
    Json work = Json::Object{{"total_lp_solves", result.work.solves},
                             {"first_try", result.work.solves - retried_solves(result.work)},
                             {"retried", retried_solves(result.work)},
                             {"simplex_iterations", result.work.pivots},
                             {"solve_seconds", result.work.solve_seconds}};
    add_retries(work, result.work.retried);
    out.set("solve_stats", std::move(work));
    out.set("failure", failure(result.failure, problem.calendar));
    add_circumstances(out, input, problem, run);
    return out;
}

}  // namespace lockstep::formats::cobre::out
