#include "app/job.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lockstep/base/error.hpp"
#include "lockstep/formats/cobre/policy_files.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/runtime/rounds.hpp"
#include "lockstep/runtime/topology.hpp"
#include "lockstep/sddp/place_tables.hpp"

#include "app/bridge.hpp"
#include "app/checkpoints.hpp"
#include "app/circumstances.hpp"
#include "app/failure.hpp"
#include "app/metrics.hpp"

namespace lockstep::app {
namespace {

namespace cobre = formats::cobre;
namespace fs = std::filesystem;

std::string headline(const fs::path& directory, const Problems& problems) {
    return fmt::format("{} has {} error{}",
                       directory.string(),
                       problems.error_count(),
                       problems.error_count() == 1 ? "" : "s");
}

// An output directory may be somebody's folder: only files that a run writes go.
void remove_stale(const fs::path& file) {
    std::error_code code;
    fs::remove(file, code);
    if (code)
        throw IoError(
            fmt::format(
                "{} of an earlier run cannot be removed: {}", file.string(), code.message()),
            IoError::Direction::write);
}

void remove_stale_infeasible(const fs::path& training) {
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(training, code))
        if (entry.path().filename().string().starts_with("infeasible-"))
            remove_stale(entry.path());
}

// Of ranks that were killed while they wrote.
void remove_temporaries(const fs::path& output, const fs::path& policy) {
    io::remove_temporaries(output, io::Subfolders::no);
    for (const auto& folder : {output / "training", output / "simulation", policy})
        io::remove_temporaries(folder, io::Subfolders::yes);
    io::remove_temporaries(output / Checkpoints::folder, io::Subfolders::yes);
}

void check_writable(const fs::path& directory) {
    const auto probe = directory / ".lockstep-probe";
    io::write_file(probe, "x");
    remove_stale(probe);
}

cobre::PolicyInfo policy_info(const Prepared& prepared, const sddp::TrainResult& result) {
    cobre::PolicyInfo info;
    info.created_at = utc_now();
    info.completed_iterations = static_cast<int>(result.iterations.size());
    info.forward_passes = prepared.input.config.train.forward_passes;
    info.lower_bound = result.lower_bound;
    info.upper_bound = result.upper_bound;
    for (const auto& report : result.iterations)
        info.lower_bound_history.push_back(report.lower_bound);
    info.tree_seed = prepared.problem.process.resolved.tree_seed;
    info.input_digest = prepared.input.input_digest;
    return info;
}

void apply(const RunRequest& request, cobre::Config& config) {
    config.train.speed = config.simulate.speed = request.speed;
    if (request.solver)
        config.train.solver = config.simulate.solver = *request.solver;
    if (request.checkpoint_iterations)
        config.train.checkpoint_iterations = *request.checkpoint_iterations;
    if (request.checkpoint_minutes)
        config.train.checkpoint_seconds = 60 * *request.checkpoint_minutes;
}

std::string loss_text(const runtime::Loss& loss) {
    return fmt::format("lost rank{} {}: {}. {} on {}; what was under way is done again",
                       loss.ranks.size() == 1 ? "" : "s",
                       fmt::join(loss.ranks, ", "),
                       loss.cause,
                       loss.survivors == 1 ? "One rank goes" : "The others go",
                       loss.survivors == 1 ? "alone" : fmt::format("as {} ranks", loss.survivors));
}

}  // namespace

Job::Job(const RunRequest& request, comm::Communicator& ranks, RunObserver& observer)
    : request_(request),
      ranks_(ranks),
      observer_(observer),
      threads_(1),
      team_{ranks, threads_, survival()},
      output_(request.output_directory.empty() ? request.case_directory / "output"
                                               : request.output_directory) {
    info_.started_at = utc_now();
    section([&] {
        problems_ = {};
        comm::agree(ranks_, [&] {
            prepared_ = prepare(request.case_directory, request.settings, problems_);
            problems_.throw_if_errors(headline(request.case_directory, problems_));
        });
        check_same_input();
        info_.borrowed_bytes = ranks_.allreduce(sddp::place_tables(prepared_.problem, team_.node()),
                                                comm::ReduceOp::sum);
        threads_ = runtime::ThreadTeam(request.threads > 0 ? request.threads
                                                           : runtime::fair_threads(*team_.node()));
        info_.hosts = host_names(ranks_);
    });
    apply(request, config());
    for (const auto& warning : problems_.all())
        info_.warnings.push_back(to_string(warning));
    info_.backend = ranks_.backend();
    info_.ranks = ranks_.size();
    info_.threads_per_rank = threads_.size();
    info_.setup_seconds = prepared_.setup_seconds;
    info_.settings = request.settings;
}

// Ranks on different hosts may see different files under one name.
void Job::check_same_input() {
    if (!comm::is_equal_on_all(ranks_, prepared_.input.input_digest))
        throw InputError(fmt::format("{}: the ranks read different files under this name",
                                     request_.case_directory.string()));
}

runtime::Survival Job::survival() {
    if (!request_.continue_after_loss)
        return {};
    return runtime::Survival([this](const runtime::Loss& loss) {
        has_losses_ = true;
        observer_.on_notice(loss_text(loss));
    });
}

void Job::section(const std::function<void()>& body) {
    runtime::run_section(ranks_, team_.survival, body);
}

