#include "command_line.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/problems.hpp"

namespace lockstep::cli {
namespace {

// CLI11 stays in this source: it costs ten times the rest to compile.

constexpr auto exit_codes = R"(
Exit codes
  0    done
  64   the command line is wrong
  65   the case is wrong, or a stage of it has no solution
  66   a file is missing or cannot be read
  69   a feature that this build leaves out
  70   a bug in this program
  71   another rank failed, or there is not enough memory
  74   a file cannot be written
)";

constexpr auto signal_codes =
    R"(  130  ended early by Ctrl-C (SIGINT), everything written
  143  ended early by SIGTERM, everything written
       A second signal ends at once; the output is then incomplete.
)";

std::string footer(std::string_view examples, std::string_view more_codes = {}) {
    return fmt::format("\nExamples\n{}{}{}", examples, exit_codes, more_codes);
}

// A command's App, with the place where its struct goes when the command line names it.
template <typename T>
std::shared_ptr<T> bind(CLI::App& app, Command& result) {
    auto command = std::make_shared<T>();
    app.callback([&result, command] { result = *command; });
    return command;
}

formats::Setting setting_of(const std::string& text) {
    const auto equals = text.find('=');
    if (equals == 0 || equals == std::string::npos)
        throw CLI::ValidationError(
            "--set", fmt::format("'{}' is not key=value, for example training.tree_seed=7", text));
    return {text.substr(0, equals), text.substr(equals + 1)};
}

void add_settings(CLI::App& app, std::vector<formats::Setting>& settings) {
    app.add_option_function<std::vector<std::string>>(
           "--set",
           [&settings](const std::vector<std::string>& texts) {
               std::transform(texts.begin(), texts.end(), std::back_inserter(settings), setting_of);
           },
           "Change a value of config.json; may be repeated")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->take_all();
}

void add_off_switch(CLI::App& app, const std::string& name, bool& value, const std::string& help) {
    app.add_flag_callback(
           name, [&value] { value = false; }, help)
        ->group("For comparison: short cuts off, same values");
}

void add_run_options(CLI::App& app, app::RunRequest& request) {
    app.add_option("CASE", request.case_directory, "Case directory")->required()->type_name(" ");
    app.add_option("--output,-o", request.output_directory, "Where results go [CASE/output]")
        ->type_name("DIR");
    app.add_option("--threads,-t", request.threads, "Threads of a rank [all usable CPUs]")
        ->type_name("N")
        ->check(CLI::Range(1, 4096));
    add_settings(app, request.settings);
    app.add_option_function<std::string>(
           "--solver",
           [&request](const std::string& name) {
               request.solver = name == "clp" ? lp::SolverKind::clp : lp::SolverKind::highs;
           },
           "LP solver: clp (default) or highs")
        ->type_name("NAME")
        ->check(CLI::IsMember({"clp", "highs"}));
    add_off_switch(app, "--no-lazy-cuts", request.speed.lazy_cuts, "All cuts in every LP");
    add_off_switch(app,
                   "--no-opening-order",
                   request.speed.ordered_openings,
                   "Openings in the order of the tree");
    add_off_switch(app, "--no-warm-start", request.speed.warm_start, "No stored bases");
    add_off_switch(app,
                   "--no-evaporation-substitution",
                   request.speed.substitute_evaporation,
                   "Evaporation stays in the LP");
}

void add_json(CLI::App& app, Voice& voice, const std::string& help = "JSON on stdout") {
    app.add_flag("--json", voice.json, help);
}

void add_voice(CLI::App& app, Voice& voice) {
    app.add_flag("--quiet,-q", voice.quiet, "No progress, no summary; errors only");
    add_json(app, voice, "One JSON object a line on stdout instead of text");
}

void add_rank_options(CLI::App& app, app::RunRequest& request, std::string& backend) {
    constexpr auto group = "Several ranks (mpirun, srun or 'lockstep launch' start them)";
    app.add_option("--backend", backend, "How ranks talk: local, shm, tcp or mpi [found out]")
        ->type_name("NAME")
        ->group(group);
    app.add_option_function<std::string>(
           "--on-failure",
           [&request](const std::string& wish) {
               request.continue_after_loss = wish == "continue";
           },
           "When a rank is lost: continue with the others, where the backend can (default), or "
           "abort")
        ->envname("LOCKSTEP_ON_FAILURE")
        ->type_name("WISH")
        ->check(CLI::IsMember({"continue", "abort"}))
        ->group(group);
}

