#include "manual.hpp"

#include <functional>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lockstep/base/build_info.hpp"

#include "option_table.hpp"
#include "shorthand.hpp"

namespace lockstep::cli {
namespace {

// A hyphen is a minus sign to type, a dot at the start of a line a command of roff.
std::string roff(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '-' || c == '\\') {
            out += '\\';
        }
        if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
            out += "\\&";
        }
        out += c;
    }
    return out;
}

// Without the range, which the description or a message tells.
std::string type_of(const CLI::Option& option) {
    const auto name = option.get_type_name();
    return name.substr(0, name.find(':'));
}

std::string option_page(const CLI::Option& option) {
    const auto name = option.get_positional()
                          ? option.get_name(true)
                          : fmt::format("{} {}", option.get_name(false, true), type_of(option));
    return fmt::format(".TP\n.B {}\n{}\n", roff(name), roff(option.get_description()));
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
    std::vector<const CLI::App*> commands;
    for (const auto* command : app.get_subcommands(nullptr)) {
        commands.push_back(command);
    }
    return commands;
}

/// Words that may follow the words of a command.
struct Choice {
    std::vector<std::string> path;  // "sddp", "run"
    std::vector<std::string> words;
};

std::vector<std::string> words_of(const CLI::App& app) {
    auto words = command_names(app);
    const auto options = option_names(app);
    words.insert(words.end(), options.begin(), options.end());
    return words;
}

void collect(const CLI::App& app, const std::vector<std::string>& path, std::vector<Choice>& out) {
    out.push_back({path, words_of(app)});
    for (const auto* command : commands_of(app)) {
        auto inner = path;
        inner.push_back(command->get_name());
        collect(*command, inner, out);
    }
}

// Shorthands have the words of the engine's command.
std::vector<Choice> choices_of(const CLI::App& app) {
    std::vector<Choice> choices;
    collect(app, {}, choices);
    const auto known = choices.size();
    for (const auto& entry : shorthands()) {
        choices.front().words.emplace_back(entry.name);
        for (std::size_t i = 0; i < known; ++i) {
            if (choices[i].path.size() == 2 && choices[i].path.back() == entry.name) {
                choices.push_back({{std::string(entry.name)}, choices[i].words});
            }
        }
    }
    return choices;
}

std::string bash_script(const std::vector<Choice>& choices) {
    std::string cases;
    for (const auto& choice : choices) {
        cases += fmt::format("        \"{}\") words=\"{}\" ;;\n",
                             fmt::join(choice.path, " "),
                             fmt::join(choice.words, " "));
    }
    return fmt::format(
        R"(# lockstep completion bash > ~/.local/share/bash-completion/completions/lockstep
_lockstep() {{
    local word path="" words=""
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case $word in -*) break ;; esac
        _lockstep_is_command "$path${{path:+ }}$word" && path="$path${{path:+ }}$word"
    done
    case $path in
{0}    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"; compgen -f -- "${{COMP_WORDS[COMP_CWORD]}}")
}}
_lockstep_is_command() {{
    local words=""
    case $1 in
{0}    esac
    [ -n "$words" ]
}}
complete -o filenames -F _lockstep lockstep
)",
        cases);
}

std::string fish_script(const std::vector<Choice>& choices) {
    std::string text = "# lockstep completion fish > ~/.config/fish/completions/lockstep.fish\n";
    for (const auto& choice : choices) {
        std::string condition = "__fish_use_subcommand";
        if (!choice.path.empty()) {
            condition = fmt::format("__fish_seen_subcommand_from {}", choice.path.back());
        }
        for (const auto& word : choice.words) {
            text +=
                word.starts_with("--")
                    ? fmt::format("complete -c lockstep -n '{}' -l {}\n", condition, word.substr(2))
                    : fmt::format("complete -c lockstep -n '{}' -a {}\n", condition, word);
        }
    }
    return text;
}

// zsh takes bash's script through its own bridge.
std::string zsh_script(const std::vector<Choice>& choices) {
    return "#compdef lockstep\n# lockstep completion zsh > ${fpath[1]}/_lockstep\n"
           "autoload -Uz bashcompinit && bashcompinit\n" +
           bash_script(choices);
}

}  // namespace

std::string man_page(const CLI::App& app) {
    auto text = fmt::format(".TH {} 1 \"\" \"lockstep {}\"\n.SH NAME\n{} \\- {}\n",
                            roff(full_name(app, "-")),
                            build_info().version,
                            roff(full_name(app, "-")),
                            roff(app.get_description()));
    text += fmt::format(".SH SYNOPSIS\n.B {}\n[OPTIONS]{}\n",
                        roff(full_name(app, " ")),
                        commands_of(app).empty() ? "" : " COMMAND");
    if (!commands_of(app).empty()) {
        text += ".SH COMMANDS\n";
        for (const auto* command : commands_of(app)) {
            text += fmt::format(
                ".TP\n.B {}\n{}\n", roff(command->get_name()), roff(command->get_description()));
        }
    }
    text += ".SH OPTIONS\n";
    for (const auto* option : app.get_options()) {
        text += option_page(*option);
    }
    return text + ".SH MORE\n.nf\n" + roff(app.get_footer()) + ".fi\n";
}

std::string completion_script(const CLI::App& app, const std::string& shell) {
    const auto choices = choices_of(app);
    if (shell == "fish") {
        return fish_script(choices);
    }
    return shell == "zsh" ? zsh_script(choices) : bash_script(choices);
}

}  // namespace lockstep::cli
