#include "app/sddp/case_run.hpp"

#include <algorithm>
#include <span>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/formats/cobre/policy_files.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/sddp/place_tables.hpp"

#include "app/job/circumstances.hpp"
#include "app/job/stale.hpp"
#include "app/sddp/bridge.hpp"
#include "app/sddp/failure.hpp"
#include "app/sddp/policy_place.hpp"
#include "app/sddp/progress.hpp"
#include "app/sddp/start_facts.hpp"
#include "app/sddp/summary_parts.hpp"

namespace lockstep::app {
namespace {

namespace cobre = formats::cobre;
namespace fs = std::filesystem;

void remove_stale_models(const fs::path& part) {
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(part, code)) {
        if (is_infeasible_file(entry.path().filename().string())) {
            remove_stale(entry.path());
        }
    }
}

void clear_training(const fs::path& output) {
    cobre::clear_training(output);
    cobre::clear_stochastic(output);
    remove_stale_models(output / "training");
}

void clear_simulation(const fs::path& output) {
    cobre::clear_simulation(output);
    remove_stale_models(output / "simulation");
}

cobre::PolicyInfo policy_info(const Prepared& prepared, const sddp::TrainResult& result) {
    cobre::PolicyInfo info;
    info.created_at = utc_now();
    info.completed_iterations = result.completed();
    info.forward_passes = prepared.input.config.train.forward_passes;
    info.lower_bound = result.lower_bound;
    info.upper_bound = result.upper_bound;
    info.lower_bound_history = result.earlier_bounds;
    for (const auto& report : result.iterations) {
        info.lower_bound_history.push_back(report.lower_bound);
    }
    info.tree_seed = prepared.problem.process.resolved.tree_seed;
    info.input_digest = prepared.input.input_digest;
    return info;
}

template <typename T>
void override_by(const std::optional<T>& wish, T& value) {
    if (wish) {
        value = *wish;
    }
}

void apply(const CaseRequest& request, sddp::SpeedOptions& speed) {
    override_by(request.lazy_cuts, speed.lazy_cuts);
    override_by(request.ordered_openings, speed.ordered_openings);
    override_by(request.warm_start, speed.warm_start);
    override_by(request.substitute_evaporation, speed.substitute_evaporation);
}

void apply(const CaseRequest& request, cobre::Config& config) {
    apply(request, config.train.speed);
    if (config.train.forward) {
        override_by(request.warm_start, config.train.forward->warm_start);
    }
    apply(request, config.simulate.speed);
    override_by(request.solver, config.train.solver);
    override_by(request.solver, config.simulate.solver);
    override_by(request.run.checkpoints.iterations, config.train.checkpoint_iterations);
    if (request.run.checkpoints.minutes) {
        config.train.checkpoint_seconds = 60 * *request.run.checkpoints.minutes;
    }
}

bool sets_policy_path(const std::vector<formats::Setting>& settings) {
    return std::any_of(settings.begin(), settings.end(), [](const formats::Setting& setting) {
        return setting.first == "policy.path" || setting.first == "policy";
    });
}

// Nothing where it is none, so that older checkpoints fit.
void add_profile(const lp::HighsProfile& profile, DigestBuilder& builder) {
    if (profile == lp::HighsProfile{}) {
        return;
    }
    builder.add(profile.edge_weight ? static_cast<double>(*profile.edge_weight) : -1);
    for (const bool choice : {profile.scales, profile.prices_by_rows}) {
        builder.add(choice);
    }
    builder.add(static_cast<double>(profile.update_limit.value_or(0)));
    builder.add(profile.cost_perturbation);
    for (const auto& number :
         {profile.rebuild_tolerance, profile.pivot_threshold, profile.devex_threshold}) {
        builder.add(number.value_or(0));
    }
}

// What decides bits beside the case's files.
Digest options_digest(const Prepared& prepared) {
    const auto& input = prepared.input;
    const auto& train = input.config.train;
    DigestBuilder builder;
    builder.add(input.training_digest[0]);
    builder.add(input.training_digest[1]);
    builder.add(lp::to_string(train.solver));
    builder.add(train.tolerances.primal_tolerance);
    builder.add(train.tolerances.dual_tolerance);
    add_profile(train.tolerances.highs, builder);
    for (const bool option : {train.speed.lazy_cuts,
                              train.speed.ordered_openings,
                              train.speed.warm_start,
                              train.speed.substitute_evaporation}) {
        builder.add(option);
    }
    if (train.forward) {
        builder.add(train.forward->tolerances.primal_tolerance);
        builder.add(train.forward->tolerances.dual_tolerance);
        add_profile(train.forward->tolerances.highs, builder);
        builder.add(train.forward->warm_start);
    }
    if (train.keep_states) {
        builder.add(train.keep_states);
    }
    if (input.config.policy_mode != cobre::PolicyMode::fresh) {
        builder.add(static_cast<int>(input.config.policy_mode));
    }
    builder.add(std::span<const double>(prepared.problem.boundary.intercept));
    builder.add(std::span<const double>(prepared.problem.boundary.slopes.rows()));
    return builder.digest();
}

}  // namespace