void add_checkpoint_options(CLI::App& app, app::RunRequest& request) {
    constexpr auto group = "Checkpoints, in OUTPUT/checkpoints";
    app.add_flag("--resume", request.resume, "Go on from the newest whole checkpoint")
        ->envname("LOCKSTEP_RESUME")
        ->group(group);
    app.add_option_function<int>(
           "--checkpoint-every",
           [&request](int iterations) { request.checkpoint_iterations = iterations; },
           "After every so many iterations; 0: none [as config.json says: none]")
        ->type_name("N")
        ->check(CLI::Range(0, 1'000'000'000))
        ->group(group);
    app.add_option_function<double>(
           "--checkpoint-minutes",
           [&request](double minutes) { request.checkpoint_minutes = minutes; },
           "And whenever the last is so long ago")
        ->type_name("M")
        ->check(CLI::Range(0.001, 1e6))
        ->group(group);
}

void add_run(CLI::App& parent, Command& result) {
    auto* app = parent.add_subcommand("run", "Train a policy and simulate it");
    auto command = bind<RunCommand>(*app, result);
    add_run_options(*app, command->request);
    add_checkpoint_options(*app, command->request);
    app->add_option("--metrics",
                    command->request.metrics_file,
                    "Figures of the last iteration, for Prometheus")
        ->type_name("FILE");
    add_rank_options(*app, command->request, command->backend);
    add_voice(*app, command->voice);
    app->footer(footer(R"(  lockstep run cases/sddp/pmo-small
      trains and simulates, writes cases/sddp/pmo-small/output
  lockstep run mycase -o /tmp/out --set training.selection.forward_passes=8
      with one value of config.json changed
  lockstep run mycase --set 'training.stopping_rules=[{"type":"iteration_limit","limit":50}]'
  lockstep run mycase --checkpoint-every 5;  lockstep run mycase --resume
      keeps checkpoints; goes on after an interruption, with the same bits
  mpirun -n 4 lockstep run mycase --threads 8
      four ranks of eight threads
  lockstep run mycase --json | jq -c 'select(.event=="iteration") | .lower_bound'
)",
                       signal_codes));
}

void add_simulate(CLI::App& parent, Command& result) {
    auto* app = parent.add_subcommand("simulate", "Simulate a case under a policy on disk");
    auto command = bind<SimulateCommand>(*app, result);
    add_run_options(*app, command->request.run);
    add_rank_options(*app, command->request.run, command->backend);
    app->add_option("--policy", command->request.policy, "Policy folder [OUTPUT/policy]")
        ->type_name("DIR");
    app->add_option_function<int>(
           "--scenarios,-n",
           [command](int number) { command->request.scenarios = number; },
           "How many scenarios [as config.json says]")
        ->type_name("N")
        ->check(CLI::Range(1, 100'000'000));
    add_voice(*app, command->voice);
    app->footer(footer(R"(  lockstep sddp simulate mycase --scenarios 2000
      with the policy that 'lockstep run mycase' left in mycase/output/policy
  lockstep sddp simulate mycase --policy other/output/policy -o /tmp/out
)",
                       signal_codes));
}

