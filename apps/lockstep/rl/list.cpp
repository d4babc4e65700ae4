#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lockstep/app/rl/catalogue.hpp"
#include "lockstep/app/text.hpp"

#include "json_lines.hpp"
#include "rl/commands.hpp"
#include "terminal.hpp"

namespace lockstep::cli {
namespace {

std::string chapter_text(const app::Chapter& chapter) {
    std::size_t widest = 0;
    for (const auto& entry : chapter.entries) {
        widest = std::max(widest, entry.name.size());
    }
    auto text = chapter.title + "\n";
    for (const auto& entry : chapter.entries) {
        text += fmt::format("  {:<{}}{}\n", entry.name, widest + 2, entry.about);
    }
    return text;
}

std::string catalogue_text(const std::vector<app::Chapter>& chapters) {
    std::string text;
    for (const auto& chapter : chapters) {
        text += (text.empty() ? "" : "\n") + chapter_text(chapter);
    }
    return text + "\nParameters of an environment: lockstep rl list NAME\n";
}

std::string parameter_text(const rl::EnvironmentParameter& parameter) {
    return fmt::format("  {:<20}{} [{}]\n{:<22}{}\n",
                       parameter.name,
                       parameter.about,
                       parameter.fallback.empty() ? "none" : parameter.fallback,
                       "",
                       parameter.range.empty() ? "any text" : parameter.range);
}

std::string facts_text(const app::EnvironmentFacts& facts) {
    const auto& entry = facts.entry;
    auto text = fmt::format("{}: {}\n", entry.name, entry.about);
    if (!entry.aliases.empty()) {
        text += fmt::format("also {}\n", fmt::join(entry.aliases, ", "));
    }
    text += fmt::format("\n{}\n{}, {}, {}\n",
                        facts.rules,
                        app::plural(facts.states, "state"),
                        app::plural(facts.actions, "action"),
                        facts.is_known ? "all probabilities known"
                                       : "hidden state or two players: no exact solution");
    text += "\nParameters (--set NAME=VALUE)\n";
    for (const auto& parameter : entry.parameters) {
        text += parameter_text(parameter);
    }
    return text;
}

template <typename T, typename ToText>
void show(const T& value, const Voice& voice, ToText to_text) {
    if (voice.json) {
        print_line(to_json(value));
    } else {
        print(to_text(value));
    }
}

}  // namespace

int execute(const RlListCommand& command) {
    if (command.environment.empty()) {
        show(app::catalogue(), command.voice, catalogue_text);
    } else {
        show(app::environment_facts(command.environment), command.voice, facts_text);
    }
    return 0;
}

}  // namespace lockstep::cli