CaseRun::CaseRun(const CaseRequest& request, comm::Communicator& ranks, Observer& observer)
    : request_(request), job_(request.run, "sddp", ranks, observer) {
    job_.read_input([&](Problems& problems) {
        prepared_ = prepare(request.run.input, request.run.settings, problems);
        if (!problems.has_errors() && !sets_policy_path(request.run.settings)) {
            check_policy_place(policy_directory(), request.run.input, job_.output());
        }
        if (!request.scenarios_from.empty() && !problems.has_errors()) {
            take_scenarios(request.scenarios_from, prepared_, problems);
        }
        return prepared_.input.input_digest;
    });
    job_.place_in_node_memory(
        [&](runtime::Team& team) { return sddp::place_tables(prepared_.problem, team.node()); });
    apply(request, config());
    summary_.directory = job_.output();
}

fs::path CaseRun::policy_directory() const {
    return (job_.output() / prepared_.input.config.policy_path).lexically_normal();
}

sddp::Policy CaseRun::read_policy(const fs::path& directory) {
    sddp::Policy policy;
    job_.section([&] {
        comm::agree(job_.ranks(),
                    [&] { policy = cobre::read_policy(directory, prepared_.problem); });
    });
    policy_mode_ = "load";
    return policy;
}

void CaseRun::find_checkpoint() {
    checkpoints_ = std::make_unique<Checkpoints>(
        job_.checkpoints(prepared_.input.model_digest, options_digest(prepared_), "iteration"));
    if (!request_.run.resume) {
        return;
    }
    job_.section([&] { resume_from_ = checkpoints_->newest(job_.ranks()); });
    if (resume_from_) {
        policy_mode_ = "resume";
    }
}

bool CaseRun::read_earlier_training() {
    const auto mode = config().policy_mode;
    if (resume_from_ || mode == cobre::PolicyMode::fresh) {
        return false;
    }
    const auto directory = policy_directory();
    earlier_.policy = read_policy(directory);
    policy_mode_ = "warm_start";
    if (mode == cobre::PolicyMode::warm_start) {
        return false;
    }
    policy_mode_ = "resume";
    job_.section([&] {
        comm::agree(job_.ranks(), [&] {
            earlier_.lower_bounds = cobre::read_policy_info(directory).lower_bound_history;
        });
    });
    const auto done = static_cast<int>(earlier_.lower_bounds.size());
    const auto limit = config().train.iteration_limit();
    if (done < limit) {
        return false;
    }
    job_.warn({ProblemKind::model_quality,
               "config.json",
               "training.stopping_rules",
               fmt::format("the policy of {} has {} of at most {}: nothing is trained",
                           directory.string(),
                           plural(done, "iteration"),
                           limit)});
    return true;
}

void CaseRun::claim_output(bool trains, bool simulates) {
    const auto& output = job_.output();
    std::vector<std::string> parts = {"simulation"};  // an older one is of another policy
    if (trains) {
        parts.emplace_back("training");
    }
    job_.claim_output({output / "training", output / "simulation", policy_directory()}, parts, [&] {
        remove_stale(output / "report.html");
        clear_simulation(output);
        if (trains) {
            clear_training(output);
        }
        // One that training begins with is valid until there is another.
        if (trains && config().policy_mode == cobre::PolicyMode::fresh) {
            remove_stale(policy_directory() / "manifest.bin");
        }
    });
    job_.start(start_facts(request_, prepared_, trains, simulates));
}

