#include "lockstep/app/rl/train.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/formats/rl/table_file.hpp"
#include "lockstep/rl/learn.hpp"
#include "lockstep/rl/serve.hpp"
#include "lockstep/runtime/topology.hpp"

#include "app/job/job.hpp"
#include "app/job/stale.hpp"
#include "app/rl/output_place.hpp"
#include "app/rl/require_memory.hpp"
#include "app/rl/subject.hpp"
#include "app/rl/train/memory.hpp"
#include "app/rl/train/oracle.hpp"
#include "app/rl/train/server_task.hpp"
#include "app/rl/train/train_bridge.hpp"
#include "app/rl/train/train_settings.hpp"
#include "app/wing.hpp"

namespace lockstep::app {
namespace {

using formats::rl::TrainingRecord;
constexpr auto part_name = "training";

void check_size(const char* option,
                const char* what,
                const std::optional<std::int64_t>& asked,
                std::int64_t found,
                const std::string& name) {
    if (asked && *asked != found) {
        throw InputError(fmt::format("{} is {}, but {} has {} {}: give {} or leave the option out",
                                     option,
                                     *asked,
                                     name,
                                     count(found),
                                     what,
                                     found));
    }
}

void check_sizes(const TrainSettings& settings, const Subject& subject) {
    const auto& record = subject.record;
    check_size("state_size", "states", settings.state_size, record.states, record.name);
    check_size("action_size", "actions", settings.action_size, record.actions, record.name);
}

int ranks_of_this_machine(const comm::Communicator& ranks) {
    int count = 0;
    for (int rank = 0; rank < ranks.size(); ++rank) {
        count += static_cast<int>(ranks.host(rank) == ranks.host(ranks.rank()));
    }
    return count;
}

// A longer run may go on from a shorter one's checkpoint.
Digest options_digest(const rl::LearnOptions& options) {
    DigestBuilder builder;
    if (options.first_table) {
        builder.add(std::string_view(to_string(digest_of(*options.first_table))));
    }
    for (const auto& [name, value] : as_settings(options)) {
        if (name != "steps" && name != "servers" && name != "rebalance_interval") {
            builder.add(std::string_view(name));
            builder.add(std::string_view(value));
        }
    }
    return builder.digest();
}

/// One call of train_process: what the job does not know. Steps are collective.
class TrainRun {
public:
    TrainRun(const RunRequest& run,
             TrainSettings settings,
             comm::Communicator& ranks,
             Observer& observer)
        : run_(run), settings_(std::move(settings)), job_(run_, "rl", ranks, observer) {
        job_.read_input([&](Problems& problems) {
            subject_ = read_subject(run_.input.string(), run_.settings, problems);
            if (!problems.has_errors()) {
                check_sizes(settings_, *subject_);
                load_model();
                require_memory(
                    "learning " + subject_->record.name,
                    memory(),
                    runtime::usable_memory(),
                    "fewer states, fewer --threads or ranks, --table-precision f32, or --mode "
                    "serial, which holds no copies of the table");
                world_ = rl::make_world(environment_of(*subject_));
            }
            return subject_->digest;
        });
        for (const auto& note : settings_.notes) {
            job_.observer().on_notice(Notice::news, note);
        }
        if (!settings_.is_discount_given && subject_->file && subject_->file->gamma) {
            settings_.learn.discount_factor = *subject_->file->gamma;
        }
    }

    /// Workers may come from here on.
    void listen(const comm::HubConfig& at) {
        if (job_.ranks().size() > 1) {
            throw InputError(
                "a server that workers connect to is one process: start it without a "
                "launcher");
        }
        if (settings_.learn.mode != rl::Mode::server) {
            throw InputError(fmt::format("mode is {}: must be server where workers connect",
                                         to_string(settings_.learn.mode)));
        }
        if (settings_.learn.servers != 1) {
            throw InputError(
                fmt::format("servers is {}: must be 1 where workers connect; the ranks of a job "
                            "divide the table",
                            settings_.learn.servers));
        }
        hub_.emplace(at);
        job_.observer().on_notice(
            Notice::news,
            fmt::format("serves workers: lockstep rl work {}:{}", at.host, hub_->port()));
    }

