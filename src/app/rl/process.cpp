#include "lockstep/app/rl/process.hpp"

#include <utility>

#include "lockstep/comm/communicator.hpp"
#include "lockstep/formats/rl/table_file.hpp"
#include "lockstep/rl/learn.hpp"
#include "lockstep/runtime/signals.hpp"
#include "lockstep/runtime/thread_team.hpp"
#include "lockstep/runtime/topology.hpp"

#include "app/rl/start_value.hpp"
#include "app/rl/subject.hpp"
#include "app/rl/train/oracle.hpp"
#include "app/rl/train/train_progress.hpp"
#include "app/rl/train/train_settings.hpp"

namespace lockstep::app {
namespace {

/// From the learner to an observer.
class MemoryBridge final : public rl::LearnObserver {
public:
    MemoryBridge(std::int64_t steps, Observer& observer) : steps_(steps), observer_(observer) {}

    void on_report(const rl::LearnReport& report, const std::function<rl::QTable()>&) override {
        observer_.on_progress(progress_of(report, std::nullopt, steps_));
    }
    bool stop_requested() override {
        return runtime::SignalGuard::received() != 0 || observer_.stop_requested();
    }

private:
    std::int64_t steps_;
    Observer& observer_;
};

int threads_or_all(int threads) {
    return threads > 0 ? threads : runtime::usable_cpus();
}

LearnedTable learn_with(const rl::World& world,
                        const formats::rl::EnvironmentRecord& environment,
                        const rl::LearnOptions& options,
                        runtime::ThreadTeam& threads,
                        Observer& observer) {
    const auto ranks = comm::make_local();
    runtime::Team team{*ranks, threads};
    const runtime::SignalGuard signals;
    MemoryBridge bridge(options.steps, observer);
    auto result = rl::learn(world, options, team, bridge);
    LearnedTable learned;
    learned.record = record_of(result, environment, options);
    learned.table = std::move(result.table);
    learned.signal = runtime::SignalGuard::received();
    return learned;
}

std::shared_ptr<const Subject> subject_from(const std::string& input,
                                            const std::vector<formats::Setting>& options) {
    Problems problems;
    auto subject = read_subject(input, options, problems);
    problems.throw_if_errors(input);
    return std::make_shared<const Subject>(std::move(subject));
}

class Silent final : public rl::SolveObserver {
public:
    bool stop_requested() override { return runtime::SignalGuard::received() != 0; }
};

}  // namespace

rl::LearnOptions learn_options(const std::vector<formats::Setting>& options) {
    return train_settings(options).learn;
}

LearnedTable learn_in_memory(const rl::World& world,
                             const formats::rl::EnvironmentRecord& environment,
                             const rl::LearnOptions& options,
                             int threads,
                             Observer& observer) {
    runtime::ThreadTeam team(threads_or_all(threads));
    return learn_with(world, environment, options, team, observer);
}

void write_learned(const std::filesystem::path& output,
                   const LearnedTable& learned,
                   const rl::World& world) {
    const formats::rl::TableRecord record{learned.record.environment,
                                          learned.record.options.at(3).second,
                                          std::stod(learned.record.options.at(1).second),
                                          learned.record.transitions,
                                          learned.record.digest};
    formats::rl::write_table(
        output / "training", record, learned.table, [&](int s) { return world.mask(s); });
    formats::rl::write_training_record(output, learned.record);
}

Process::Process(const std::string& input, const std::vector<formats::Setting>& options)
    : subject_(subject_from(input, options)) {}

Process::Process(formats::mdp::ModelFile file, const std::string& name)
    : subject_(std::make_shared<const Subject>(model_subject(std::move(file), name, ""))) {}

const formats::rl::EnvironmentRecord& Process::record() const {
    return subject_->record;
}

std::optional<rl::Model> Process::model() const {
    return model_of(*subject_);
}

const formats::mdp::ModelFile* Process::file() const {
    return subject_->file.get();
}

LearnedTable Process::learn(const std::vector<formats::Setting>& options,
                            int threads,
                            Observer& observer) const {
    auto settings = train_settings(options);
    if (!settings.is_discount_given && subject_->file && subject_->file->gamma) {
        settings.learn.discount_factor = *subject_->file->gamma;
    }
    if (!settings.load_model.empty()) {
        auto first =
            formats::rl::read_table(std::filesystem::path(settings.load_model) / "training");
        formats::rl::require_environment(first.record, subject_->record);
        settings.learn.first_table = std::make_shared<const rl::QTable>(std::move(first.table));
    }
    const auto world = rl::make_world(environment_of(*subject_));
    runtime::ThreadTeam team(threads_or_all(threads));
    auto learned = learn_with(*world, subject_->record, settings.learn, team, observer);
    OracleLimits limits;
    limits.when = settings.exact_values;
    limits.bytes = runtime::usable_memory();
    Oracle oracle(*subject_, settings.learn.discount_factor, limits, team);
    const auto judgement = oracle.judge(learned.table);
    learned.record.optimum = oracle.optimum();
    learned.record.exploitability = judgement.exploitability;
    if (judgement.worth) {
        learned.record.value = judgement.worth->value;
    }
    return learned;
}

double Process::discount(const rl::SolveOptions& options, std::optional<double> given) const {
    const bool has_discount = options.criterion != rl::Criterion::average;
    const auto of_file = has_discount && subject_->file ? subject_->file->gamma : std::nullopt;
    const double usual = options.criterion == rl::Criterion::total ? 0.99 : 1.0;
    return given.value_or(of_file.value_or(usual));
}

template <typename Find>
PolicyValue Process::value_by(const Find& find,
                              rl::SolveOptions options,
                              std::optional<double> gamma,
                              int threads) const {
    options.gamma = discount(options, gamma);
    runtime::ThreadTeam team(threads_or_all(threads));
    const auto process = known_process(*subject_);
    Silent observer;
    PolicyValue found;
    found.solution = find(process, options, team, observer);
    found.start = start_value(process.starts, found.solution);
    return found;
}

PolicyValue Process::solve(rl::SolveOptions options,
                           std::optional<double> gamma,
                           int threads) const {
    const auto find = [](const auto& process, const auto& checked, auto& team, auto& observer) {
        return rl::solve(*process.rows, process.starts, checked, team, observer);
    };
    return value_by(find, std::move(options), gamma, threads);
}

PolicyValue Process::evaluate(std::span<const std::int32_t> policy,
                              rl::SolveOptions options,
                              std::optional<double> gamma,
                              int threads) const {
    const auto find = [&](const auto& process, const auto& checked, auto& team, auto& observer) {
        return rl::evaluate(*process.rows, process.starts, policy, checked, team, observer);
    };
    return value_by(find, std::move(options), gamma, threads);
}

}  // namespace lockstep::app
