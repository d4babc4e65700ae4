#include "lockstep/app/sddp/run.hpp"

#include "display.hpp"
#include "sddp/commands.hpp"

namespace lockstep::cli {
namespace {

Ending ending_of(const app::CaseOutcome& outcome) {
    return {outcome.run.signal,
            to_json(outcome.summary),
            summary_text(outcome.summary),
            outcome.run.output.string()};
}

}  // namespace

int execute(const RunCommand& command) {
    return on_display(command.request.run.backend,
                      command.voice,
                      [&](comm::Communicator& ranks, app::Observer& observer) {
                          return ending_of(app::run_case(command.request, ranks, observer));
                      });
}

int execute(const SimulateCommand& command) {
    return on_display(command.request.of.run.backend,
                      command.voice,
                      [&](comm::Communicator& ranks, app::Observer& observer) {
                          return ending_of(app::simulate_case(command.request, ranks, observer));
                      });
}

}  // namespace lockstep::cli