    void find_checkpoint() {
        checkpoints_ = std::make_unique<Checkpoints>(
            job_.checkpoints(subject_->digest, options_digest(settings_.learn), "round"));
        if (run_.resume) {
            job_.section([&] { resume_from_ = checkpoints_->newest(job_.ranks()); });
        }
    }

    void claim_output() {
        job_.claim_output({job_.output() / part_name}, {part_name, "evaluation"}, [&] { clear(); });
        job_.start(facts());
    }

    TrainOutcome train() {
        std::optional<Oracle> oracle;
        job_.on_root([&] { find_exact_values(oracle); });
        TrainBridge bridge(job_, settings_, head(), oracle, [&](const auto& state) {
            checkpoints_->keep(job_.ranks(), state);
        });
        const auto result = learn(bridge);
        if (result.ending == rl::LearnEnding::stopped) {
            job_.note_early_end();
        }
        job_.section([&] { comm::agree(job_.ranks(), [&] { bridge.rethrow(); }); });
        TrainOutcome outcome;
        job_.on_root([&] {
            outcome.record = record_of(result, oracle);
            write_table(result);
            formats::rl::write_training_record(job_.output(), outcome.record);
        });
        job_.add_part({part_name,
                       to_string(result.digest),
                       result.ending == rl::LearnEnding::done,
                       {part_name}});
        job_.tell(end_of(result));
        outcome.run = job_.finish();
        return outcome;
    }

private:
    [[nodiscard]] std::int64_t memory() {
        return memory_of_training(subject_->record.states,
                                  subject_->record.actions,
                                  settings_.learn,
                                  job_.team().threads.size(),
                                  ranks_of_this_machine(job_.ranks()));
    }

    void find_exact_values(std::optional<Oracle>& oracle) {
        OracleLimits limits;
        limits.when = settings_.exact_values;
        limits.bytes = std::max<std::int64_t>(0, runtime::usable_memory() - memory());
        limits.stop_requested = [&] { return job_.stop_requested(); };
        oracle.emplace(*subject_, settings_.learn.discount_factor, limits, job_.team().threads);
        if (!oracle->why_skipped().empty()) {
            job_.observer().on_notice(Notice::news, oracle->why_skipped());
        }
    }

    void load_model() {
        if (settings_.load_model.empty()) {
            return;
        }
        auto file =
            formats::rl::read_table(std::filesystem::path(settings_.load_model) / part_name);
        formats::rl::require_environment(file.record, subject_->record);
        settings_.learn.first_table = std::make_shared<const rl::QTable>(std::move(file.table));
    }

    rl::LearnResult learn(TrainBridge& bridge) {
        if (!hub_) {
            return rl::learn(*world_, settings_.learn, job_.team(), bridge, resume_from_.get());
        }
        return rl::serve(*world_,
                         settings_.learn,
                         job_.team(),
                         *hub_,
                         pack({subject_->record, settings_.learn, subject_->content}),
                         bridge,
                         resume_from_.get(),
                         serving());
    }
    [[nodiscard]] rl::ServeOptions serving() const {
        rl::ServeOptions options;
        options.heartbeat_seconds = settings_.heartbeat_seconds.value_or(options.heartbeat_seconds);
        if (settings_.timeout_seconds) {
            constexpr double share_suspected = 0.6;
            options.dead_heartbeats = *settings_.timeout_seconds / options.heartbeat_seconds;
            options.suspected_heartbeats = share_suspected * options.dead_heartbeats;
        }
        return options;
    }

