#include "lockstep/app/rl/solve.hpp"

#include <fmt/format.h>

#include "lockstep/app/text.hpp"

#include "display.hpp"
#include "rl/commands.hpp"
#include "summary_lines.hpp"

namespace lockstep::cli {
namespace {

using formats::rl::SolutionRecord;

std::string start_text(const SolutionRecord& record) {
    if (!record.start) {
        return summary_line("start", "none", "the process goes on for ever from any state");
    }
    const auto& start = *record.start;
    return summary_line(
        record.criterion == "average" ? "reward a step" : "value at start",
        app::digits(start.value, 9),
        fmt::format("proven: {} to {}", app::exact(start.lower), app::exact(start.upper)));
}

std::string criterion_text(const SolutionRecord& record) {
    if (record.criterion == "average") {
        return summary_line("criterion", "average reward a step");
    }
    const auto discount = fmt::format("discount factor {}", app::exact(record.discount_factor));
    return record.horizon == 0
               ? summary_line("criterion", discount)
               : summary_line("criterion",
                              fmt::format("the next {}", app::plural(record.horizon, "step")),
                              discount);
}

}  // namespace

int execute(const RlSolveCommand& command) {
    return on_display(command.request.run.backend,
                      command.voice,
                      [&](comm::Communicator& ranks, app::Observer& observer) {
                          const auto outcome = app::solve_process(command.request, ranks, observer);
                          return Ending{outcome.run.signal,
                                        to_json(outcome.record),
                                        solution_text(outcome.record, outcome.run.output.string()),
                                        outcome.run.output.string()};
                      });
}

std::string solution_text(const SolutionRecord& record, const std::string& output) {
    auto text = "\n" + start_text(record) + criterion_text(record);
    text += summary_line("bounds",
                         fmt::format("+- {:.2g}", record.half_width),
                         fmt::format("in the worst state, asked for {:.2g}", record.tolerance));
    text += summary_line("policy",
                         app::plural(record.choices, "state") + " with a choice",
                         fmt::format("{} with several best actions", app::count(record.ties)));
    if (record.undefined > 0) {
        text += summary_line("undefined",
                             app::plural(record.undefined, "state"),
                             "infinite, and reached by no episode");
    }
    text += summary_line(
        "solving",
        fmt::format("{} in {}", app::plural(record.sweeps, "sweep"), app::duration(record.seconds)),
        fmt::format("{}, ended by {}", record.method, app::ending_words(record.ending)));
    text += summary_line("digest", record.digest);
    return text + summary_line("output", output);
}

}  // namespace lockstep::cli
