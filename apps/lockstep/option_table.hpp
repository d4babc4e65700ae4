#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace lockstep::cli {

// Names in the table that parses the command line, for messages, manual pages and completions.

/// A command with those that it is part of: "lockstep sddp run".
inline std::string full_name(const CLI::App& app, std::string_view separator = " ") {
    const auto* parent = app.get_parent();
    return parent == nullptr
               ? app.get_name()
               : full_name(*parent, separator).append(separator).append(app.get_name());
}

inline std::vector<std::string> command_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const auto* command : app.get_subcommands(nullptr)) {
        names.push_back(command->get_name());
    }
    return names;
}

/// "--output", "--threads" …
inline std::vector<std::string> option_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const auto* option : app.get_options()) {
        for (const auto& name : option->get_lnames()) {
            names.push_back("--" + name);
        }
    }
    return names;
}

}  // namespace lockstep::cli
