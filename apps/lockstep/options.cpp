#include "options.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace lockstep::cli {
namespace {

constexpr auto exit_codes = R"(
Exit codes
  0    done
  64   the command line is wrong
  65   the input is wrong, or a problem in it has no solution
  66   a file is missing or cannot be read
  69   a feature that this build leaves out
  70   a bug in this program
  71   another rank failed, or there is not enough memory
  74   a file cannot be written
)";

constexpr auto checkpoint_group = "Checkpoints, in OUTPUT/checkpoints";

formats::Setting setting_of(const std::string& text, const std::string& example) {
    const auto equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) {
        throw CLI::ValidationError(
            "--set", fmt::format("'{}' is not key=value, for example {}", text, example));
    }
    return {text.substr(0, equals), text.substr(equals + 1)};
}

std::string is_finite(const std::string& text) {
    double value = 0;
    return CLI::detail::lexical_cast(text, value) && std::isfinite(value)
               ? ""
               : fmt::format("'{}' is not a finite number", text);
}

void add_checkpoint_minutes(CLI::App& app, app::RunRequest& request, const std::string& help) {
    app.add_option_function<double>(
           "--checkpoint-minutes",
           [&request](double minutes) { request.checkpoints.minutes = minutes; },
           help)
        ->type_name("M")
        ->check(is_finite)
        ->check(CLI::Range(0.001, 1e6))
        ->group(checkpoint_group);
}

}  // namespace

std::string not_empty(const std::string& text) {
    return text.empty() ? "must not be empty" : "";
}

const std::string_view signal_codes =
    R"(  130  ended early by Ctrl-C (SIGINT); what was done is written
  143  ended early by SIGTERM; what was done is written
       A second signal ends at once; the output is then incomplete.
)";

std::string footer(std::string_view examples, std::string_view more_codes) {
    return fmt::format("\nExamples\n{}{}{}", examples, exit_codes, more_codes);
}

void add_place(CLI::App& app,
               const std::string& name,
               std::filesystem::path& place,
               const std::string& help) {
    app.add_option(name, place, help)->required()->type_name(" ")->check(not_empty);
}

void add_settings(CLI::App& app,
                  const std::string& file,
                  const std::string& example,
                  std::vector<formats::Setting>& settings) {
    app.add_option_function<std::vector<std::string>>(
           "--set",
           [&settings, example](const std::vector<std::string>& texts) {
               std::transform(
                   texts.begin(), texts.end(), std::back_inserter(settings), [&](const auto& text) {
                       return setting_of(text, example);
                   });
           },
           fmt::format("Change a value of {}; may be repeated, the last of a key counts", file))
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->take_all();
}

void add_json(CLI::App& app, Voice& voice, const std::string& help) {
    app.add_flag("--json", voice.json, help);
}

void add_voice(CLI::App& app, Voice& voice) {
    app.add_flag("--quiet,-q", voice.quiet, "No progress, no summary; errors and trouble only");
    add_json(app, voice, "One JSON object a line on stdout instead of text");
}

void add_run_options(CLI::App& app, app::RunRequest& request, const std::string& output) {
    app.add_option("--output,-o", request.output, output)->type_name("DIR")->check(not_empty);
    app.add_option("--threads,-t", request.threads, "Threads of a rank [all usable CPUs]")
        ->type_name("N")
        ->check(CLI::Range(1, 4096));
    app.add_option("--metrics", request.metrics, "Figures of the last step, for Prometheus")
        ->type_name("FILE")
        ->check(not_empty);
}

void add_rank_options(CLI::App& app, app::RunRequest& request, std::string& backend) {
    constexpr auto group = "Several ranks (mpirun, srun or 'lockstep launch' start them)";
    app.add_option("--backend", backend, "How ranks talk: local, shm, tcp or mpi [found out]")
        ->type_name("NAME")
        ->group(group);
    app.add_option_function<std::string>(
           "--on-failure",
           [&request](const std::string& wish) {
               request.on_loss = wish == "continue" ? app::OnLoss::carry_on : app::OnLoss::abort;
           },
           "When a rank is lost: continue with the others, where the backend can (default), or "
           "abort")
        ->envname("LOCKSTEP_ON_FAILURE")
        ->type_name("WISH")
        ->check(CLI::IsMember({"continue", "abort"}))
        ->group(group);
}

void add_resume_option(CLI::App& app, app::RunRequest& request) {
    app.add_flag("--resume", request.resume, "Go on from the newest whole checkpoint")
        ->envname("LOCKSTEP_RESUME")
        ->group(checkpoint_group);
}

void add_resume_options(CLI::App& app, app::RunRequest& request, int usual_minutes) {
    add_resume_option(app, request);
    add_checkpoint_minutes(
        app, request, fmt::format("So often, and at an interruption [{}]", usual_minutes));
}

void add_checkpoint_options(CLI::App& app, app::RunRequest& request) {
    add_resume_option(app, request);
    app.add_option_function<int>(
           "--checkpoint-every",
           [&request](int iterations) { request.checkpoints.iterations = iterations; },
           "After every so many iterations; 0: none [as the input says: none]")
        ->type_name("N")
        ->check(CLI::Range(0, 1'000'000'000))
        ->group(checkpoint_group);
    add_checkpoint_minutes(app, request, "And whenever the last is so long ago");
}

}  // namespace lockstep::cli
