#pragma once

#include <functional>
#include <string_view>

#include <CLI/CLI.hpp>

#include "lockstep/app/option.hpp"

namespace lockstep::cli {

/// An option of the command line, of a record.
CLI::Option* add_option(CLI::App& app,
                        const app::Option& option,
                        std::function<void(std::string_view)> set);
/// Options that cannot stand beside others, or say nothing without them. @pre all are added
void relate(CLI::App& app, const app::Option& option);

/// Options of the command line that fill a request, which must live as long as the command.
template <typename Request>
void add_options(CLI::App& app, const app::OptionTable<Request>& table, Request& request) {
    for (const auto& [option, set] : table) {
        add_option(app, option, [&request, set](std::string_view text) { set(request, text); });
    }
    for (const auto& row : table) {
        relate(app, row.option);
    }
}

}  // namespace lockstep::cli