sddp::Policy CaseRun::train() {
    solver_version_ = solver_version(config().train.solver);
    const auto keep = [&](const runtime::EngineState& state) {
        checkpoints_->keep(job_.ranks(), state);
    };
    Bridge bridge(
        job_,
        config().train,
        {},
        keep,
        cobre::is_risk_averse(prepared_.problem.calendar) || prepared_.problem.graph.is_cyclic());
    auto result = sddp::train(prepared_.problem,
                              config().train,
                              job_.team(),
                              bridge,
                              resume_from_.get(),
                              std::move(earlier_));
    if (result.stop == sddp::StopReason::cancelled) {
        job_.note_early_end();
    }
    job_.on_root([&] { write_training(result); });
    job_.add_part({"training",
                   to_string(result.digest),
                   cobre::is_whole(result),
                   {"training", prepared_.input.config.policy_path}});
    has_trained_ = true;
    job_.section([&] { comm::agree(job_.ranks(), [&] { bridge.rethrow(); }); });
    if (result.failure) {
        fail(*result.failure, "training");
    }
    job_.tell(end_of(result));
    return std::move(result.policy);
}

void CaseRun::write_training(const sddp::TrainResult& result) {
    const auto folder = job_.output() / "training";
    write_policy(result);
    if (result.failure) {
        io::write_file(infeasible_file(folder, *result.failure), result.failure->mps);
    }
    const auto metadata =
        cobre::write_training(job_.output(), prepared_.input, prepared_.problem, result, info());
    add_training(summary_, metadata, result);
}

void CaseRun::write_policy(const sddp::TrainResult& result) {
    if (!result.iterations.empty()) {
        cobre::write_policy(
            policy_directory(), prepared_.problem, result.policy, policy_info(prepared_, result));
    }
}

void CaseRun::simulate(sddp::Policy policy) {
    solver_version_ = solver_version(config().simulate.solver);
    const auto layout = request_.scenario_folders ? cobre::SimulationLayout::folders
                                                  : cobre::SimulationLayout::parts;
    cobre::SimulationWriter writer(job_.output(), prepared_.problem, {layout, job_.ranks().size()});
    Bridge bridge(
        job_, config().train, [&](const sddp::ScenarioResult& result) { writer.add(result); });
    const auto result = sddp::simulate(
        prepared_.problem, std::move(policy), config().simulate, job_.team(), bridge);
    if (result.cancelled) {
        job_.note_early_end();
    }
    job_.section([&] {
        comm::agree(job_.ranks(), [&] {
            bridge.rethrow();
            writer.sync();
        });
    });
    job_.on_root([&] {
        if (result.failure) {
            io::write_file(infeasible_file(job_.output() / "simulation", *result.failure),
                           result.failure->mps);
        }
        add_simulation(summary_, writer.finish(prepared_.input, result, info()));
    });
    job_.on_root([&] { writer.tidy(); });  // not before: a first rank that is lost is replaced
    job_.add_part(
        {"simulation", to_string(result.digest), cobre::is_whole(result), {"simulation"}});
    has_simulated_ = true;
    if (result.failure) {
        fail(*result.failure, "simulation");
    }
    job_.tell(end_of(result));
}

void CaseRun::fail(const sddp::Failure& failure, const char* part) {
    job_.finish();
    throw ModelError(failure_text(
        failure, prepared_.problem.calendar, infeasible_file(job_.output() / part, failure)));
}

cobre::RunInfo CaseRun::info() const {
    cobre::RunInfo info;
    static_cast<formats::RunRecord&>(info) = job_.record();
    info.solver_version = solver_version_;
    info.policy_mode = policy_mode_;
    info.setup_seconds = prepared_.setup_seconds;
    return info;
}

CaseOutcome CaseRun::outcome() {
    job_.on_root([&] {
        // The rank that wrote a part may be gone.
        if (has_trained_ > summary_.training.has_value() ||
            has_simulated_ > summary_.simulation.has_value()) {
            summary_ = summarize(job_.output());
        } else if (!summary_.training) {
            add_training_on_disk(summary_);
        }
    });
    return {job_.finish(), summary_};
}

}  // namespace lockstep::app
