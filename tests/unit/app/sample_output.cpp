#include "sample_output.hpp"

#include <cstdint>
#include <utility>

#include "lockstep/formats/cobre/output.hpp"
#include "lockstep/formats/cobre/policy_files.hpp"
#include "lockstep/formats/records/output_metadata.hpp"

#include "support/tiny_problem.hpp"

namespace lockstep::app {
namespace {

constexpr int stages = 3;
constexpr int hydros = 2;

sddp::Problem sample_problem() {
    auto problem = test::tiny_problem(stages, 720);
    auto day = Date{std::chrono::year{2026} / 1 / 1};
    for (auto& stage : problem.calendar.stages) {
        stage.start = day;
        const std::chrono::year_month_day date(day);
        stage.end = day = Date{date.year() / (date.month() + std::chrono::months{1}) / 1};
    }
    problem.system.buses[0].name = "SOUTHEAST";
    test::add_tiny_hydro(problem, 50, 100);
    test::add_tiny_hydro(problem, 80, 200);
    problem.system.hydros[0].id = 6;
    problem.system.hydros[0].name = "FURNAS";
    problem.system.hydros[1].id = 7;
    problem.system.hydros[1].name = "M. MORAES";
    problem.system.hydros[0].downstream = 1;
    auto thermal = test::tiny_thermal(problem, 50, 20);
    thermal.name = "ANGRA";
    problem.system.thermals.push_back(thermal);
    return problem;
}

sddp::IterationReport sample_iteration(int iteration) {
    sddp::IterationReport report;
    report.iteration = iteration;
    report.lower_bound = 1e7 * iteration;
    report.upper_bound = 2.5e7;
    report.upper_bound_std = 2e6;
    report.half_width_95 = 1.96 * 2e6 / 2;
    report.gap = (report.upper_bound - report.lower_bound) / report.lower_bound;
    report.cuts_added = 2 * (stages - 1);
    report.cuts_active = std::int64_t{2} * (stages - 1) * iteration;
    report.mean_cuts_in_lp = 2;
    report.forward = {12, 12, 40, 0, 0.01, 0.02};
    report.backward = {24, 24, 60, 0, 0.02, 0.03};
    report.bound = {1, 1, 3, 0, 0.001, 0.001};
    report.wall_seconds = 0.06;
    report.elapsed_seconds = 0.06 * iteration;
    return report;
}

sddp::StageCuts sample_cuts() {
    sddp::StageCuts cuts;
    cuts.slopes = sddp::CutSlopes({hydros, 0, 0});
    for (auto cut = 0; cut < 4; ++cut) {
        cuts.intercept.push_back(1e6 * (cut + 1));
        std::vector<double> slopes;
        for (auto hydro = 0; hydro < hydros; ++hydro) {
            slopes.push_back(-100.0 * (hydro + 1) - cut);
        }
        cuts.slopes.add(slopes);
        cuts.iteration.push_back(cut / 2 + 1);
        cuts.trajectory.push_back(cut % 2);
        cuts.active.push_back(1);
    }
    return cuts;
}

sddp::StageResult sample_stage(int stage, int scenario) {
    sddp::StageResult result;
    result.stage = stage;
    result.blocks = 1;
    result.cost.thermal = 1e6 * (stage + 1) + 1e5 * scenario;
    result.cost.deficit = scenario == 3 ? 5e5 : 0;
    result.cost.immediate = result.cost.thermal + result.cost.deficit;
    auto& hydro = result.hydro;
    const std::vector<double> zero(hydros);
    for (auto* values : {&hydro.evaporation_m3s,
                         &hydro.evaporation_above_m3s,
                         &hydro.evaporation_below_m3s,
                         &hydro.withdrawal_above_m3s,
                         &hydro.withdrawal_below_m3s,
                         &hydro.inflow_slack_m3s,
                         &hydro.storage_below_hm3,
                         &hydro.water_value_per_hm3,
                         &hydro.spillage_m3s,
                         &hydro.diverted_m3s,
                         &hydro.arriving_m3s,
                         &hydro.turbined_slack_m3s,
                         &hydro.outflow_slack_below_m3s,
                         &hydro.outflow_slack_above_m3s,
                         &hydro.generation_slack_mw,
                         &hydro.spillage_cost}) {
        *values = zero;
    }
    hydro.storage_initial_hm3 = {50.0 - 5 * stage, 80.0 + scenario};
    hydro.storage_final_hm3 = {45.0 - 5 * stage, 80.0 + 2 * scenario};
    hydro.incremental_inflow_m3s = {10, 20};
    hydro.turbined_m3s = hydro.generation_mw = {12, 24};
    result.cell.hydro = {0, 1};
    result.cell.bus = {0, 0};
    result.cell.turbined_m3s = result.cell.generation_mw = hydro.turbined_m3s;
    result.thermal_mw = {10.0 + scenario};
    result.committed_mw = result.decided_mw = {0};
    result.load_mw = {50};
    result.deficit_mw = {scenario == 3 ? 2.0 : 0.0};
    result.excess_mw = {0};
    result.spot_price = {scenario == 3 ? 100.0 : 50.0};
    return result;
}

std::vector<sddp::ScenarioResult> sample_scenarios() {
    std::vector<sddp::ScenarioResult> scenarios;
    for (auto scenario = 0; scenario < 4; ++scenario) {
        sddp::ScenarioResult result;
        result.scenario = scenario;
        for (auto stage = 0; stage < stages; ++stage) {
            result.stages.push_back(sample_stage(stage, scenario));
            result.total_cost += result.stages.back().cost.immediate;
        }
        scenarios.push_back(std::move(result));
    }
    return scenarios;
}

formats::cobre::RunInfo run_info(const SampleOutput& sample) {
    formats::cobre::RunInfo info;
    info.started_at = "2026-01-31T12:00:00Z";
    info.completed_at = "2026-01-31T12:00:01Z";
    info.hosts = {"node1"};
    info.threads_per_rank = sample.threads;
    info.settings = {{"training.tree_seed", "7"}};
    return info;
}

formats::OutputPart training_part(const SampleOutput& sample) {
    return {"training", to_string(sample.training.digest), true, {"training", "policy"}};
}

formats::OutputPart simulation_part(const SampleOutput& sample) {
    return {"simulation", to_string(sample.simulation.digest), true, {"simulation"}};
}

void write_root(const std::filesystem::path& directory, std::vector<formats::OutputPart> parts) {
    formats::OutputMetadata metadata;
    metadata.engine = "sddp";
    metadata.input = "cases/two plants";
    metadata.parts = std::move(parts);
    formats::write_output_metadata(directory, metadata);
}

}  // namespace

SampleOutput::SampleOutput() : problem(sample_problem()), scenarios(sample_scenarios()) {
    input.directory = "cases/two plants";
    input.config.train.forward_passes = 4;
    input.config.train.stopping = {{sddp::StoppingRule::Kind::iteration_limit, 2, 0, 0}};
    input.config.simulate.scenarios = 4;
    training.policy.stages = {sample_cuts(), sample_cuts(), {}};
    training.iterations = {sample_iteration(1), sample_iteration(2)};
    training.lower_bound = 2e7;
    training.upper_bound = 2.5e7;
    training.digest = {1, 2};
    training.seconds = 0.12;
    for (const auto& scenario : scenarios) {
        simulation.total_cost.push_back(scenario.total_cost);
    }
    simulation.mean = 2.4e7;
    simulation.std = 1e6;
    simulation.half_width_95 = 0.98e6;
    simulation.digest = {3, 4};
    simulation.work.solves = 12;
    simulation.seconds = 0.5;
}

void SampleOutput::write_training(const std::filesystem::path& directory) const {
    formats::cobre::write_policy(directory / "policy", problem, training.policy, {});
    formats::cobre::write_training(directory, input, problem, training, run_info(*this));
    write_root(directory, {training_part(*this)});
}

void SampleOutput::write_simulation(const std::filesystem::path& directory) const {
    formats::cobre::SimulationWriter writer(directory, problem);
    for (const auto& scenario : scenarios) {
        writer.add(scenario);
    }
    writer.finish(input, simulation, run_info(*this));
    write_root(directory, {simulation_part(*this)});
}

void SampleOutput::write(const std::filesystem::path& directory) const {
    write_training(directory);
    write_simulation(directory);
    write_root(directory, {training_part(*this), simulation_part(*this)});
}

}  // namespace lockstep::app
