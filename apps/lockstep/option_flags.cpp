#include "option_flags.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

namespace lockstep::cli {
namespace {

using Set = std::function<void(std::string_view)>;

std::string long_name(const app::Option& option) {
    const bool is_off = option.type == app::Option::Type::off_switch;
    return (is_off ? "--no-" : "--") + app::hyphened(option.name);
}

std::string names(const app::Option& option) {
    auto text = long_name(option);
    for (const auto alias : option.aliases) {
        text += ",--" + app::hyphened(alias);
    }
    if (option.letter != 0) {
        text += std::string(",-") + option.letter;
    }
    return text;
}

std::string help(const app::Option& option) {
    return option.fallback.empty() || option.type == app::Option::Type::off_switch
               ? std::string(option.about)
               : fmt::format("{} [{}]", option.about, option.fallback);
}

// What only the meaning of a value can tell is the command line's fault too.
void call(const Set& set, const app::Option& option, std::string_view text) {
    try {
        set(text);
    } catch (const InputError& error) {
        throw CLI::ValidationError(long_name(option), error.what());
    }
}

CLI::Option* add_switch(CLI::App& app, const app::Option& option, Set set) {
    const bool is_off = option.type == app::Option::Type::off_switch;
    return app.add_flag_function(
        names(option),
        [option, set = std::move(set), is_off](std::int64_t count) {
            if (count > 0) {
                call(set, option, is_off ? "false" : "true");
            }
        },
        help(option));
}

CLI::Option* add_repeated(CLI::App& app, const app::Option& option, Set set) {
    auto* added = app.add_option_function<std::vector<std::string>>(
        names(option),
        [option, set = std::move(set)](const std::vector<std::string>& texts) {
            for (const auto& text : texts) {
                call(set, option, text);
            }
        },
        help(option));
    return added->expected(1)->take_all();
}

CLI::Option* add_single(CLI::App& app, const app::Option& option, Set set) {
    return app.add_option_function<std::string>(
        names(option),
        [option, set = std::move(set)](const std::string& text) { call(set, option, text); },
        help(option));
}

CLI::Option* add_value(CLI::App& app, const app::Option& option, Set set) {
    auto* added = option.is_repeated ? add_repeated(app, option, std::move(set))
                                     : add_single(app, option, std::move(set));
    return added->type_name(std::string(option.value))->check([option](const std::string& text) {
        return app::complaint(option, text);
    });
}

}  // namespace

CLI::Option* add_option(CLI::App& app, const app::Option& option, Set set) {
    using enum app::Option::Type;
    const bool is_switch = option.type == flag || option.type == off_switch;
    auto* added = is_switch ? add_switch(app, option, std::move(set))
                            : add_value(app, option, std::move(set));
    if (!option.group.empty()) {
        added->group(std::string(option.group));
    }
    if (!option.variable.empty()) {
        added->envname(std::string(option.variable));
    }
    return added;
}

void relate(CLI::App& app, const app::Option& option) {
    auto* added = app.get_option(long_name(option));
    if (!option.excludes.empty()) {
        added->excludes(app.get_option("--" + app::hyphened(option.excludes)));
    }
    if (!option.needs.empty()) {
        added->needs(app.get_option("--" + app::hyphened(option.needs)));
    }
}

}  // namespace lockstep::cli
