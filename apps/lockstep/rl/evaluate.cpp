#include "lockstep/app/rl/evaluate.hpp"

#include <fmt/format.h>

#include "lockstep/app/text.hpp"

#include "json_lines.hpp"
#include "rl/commands.hpp"
#include "summary_lines.hpp"
#include "terminal.hpp"

namespace lockstep::cli {
namespace {

std::string bounded_line(const char* name, const formats::rl::BoundedValue& value) {
    return summary_line(
        name,
        app::digits(value.value, 9),
        fmt::format("proven: {} to {}", app::exact(value.lower), app::exact(value.upper)));
}

std::string sampled_text(const app::SampledReturn& sampled) {
    auto text = summary_line(
        "return",
        fmt::format("{} +- {}", app::digits(sampled.mean), app::digits(sampled.half_width_95, 3)),
        fmt::format("95 %, {} played", app::plural(sampled.episodes, "episode")));
    text +=
        summary_line("",
                     fmt::format("{} to {}", app::digits(sampled.min), app::digits(sampled.max)),
                     fmt::format("{} steps long", app::digits(sampled.length, 4)));
    if (sampled.cut > 0) {
        text += summary_line("", app::plural(sampled.cut, "episode"), "cut by the time limit");
    }
    return text;
}

std::string game_line(const char* name, const rl::GameResult& result, const std::string& remark) {
    return summary_line(name,
                        fmt::format("{} / {} / {}",
                                    app::percent(result.win),
                                    app::percent(result.draw),
                                    app::percent(result.loss)),
                        remark);
}

std::string match_text(const app::Match& match) {
    return game_line("moving first", match.first, "won / drawn / lost against " + match.against) +
           game_line("moving second", match.second, "exact");
}

std::string evaluation_text(const app::Evaluation& evaluation) {
    auto text = summary_line("environment", evaluation.environment);
    text += summary_line("criterion", "discount factor " + app::exact(evaluation.discount_factor));
    if (evaluation.value) {
        text += bounded_line("value at start", *evaluation.value);
    }
    if (evaluation.optimum) {
        text += bounded_line("optimum", *evaluation.optimum);
    }
    if (!evaluation.why_no_optimum.empty()) {
        text += summary_line("optimum", "unknown", evaluation.why_no_optimum);
    }
    if (evaluation.value && evaluation.optimum) {
        text += summary_line(
            "gap",
            app::digits(formats::rl::gap_to(*evaluation.optimum, *evaluation.value), 4),
            fmt::format("best actions in {} of the states with worse ones",
                        app::percent(evaluation.policy_match.value_or(0))));
    }
    if (evaluation.exploitability) {
        text += summary_line("exploitability",
                             app::digits(*evaluation.exploitability, 4),
                             "what the best opponent gains on average");
    }
    for (const auto& match : evaluation.matches) {
        text += match_text(match);
    }
    return evaluation.sampled ? text + sampled_text(*evaluation.sampled) : text;
}

}  // namespace

int execute(const RlEvaluateCommand& command) {
    const auto evaluation = app::evaluate_run(command.request);
    if (command.voice.json) {
        print_line(to_json(evaluation));
    } else {
        print(evaluation_text(evaluation));
    }
    return 0;
}

}  // namespace lockstep::cli
