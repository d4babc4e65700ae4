#include "lockstep/app/options_page.hpp"

#include <cmath>

#include <fmt/format.h>

#include "lockstep/app/option.hpp"
#include "lockstep/app/rl/options.hpp"
#include "lockstep/app/sddp/options.hpp"
#include "lockstep/app/xpcs/options.hpp"

namespace lockstep::app {

namespace {

constexpr auto introduction =
    R"(# Options

Every option of every engine, from the records that the program and its Python package are made of: `lockstep man --options > docs/options.md`.
On a command line an option has hyphens, `--learning-rate 0.1`; in configuration files of `rl train` and in Python underscores, `learning_rate=0.1`. A switch is given or not: `--resume`, `resume=True`;
one that begins with `no-` switches off what is on: `--no-warm-start`, `warm_start=False`. Fields of case and configuration files: [fields.md](fields.md), [xpcs/configuration.md](xpcs/configuration.md).
)";

std::string flag_of(const Option& option) {
    const bool is_off = option.type == Option::Type::off_switch;
    auto text = fmt::format("`--{}{}`", is_off ? "no-" : "", hyphened(option.name));
    if (option.letter != 0) {
        text += fmt::format(", `-{}`", option.letter);
    }
    for (const auto alias : option.aliases) {
        text += fmt::format(", `--{}`", hyphened(alias));
    }
    return text;
}

std::string type_of(const Option& option) {
    using enum Option::Type;
    switch (option.type) {
        case flag:
        case off_switch:
            return "switch";
        case boolean:
            return "true or false";
        case whole:
            return "whole number";
        case real:
            return "number";
        case choice:
            return "choice";
        case place:
            return "file or folder";
        case pair:
            return "KEY=VALUE";
        case number:
            return "numbers";
        case text:
            return "text";
    }
    return "";
}

std::string allowed_of(const Option& option) {
    if (option.type == Option::Type::choice) {
        return fmt::format("`{}`", fmt::join(option.choices, "`, `"));
    }
    const bool has_least = std::isfinite(option.least);
    const bool has_most = std::isfinite(option.most);
    if (has_least && has_most) {
        return fmt::format("{} to {}", option.least, option.most);
    }
    return option.least == above_zero ? "> 0"
           : has_least                ? fmt::format("≥ {}", option.least)
           : has_most                 ? fmt::format("≤ {}", option.most)
                                      : "";
}

// Cells may hold bars.
std::string cell(std::string_view text) {
    std::string out;
    for (const char c : text) {
        out += c == '|' ? std::string("\\|") : std::string(1, c);
    }
    return out;
}

std::string row(const Option& option) {
    return fmt::format("| {} | `{}` | {} | {} | {} | {} | {} |\n",
                       flag_of(option),
                       option.name,
                       type_of(option),
                       option.unit,
                       allowed_of(option),
                       cell(option.fallback),
                       cell(option.about));
}

template <typename Request>
std::string section(std::string_view command, const OptionTable<Request>& table) {
    auto text = fmt::format(
        "\n## lockstep {}\n\n| Option | In Python | Type | Unit | Allowed | Otherwise | What it "
        "says "
        "|\n| --- | --- | --- | --- | --- | --- | --- |\n",
        command);
    for (const auto& entry : table) {
        text += row(entry.option);
    }
    return text;
}

}  // namespace

std::string options_page() {
    auto xpcs = xpcs_run_options(XpcsWork::both);
    append(xpcs, xpcs_method_option());
    return introduction + section("sddp run", run_case_options()) +
           section("sddp simulate", simulate_case_options()) +
           section("sddp evaluate", policy_options()) + section("xpcs run, fit, sample", xpcs) +
           section("xpcs batch", xpcs_batch_options()) +
           section("xpcs simulate", xpcs_simulate_options()) +
           section("rl train, serve", train_request_options()) +
           section("rl solve", solve_options()) + section("rl evaluate", evaluate_options());
}

}  // namespace lockstep::app
