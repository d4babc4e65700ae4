#include "lockstep/app/run.hpp"

#include <fmt/format.h>

#include "lockstep/comm/communicator.hpp"

#include "commands.hpp"
#include "json_lines.hpp"
#include "progress.hpp"
#include "terminal.hpp"

namespace lockstep::cli {
namespace {

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
int run(const Voice& voice, F&& use_case) {
    const auto ranks = comm::make_local();
    const auto progress =
        ranks->rank() == 0 ? make_progress(voice) : std::make_unique<app::RunObserver>();
    const auto outcome = use_case(*ranks, *progress);
    if (ranks->rank() == 0)
        say_end(outcome, voice);
    return exit_code_of(outcome);
}

}  // namespace

int execute(const RunCommand& command) {
    return run(command.voice, [&](comm::Communicator& ranks, app::RunObserver& observer) {
        return app::run_case(command.request, ranks, observer);
    });
}

int execute(const SimulateCommand& command) {
    return run(command.voice, [&](comm::Communicator& ranks, app::RunObserver& observer) {
        return app::simulate_case(command.request, ranks, observer);
    });
}

}  // namespace lockstep::cli