    // Lines of rounds that are done again go; those before stay.
    void clear() {
        remove_stale(job_.output() / "report.html");
        for (const auto* file : formats::rl::training_files) {
            if (!resume_from_ || std::string_view(file) != "training/metrics.jsonl") {
                remove_stale(job_.output() / file);
            }
        }
        if (resume_from_) {
            formats::rl::cut_metrics(job_.output(), resume_from_->iteration());
        }
    }

    [[nodiscard]] RunFacts facts() const {
        const auto& record = subject_->record;
        const auto& learn = settings_.learn;
        RunFacts facts;
        facts.name = record.name;
        facts.headline = fmt::format("{}, {}, {} in mode {}",
                                     plural(record.states, "state"),
                                     plural(record.actions, "action"),
                                     to_string(learn.algorithm),
                                     to_string(learn.mode));
        facts.details = io::Json::Object{{"states", record.states}, {"actions", record.actions}};
        for (const auto& [name, value] : as_settings(learn)) {
            facts.details.set(name, value);
        }
        return facts;
    }

    void write_table(const rl::LearnResult& result) const {
        const formats::rl::TableRecord record{subject_->record,
                                              std::string(to_string(settings_.learn.algorithm)),
                                              settings_.learn.discount_factor,
                                              result.transitions,
                                              to_string(result.digest)};
        formats::rl::write_table(
            job_.output() / part_name,
            record,
            result.table,
            [&](int s) { return world_->mask(s); },
            names_of(*subject_));
    }

    [[nodiscard]] MetricsHead head() {
        return {job_.record().started_at, job_.ranks().size(), job_.team().threads.size()};
    }

    [[nodiscard]] TrainingRecord record_of(const rl::LearnResult& result,
                                           std::optional<Oracle>& oracle) {
        auto record = app::record_of(result, subject_->record, settings_.learn);
        if (!settings_.load_model.empty()) {
            record.options.emplace_back("load_model", settings_.load_model);
        }
        if (!oracle) {  // the first rank is another one than at the start
            find_exact_values(oracle);
        }
        const auto judgement = oracle->judge(result.table);
        record.optimum = oracle->optimum();
        if (judgement.worth) {
            record.value = judgement.worth->value;
        }
        record.exploitability = judgement.exploitability;
        return record;
    }

    [[nodiscard]] static PhaseEnd end_of(const rl::LearnResult& result) {
        return {part_name,
                fmt::format("{} steps in {}, {}",
                            count(result.transitions),
                            duration(result.seconds),
                            result.ending == rl::LearnEnding::done ? "done" : "ended by request")};
    }

    const RunRequest& run_;
    TrainSettings settings_;
    Job job_;
    std::optional<Subject> subject_;
    std::unique_ptr<rl::World> world_;
    std::optional<comm::HubServer> hub_;
    std::unique_ptr<Checkpoints> checkpoints_;
    std::unique_ptr<runtime::EngineState> resume_from_;
};

}  // namespace

bool has_training(const std::filesystem::path& output) {
    return open_output(output).metadata.part(part_name) != nullptr;
}

TrainOutcome train_process(const TrainRequest& request,
                           comm::Communicator& ranks,
                           Observer& observer) {
    auto settings = train_settings(request.options);
    if ((settings.heartbeat_seconds || settings.timeout_seconds) && !request.listen) {
        settings.notes.emplace_back(
            "heartbeat_interval and heartbeat_timeout count for 'lockstep rl serve' alone: ranks "
            "over tcp go by the environment variables LOCKSTEP_TCP_HEARTBEAT_MS and "
            "LOCKSTEP_TCP_DEAD_AFTER_MS [ms]");
    }
    const auto run = with_output(request.run, part_name);
    TrainRun training(run, std::move(settings), ranks, observer);
    training.find_checkpoint();
    training.claim_output();
    if (request.listen) {
        training.listen(*request.listen);
    }
    return training.train();
}

}  // namespace lockstep::app