void Job::on_root(const std::function<void()>& body) {
    section([&] {
        comm::agree(ranks_, [&] {
            if (ranks_.rank() == 0)
                body();
        });
    });
}

fs::path Job::policy_directory() const {
    return (output_ / prepared_.input.config.policy_path).lexically_normal();
}

void Job::clear_output(bool training) {
    on_root([&] {
        io::make_folder(output_);
        remove_temporaries(output_, policy_directory());
        check_writable(output_);
        remove_stale(output_ / "report.html");
        cobre::clear_simulation(output_);
        if (!training)
            return;
        for (const auto* name : {"training/_SUCCESS", "training/metadata.json"})
            remove_stale(output_ / name);
        cobre::clear_stochastic(output_);
        remove_stale(policy_directory() / "manifest.json");
        remove_stale_infeasible(output_ / "training");
    });
}

void Job::tell_start(bool trains, bool simulates) {
    const auto& system = prepared_.problem.system;
    const auto size = [](const auto& items) { return static_cast<int>(items.size()); };
    RunStart start;
    start.case_name = case_name(request_.case_directory);
    start.case_directory = request_.case_directory;
    start.output_directory = output_;
    start.stages = prepared_.problem.stage_count();
    start.hydros = size(system.hydros);
    start.thermals = size(system.thermals);
    start.buses = size(system.buses);
    start.lines = size(system.lines);
    start.sources = size(system.sources);
    start.constraints = size(system.constraints);
    start.state_size = prepared_.problem.state_size();
    start.trains = trains;
    start.simulates = simulates;
    start.train = config().train;
    start.simulate = config().simulate;
    start.ranks = ranks_.size();
    start.threads = threads_.size();
    start.backend = ranks_.backend();
    observer_.on_start(start);
    for (const auto& warning : problems_.all())
        observer_.on_warning(warning);
}

sddp::Policy Job::train() {
    info_.solver_version = solver_version(config().train.solver);
    Checkpoints checkpoints(output_, prepared_.input, observer_);
    std::unique_ptr<runtime::EngineState> from;
    if (request_.resume)
        section([&] { from = checkpoints.newest(ranks_); });
    Bridge bridge(
        observer_,
        {},
        [&](const runtime::EngineState& state) { checkpoints.keep(ranks_, state); },
        [&](const sddp::IterationReport& report) { write_metrics(report); });
    auto result = sddp::train(prepared_.problem, config().train, team_, bridge, from.get());
    ended_early_ = result.stop == sddp::StopReason::cancelled;
    on_root([&] { write_training(result); });
    section([&] { comm::agree(ranks_, [&] { bridge.rethrow(); }); });
    if (result.failure)
        fail(*result.failure, "training");
    observer_.on_training_end(result);
    return std::move(result.policy);
}

void Job::write_metrics(const sddp::IterationReport& report) {
    if (ranks_.rank() == 0 && !request_.metrics_file.empty())
        io::write_file(request_.metrics_file, prometheus_text(report));
}

void Job::write_training(const sddp::TrainResult& result) {
    write_policy(result);
    if (result.failure)
        io::write_file(infeasible_file(output_ / "training", *result.failure), result.failure->mps);
    cobre::write_training(output_, prepared_.input, prepared_.problem, result, info_now());
}

void Job::write_policy(const sddp::TrainResult& result) {
    if (!result.iterations.empty())
        cobre::write_policy(
            policy_directory(), prepared_.problem, result.policy, policy_info(prepared_, result));
}

sddp::Policy Job::read_policy(const fs::path& directory) {
    sddp::Policy policy;
    section([&] {
        comm::agree(ranks_, [&] { policy = cobre::read_policy(directory, prepared_.problem); });
    });
    info_.policy_mode = "load";
    return policy;
}

void Job::simulate(sddp::Policy policy) {
    info_.solver_version = solver_version(config().simulate.solver);
    cobre::SimulationWriter writer(output_, prepared_.problem);
    Bridge bridge(observer_, [&](const sddp::ScenarioResult& result) { writer.add(result); });
    const auto result =
        sddp::simulate(prepared_.problem, std::move(policy), config().simulate, team_, bridge);
    ended_early_ = result.cancelled;
    section([&] {
        comm::agree(ranks_, [&] {
            bridge.rethrow();
            writer.sync();
        });
    });
    on_root([&] {
        if (result.failure)
            io::write_file(infeasible_file(output_ / "simulation", *result.failure),
                           result.failure->mps);
        writer.finish(prepared_.input, result, info_now());
    });
    if (result.failure)
        fail(*result.failure, "simulation");
    observer_.on_simulation_end(result);
}

void Job::fail(const sddp::Failure& failure, const char* part) {
    throw ModelError(failure_text(
        failure, prepared_.problem.calendar, infeasible_file(output_ / part, failure)));
}

cobre::RunInfo Job::info_now() {
    info_.completed_at = utc_now();
    return info_;
}

RunOutcome Job::outcome() {
    RunOutcome outcome;
    section([&] {
        const auto signal =
            ranks_.allreduce(std::int32_t{runtime::SignalGuard::received()}, comm::ReduceOp::max);
        outcome.signal = ended_early_ ? signal : 0;
    });
    on_root([&] {
        if (has_losses_)
            remove_temporaries(output_, policy_directory());
        outcome.summary = summarize(output_);
    });
    return outcome;
}

}  // namespace lockstep::app
