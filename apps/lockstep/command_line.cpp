#include "command_line.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lockstep/app/options_page.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/problems.hpp"

#include "manual.hpp"
#include "option_table.hpp"
#include "options.hpp"
#include "shorthand.hpp"

namespace lockstep::cli {
namespace {

void add_report(CLI::App& parent, Command& result, const CommonHandlers& handlers) {
    auto* app = parent.add_subcommand("report", "Make one self-contained HTML page of a run");
    auto command = bind(*app, result, handlers.report);
    add_place(*app, "OUT", command->output_directory, "Output directory of a run");
    app->add_option("--output,-o", command->page, "The page [OUT/report.html]")
        ->type_name("FILE")
        ->check(not_empty);
    app->footer(footer(R"(  lockstep report mycase/output
      writes mycase/output/report.html and prints its path
)"));
}

void add_compare(CLI::App& parent, Command& result, const CommonHandlers& handlers) {
    auto* app =
        parent.add_subcommand("compare", "Are two results the same bits? If not, where first?");
    auto command = bind(*app, result, handlers.compare);
    add_place(*app, "A", command->left, "Output directory of a run");
    add_place(*app, "B", command->right, "Output directory of another run");
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

void add_launch(CLI::App& parent, Command& result, const CommonHandlers& handlers) {
    auto* app = parent.add_subcommand("launch", "Start ranks on this machine, without MPI");
    auto command = bind(*app, result, handlers.launch);
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

void add_doctor(CLI::App& parent, Command& result, const CommonHandlers& handlers) {
    auto* app =
        parent.add_subcommand("doctor", "What is installed, which ranks there are, what is slow");
    auto command = bind(*app, result, handlers.doctor);
    app->add_option("--backend", command->backend, "As in 'run' [found out]")->type_name("NAME");
    add_json(*app, command->voice);
    app->footer(footer(R"(  lockstep doctor
      this machine; exchanges between two threads that act as ranks
  lockstep launch -n 2 --backend tcp -- lockstep doctor
  mpirun -n 2 lockstep doctor --json
      the ranks as they are started, and how fast they exchange
)"));
}

void add_version(CLI::App& parent, Command& result, const CommonHandlers& handlers) {
    auto* app = parent.add_subcommand("version", "Version, compiler and libraries");
    auto command = bind(*app, result, handlers.version);
    add_json(*app, command->voice);
    app->footer(footer("  lockstep version --json\n"));
}

// The table that parses is also what is printed, so both commands hold on to it.
void add_completion(CLI::App& parent, Command& result, const CommonHandlers& handlers) {
    auto* app = parent.add_subcommand("completion", "Print a script that completes commands");
    auto shell = std::make_shared<std::string>("bash");
    app->add_option("SHELL", *shell, "bash, zsh or fish")
        ->required()
        ->type_name(" ")
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    app->callback([&parent, &result, shell, print = handlers.help] {
        result.call = [print, text = completion_script(parent, *shell)] { return print(text); };
    });
    app->footer(
        footer(R"(  lockstep completion bash > ~/.local/share/bash-completion/completions/lockstep
  lockstep completion zsh > "${fpath[1]}/_lockstep"
  lockstep completion fish > ~/.config/fish/completions/lockstep.fish
)"));
}

const CLI::App* inner_command(const CLI::App& app, const std::string& name) {
    for (const auto* command : app.get_subcommands(nullptr)) {
        if (command->get_name() == name) {
            return command;
        }
    }
    throw UsageError(fmt::format("there is no command '{}'", name));
}

void add_man(CLI::App& parent, Command& result, const CommonHandlers& handlers) {
    auto* app = parent.add_subcommand("man", "Print a manual page");
    auto words = std::make_shared<std::vector<std::string>>();
    app->add_option("COMMAND", *words, "Which command's [the program's]")->type_name(" ");
    auto wants_options = std::make_shared<bool>(false);
    app->add_flag("--options", *wants_options, "All options of all engines, as Markdown");
    app->callback([&parent, &result, words, wants_options, print = handlers.help] {
        if (*wants_options) {
            result.call = [print] { return print(app::options_page()); };
            return;
        }
        const CLI::App* page = &parent;
        for (const auto& word : *words) {
            page = inner_command(*page, word);
        }
        result.call = [print, text = man_page(*page)] { return print(text); };
    });
    app->footer(footer(R"(  lockstep man > lockstep.1
    lockstep man sddp run | man -l -
  lockstep man --options > docs/options.md
)"));
}

std::string shorthand_lines() {
    std::string lines = "\nWithout naming the engine\n";
    for (const auto& entry : shorthands()) {
        lines += fmt::format("  {:<20}{}\n", entry.name, entry.help);
    }
    return lines;
}

void add_commands(CLI::App& app, Command& result, const Handlers& handlers) {
    app.require_subcommand(1);
    app.add_flag_callback(
        "--version", [] { throw CLI::CallForVersion(); }, "As 'lockstep version'");
    add_sddp(app, result, handlers.sddp);
    add_xpcs(app, result, handlers.xpcs);
    add_rl(app, result, handlers.rl);
    add_report(app, result, handlers.common);
    add_compare(app, result, handlers.common);
    add_launch(app, result, handlers.common);
    add_doctor(app, result, handlers.common);
    add_completion(app, result, handlers.common);
    add_man(app, result, handlers.common);
    add_version(app, result, handlers.common);
    app.footer(shorthand_lines() +
               footer(R"(  lockstep run cases/sddp/pmo-small             train, simulate, summarise
  lockstep report cases/sddp/pmo-small/output   one HTML page with all plots
  lockstep init mycase                          a small case to start from
  lockstep COMMAND --help                       more examples
)"));
}

// A wrapper may add its own value behind that of an alias. Lists, as of --set, keep all.
void let_the_last_count(CLI::App& app) {
    for (auto* option : app.get_options()) {
        if (!option->get_positional() && option->get_items_expected_max() == 1 &&
            option->get_multi_option_policy() == CLI::MultiOptionPolicy::Throw) {
            option->take_last();
        }
    }
    for (auto* command : app.get_subcommands(nullptr)) {
        let_the_last_count(*command);
    }
}

// The innermost command that the command line names.
CLI::App& chosen(CLI::App& app) {
    const auto inner = app.get_subcommands();
    return inner.empty() ? app : chosen(*inner.front());
}

std::vector<std::string> words_of(const CLI::App& app, bool options) {
    if (options) {
        return option_names(app);
    }
    auto words = command_names(app);
    if (app.get_parent() == nullptr) {
        for (const auto& entry : shorthands()) {
            words.emplace_back(entry.name);
        }
    }
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

[[noreturn]] void fail(CLI::App& app, const CLI::ParseError& error) {
    auto& command = chosen(app);
    const auto extra = app.remaining(true);
    // A wrong value keeps what follows it from being read.
    const auto is_value = dynamic_cast<const CLI::ConversionError*>(&error) != nullptr ||
                          dynamic_cast<const CLI::ValidationError*>(&error) != nullptr;
    const auto is_unknown = !extra.empty() && extra.front() != "--" && !is_value;
    throw UsageError(fmt::format("{}\nSee '{} --help'.",
                                 is_unknown ? unknown_word(command, extra.front()) : error.what(),
                                 full_name(command)));
}

}  // namespace

Command parse(int argc, const char* const* argv, const Handlers& handlers) {
    CLI::App app("Planning under uncertainty with the same bits on any number of threads and ranks",
                 "lockstep");
    app.get_formatter()->column_width(32);
    Command result;
    add_commands(app, result, handlers);
    let_the_last_count(app);
    auto words = expand({argv + std::min(argc, 1), argv + argc});
    try {
        std::reverse(words.begin(), words.end());  // as CLI11 takes them
        app.parse(std::move(words));
    } catch (const CLI::CallForHelp&) {
        return {[help = handlers.common.help, text = app.help()] { return help(text); }, {}};
    } catch (const CLI::CallForVersion&) {
        return {[version = handlers.common.version] { return version({}); }, {}};
    } catch (const CLI::ParseError& error) {
        fail(app, error);
    }
    return result;
}

}  // namespace lockstep::cli