void add_validate(CLI::App& parent, Command& result) {
    auto* app = parent.add_subcommand("validate", "Tell everything that is wrong with a case");
    auto command = bind<ValidateCommand>(*app, result);
    app->add_option("CASE", command->case_directory, "Case directory")->required()->type_name(" ");
    add_settings(*app, command->settings);
    add_json(*app, command->voice);
    app->footer(footer(R"(  lockstep sddp validate mycase
      one problem a line: [kind] file (entity): message; or what the case holds
  lockstep sddp validate mycase --json | jq '.problems[].file'
)"));
}

void add_summary(CLI::App& parent, Command& result) {
    auto* app = parent.add_subcommand("summary", "Bounds, gap, costs and times of a finished run");
    auto command = bind<SummaryCommand>(*app, result);
    app->add_option("OUT", command->output_directory, "Output directory of a run")
        ->required()
        ->type_name(" ");
    add_json(*app, command->voice);
    app->footer(footer(R"(  lockstep sddp summary mycase/output
  lockstep sddp summary mycase/output --json | jq .training.lower_bound
)"));
}

void add_init(CLI::App& parent, Command& result) {
    auto* app = parent.add_subcommand("init", "Start a new case from a template");
    auto command = bind<InitCommand>(*app, result);
    app->add_option("DIR", command->request.directory, "New case directory [the template's name]");
    app->add_option("--template", command->request.case_template, "Which template [the first]")
        ->type_name("NAME");
    app->add_flag("--list", command->list, "Tell the templates");
    app->add_flag("--force", command->request.force, "Overwrite files that are there");
    app->footer(footer(R"(  lockstep sddp init mycase
  lockstep run mycase
)"));
}

void add_schema(CLI::App& parent, Command& result) {
    auto* app = parent.add_subcommand("schema", "Write JSON Schemas of the input files");
    auto command = bind<SchemaCommand>(*app, result);
    command->output_directory = ".";
    app->add_option("--output-dir", command->output_directory, "Where they go [.]")
        ->type_name("DIR");
    app->footer(footer(R"(  lockstep sddp schema --output-dir schemas
      then in an editor: "$schema": "../schemas/stages.schema.json"
)"));
}

void add_report(CLI::App& parent, Command& result) {
    auto* app = parent.add_subcommand("report", "Make one self-contained HTML page of a run");
    auto command = bind<ReportCommand>(*app, result);
    app->add_option("OUT", command->output_directory, "Output directory of a run")
        ->required()
        ->type_name(" ");
    app->add_option("--output,-o", command->page, "The page [OUT/report.html]")->type_name("FILE");
    app->footer(footer(R"(  lockstep report mycase/output
      writes mycase/output/report.html and prints its path
)"));
}

void add_compare(CLI::App& parent, Command& result) {
    auto* app =
        parent.add_subcommand("compare", "Are two results the same bits? If not, where first?");
    auto command = bind<CompareCommand>(*app, result);
    app->add_option("A", command->left, "Output directory of a run")->required()->type_name(" ");
    app->add_option("B", command->right, "Output directory of another run")
        ->required()
        ->type_name(" ");
    app->add_flag_callback(
        "--deep",
        [command] { command->depth = app::Depth::files; },
        "Compare all tables even if the digests are equal");
    add_json(*app, command->voice);
    app->footer(footer(R"(  lockstep run mycase -t 1 -o one && lockstep run mycase -t 4 -o four
  lockstep compare one four
      times, hosts, ranks and threads do not count
)",
                       "  1    the results differ\n"));
}

void add_launch(CLI::App& parent, Command& result) {
    auto* app = parent.add_subcommand("launch", "Start ranks on this machine, without MPI");
    auto command = bind<LaunchCommand>(*app, result);
    auto& request = command->request;
    app->add_option("COMMAND", request.command, "What each rank runs, after --")
        ->required()
        ->type_name(" ");
    app->add_option("--ranks,-n", request.ranks, "How many ranks")
        ->required()
        ->type_name("N")
        ->check(CLI::Range(1, 4096));
    app->add_option_function<std::string>(
           "--backend",
           [&request](const std::string& name) {
               request.backend = name == "tcp" ? comm::BackendKind::tcp : comm::BackendKind::shm;
           },
           "How they talk: shm (shared memory, default) or tcp")
        ->type_name("NAME")
        ->check(CLI::IsMember({"shm", "tcp"}));
    app->add_option_function<std::string>(
           "--on-failure",
           [&request](const std::string& wish) {
               request.on_failure = wish == "restart" ? app::OnFailure::restart
                                    : wish == "abort" ? app::OnFailure::abort
                                                      : app::OnFailure::carry_on;
           },
           "When a rank is lost: continue with the others (default), restart all from the newest "
           "checkpoint, or abort")
        ->type_name("WISH")
        ->check(CLI::IsMember({"continue", "restart", "abort"}));
    app->add_option("--restart", request.restarts, "At most so many restarts [3]")
        ->type_name("K")
        ->check(CLI::Range(0, 1'000'000));
    app->footer(footer(R"(  lockstep launch -n 3 -- lockstep run mycase --threads 2
      three ranks over shared memory; same bits as one
  lockstep launch -n 4 --backend tcp -- lockstep run mycase
  lockstep launch -n 2 --on-failure restart -- lockstep run mycase --checkpoint-every 5
)",
                       "  137  and other codes over 128: signal code - 128 ended a rank\n"));
}

void add_doctor(CLI::App& parent, Command& result) {
    auto* app =
        parent.add_subcommand("doctor", "What is installed, which ranks there are, what is slow");
    auto command = bind<DoctorCommand>(*app, result);
    app->add_option("--backend", command->backend, "As in 'run' [found out]")->type_name("NAME");
    add_json(*app, command->voice);
    app->footer(footer(R"(  lockstep doctor
      this machine; exchanges between two threads that act as ranks
  lockstep launch -n 2 --backend tcp -- lockstep doctor
  mpirun -n 2 lockstep doctor --json
      the ranks as they are started, and how fast they exchange
)"));
}

void add_version(CLI::App& parent, Command& result) {
    auto* app = parent.add_subcommand("version", "Version, compiler and libraries");
    auto command = bind<VersionCommand>(*app, result);
    add_json(*app, command->voice);
    app->footer(footer("  lockstep version --json\n"));
}

void add_sddp(CLI::App& parent, Command& result) {
    auto* app = parent.add_subcommand("sddp", "Hydrothermal dispatch: all commands for it");
    app->require_subcommand(1);
    add_run(*app, result);
    add_simulate(*app, result);
    add_validate(*app, result);
    add_summary(*app, result);
    add_init(*app, result);
    add_schema(*app, result);
    app->footer(footer(R"(  lockstep sddp init mycase
  lockstep sddp validate mycase
  lockstep sddp run mycase
  lockstep sddp summary mycase/output
  lockstep sddp simulate mycase --scenarios 500
)"));
}

void add_commands(CLI::App& app, Command& result) {
    app.require_subcommand(1);
    app.add_flag_callback(
        "--version", [] { throw CLI::CallForVersion(); }, "As 'lockstep version'");
    add_run(app, result);
    add_sddp(app, result);
    add_report(app, result);
    add_compare(app, result);
    add_launch(app, result);
    add_doctor(app, result);
    add_version(app, result);
    app.footer(footer(R"(  lockstep run cases/sddp/pmo-small             train, simulate, summarise
  lockstep report cases/sddp/pmo-small/output   one HTML page with all plots
  lockstep sddp init mycase                     a small case to start from
  lockstep COMMAND --help                       more examples
)"));
}

// The innermost command that the command line names.
CLI::App& chosen(CLI::App& app) {
    const auto inner = app.get_subcommands();
    return inner.empty() ? app : chosen(*inner.front());
}

std::vector<std::string> words_of(const CLI::App& app, bool options) {
    std::vector<std::string> words;
    if (options)
        for (const auto* option : app.get_options())
            for (const auto& name : option->get_lnames())
                words.push_back("--" + name);
    else
        for (const auto* inner : app.get_subcommands(nullptr))
            words.push_back(inner->get_name());
    return words;
}

std::string unknown_word(CLI::App& app, const std::string& word) {
    const auto is_option = word.starts_with('-');
    const auto is_command = !is_option && !app.get_subcommands(nullptr).empty();
    const auto words = words_of(app, is_option);
    const auto guess = is_option || is_command
                           ? nearest(word.substr(0, word.find('=')), {words.begin(), words.end()})
                           : std::string_view();
    const auto* what = is_option ? "option" : is_command ? "command" : "argument";
    return fmt::format("unknown {} '{}'{}",
                       what,
                       word,
                       guess.empty() ? std::string() : fmt::format("; did you mean '{}'?", guess));
}

std::string full_name(const CLI::App& app) {
    const auto* parent = app.get_parent();
    return parent == nullptr ? app.get_name() : full_name(*parent) + " " + app.get_name();
}

[[noreturn]] void fail(CLI::App& app, const CLI::ParseError& error) {
    auto& command = chosen(app);
    const auto extra = app.remaining(true);
    const auto is_unknown =
        !extra.empty() && dynamic_cast<const CLI::ConversionError*>(&error) == nullptr;
    throw UsageError(fmt::format("{}\nSee '{} --help'.",
                                 is_unknown ? unknown_word(command, extra.front()) : error.what(),
                                 full_name(command)));
}

}  // namespace

Command parse(int argc, const char* const* argv) {
    CLI::App app("Stochastic dual dynamic programming with the same bits on any number of threads",
                 "lockstep");
    app.get_formatter()->column_width(32);
    Command result = HelpCommand{};
    add_commands(app, result);
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        return HelpCommand{app.help()};
    } catch (const CLI::CallForVersion&) {
        return VersionCommand{};
    } catch (const CLI::ParseError& error) {
        fail(app, error);
    }
    return result;
}

}  // namespace lockstep::cli
