#include "lockstep/app/rl/train.hpp"

#include <fmt/format.h>

#include "lockstep/app/text.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/comm/process_environment.hpp"

#include "display.hpp"
#include "json_lines.hpp"
#include "ranks.hpp"
#include "rl/commands.hpp"
#include "summary_lines.hpp"
#include "terminal.hpp"

namespace lockstep::cli {
namespace {

using formats::rl::BoundedValue;
using formats::rl::TrainingRecord;

std::string proven(const BoundedValue& value) {
    return fmt::format("proven: {} to {}", app::exact(value.lower), app::exact(value.upper));
}

std::string option(const TrainingRecord& record, std::string_view name) {
    for (const auto& [key, value] : record.options) {
        if (key == name) {
            return value;
        }
    }
    return {};
}

std::string worth_text(const TrainingRecord& record) {
    std::string text;
    if (record.value) {
        text += summary_line(
            "value at start", app::digits(record.value->value, 9), proven(*record.value));
    }
    if (record.optimum) {
        text +=
            summary_line("optimum", app::digits(record.optimum->value, 9), proven(*record.optimum));
    }
    if (record.optimum && !record.value) {
        text += summary_line("value at start", "none", "the greedy policy never ends");
    }
    if (record.exploitability) {
        text += summary_line("exploitability",
                             app::digits(*record.exploitability, 4),
                             "what the best opponent gains on average, exact");
    }
    if (record.return_mean) {
        text += summary_line(
            "return", app::digits(*record.return_mean), "mean of the last episodes, exploring");
    }
    return text;
}

}  // namespace

std::string training_text(const TrainingRecord& record, const std::string& output) {
    auto text = "\n" + worth_text(record);
    text += summary_line(
        "TD error", app::digits(record.td_error, 4), "mean of |target - value|, the last");
    text += summary_line("training",
                         app::count(record.transitions) + " steps",
                         fmt::format("{}, {} in mode {}",
                                     app::plural(record.episodes, "episode"),
                                     option(record, "algorithm"),
                                     option(record, "mode")));
    text += summary_line(
        "",
        app::duration(record.seconds),
        app::count(static_cast<std::int64_t>(record.steps_per_second)) + " steps a second");
    text += summary_line("table",
                         app::count(record.touched) + " pairs visited",
                         fmt::format("{} states, {} actions",
                                     app::count(record.environment.states),
                                     app::count(record.environment.actions)));
    text +=
        record.is_reproducible
            ? summary_line("digest", record.digest)
            : summary_line("digest", record.digest, "of this run: its mode is not reproducible");
    return text + summary_line("output", output);
}

int execute(const RlTrainCommand& command) {
    app::TrainRequest request;
    try {
        request = app::with_configuration(command.request);
        if (!command.listen.empty()) {
            request.listen =
                comm::hub_config("--listen", command.listen, comm::process_environment());
        }
    } catch (const Error& error) {
        // Every rank meets it by itself.
        if (is_claimed_first()) {
            throw;
        }
        return error.exit_code();
    }
    return on_display(request.run.backend,
                      command.voice,
                      [&](comm::Communicator& ranks, app::Observer& observer) {
                          const auto outcome = app::train_process(request, ranks, observer);
                          const auto output = outcome.run.output.string();
                          return Ending{outcome.run.signal,
                                        to_json(outcome.record),
                                        training_text(outcome.record, output),
                                        output};
                      });
}

int execute(const RlSummaryCommand& command) {
    if (app::has_training(command.output_directory)) {
        const auto record = formats::rl::read_training_record(command.output_directory);
        if (command.voice.json) {
            print_line(to_json(record));
        } else {
            print(training_text(record, command.output_directory.string()));
        }
        return 0;
    }
    const auto record = formats::rl::read_solution_record(command.output_directory);
    if (command.voice.json) {
        print_line(to_json(record));
    } else {
        print(solution_text(record, command.output_directory.string()));
    }
    return 0;
}

}  // namespace lockstep::cli
