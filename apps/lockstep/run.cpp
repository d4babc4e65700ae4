#include "lockstep/app/run.hpp"

#include <fmt/format.h>

#include "lockstep/comm/communicator.hpp"

#include "commands.hpp"
#include "json_lines.hpp"
#include "progress.hpp"
#include "ranks.hpp"
#include "terminal.hpp"

namespace lockstep::cli {
namespace {

/// Speaks on rank 0 alone, whichever that is after a loss.
class FirstRank final : public app::RunObserver {
public:
    FirstRank(const comm::Communicator& ranks, app::RunObserver& observer)
        : ranks_(ranks), observer_(observer) {}

    void on_warning(const lockstep::Problem& problem) override {
        speak([&] { observer_.on_warning(problem); });
    }
    void on_notice(const std::string& text) override {
        speak([&] { observer_.on_notice(text); });
    }
    void on_start(const app::RunStart& start) override {
        speak([&] { observer_.on_start(start); });
    }
    void on_iteration(const sddp::IterationReport& report) override {
        speak([&] { observer_.on_iteration(report); });
    }
    void on_training_end(const sddp::TrainResult& result) override {
        speak([&] { observer_.on_training_end(result); });
    }
    void on_simulation_progress(int done, int total) override {
        speak([&] { observer_.on_simulation_progress(done, total); });
    }
    void on_simulation_end(const sddp::SimulateResult& result) override {
        speak([&] { observer_.on_simulation_end(result); });
    }

private:
    template <typename F>
    void speak(F&& say) {
        if (ranks_.rank() == 0)
            say();
    }
    const comm::Communicator& ranks_;
    app::RunObserver& observer_;
};

// Shells tell a process that a signal ended this way.
int exit_code_of(const app::RunOutcome& outcome) {
    return outcome.signal == 0 ? 0 : 128 + outcome.signal;
}

io::Json end_event(const app::RunOutcome& outcome) {
    auto object = io::Json::object();
    object.set("event", "end");
    object.set("exit_code", exit_code_of(outcome));
    object.set("summary", to_json(outcome.summary));
    return object;
}

void say_end(const app::RunOutcome& outcome, const Voice& voice) {
    if (voice.json)
        return print_line(end_event(outcome));
    if (voice.quiet)
        return;
    print(summary_text(outcome.summary));
    if (outcome.signal != 0)
        print("\nEnded early by a signal; everything done until then is written.\n");
    print(fmt::format("\nPlots: lockstep report {}\n", outcome.summary.directory.string()));
}

template <typename F>
int run(const std::string& backend, const Voice& voice, F&& use_case) {
    return on_ranks(backend, voice, [&](comm::Communicator& ranks) {
        const auto progress = make_progress(voice);
        FirstRank observer(ranks, *progress);
        const auto outcome = use_case(ranks, observer);
        if (ranks.rank() == 0)
            say_end(outcome, voice);
        return exit_code_of(outcome);
    });
}

}  // namespace

int execute(const RunCommand& command) {
    return run(
        command.backend, command.voice, [&](comm::Communicator& ranks, app::RunObserver& observer) {
            return app::run_case(command.request, ranks, observer);
        });
}

int execute(const SimulateCommand& command) {
    return run(
        command.backend, command.voice, [&](comm::Communicator& ranks, app::RunObserver& observer) {
            return app::simulate_case(command.request, ranks, observer);
        });
}

}  // namespace lockstep::cli
