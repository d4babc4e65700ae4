#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "command_line.hpp"

namespace lockstep::cli {

// Options that commands of every engine have, and how a command hands back what to call.

/// A command's struct, called by `handler` when the command line names it.
template <typename T>
std::shared_ptr<T> bind(CLI::App& app, Command& result, Handler<T> handler) {
    auto command = std::make_shared<T>();
    app.callback([&result, command, handler = std::move(handler)] {
        result.call = [command, handler] { return handler(*command); };
        if constexpr (requires { command->voice; }) {
            result.voice = command->voice;
        }
    });
    return command;
}

/// Text below the options of a command: examples, exit codes and what `more_codes` adds to them.
std::string footer(std::string_view examples, std::string_view more_codes = {});
/// Exit codes of commands that a signal may end early.
extern const std::string_view signal_codes;

/// For names of files and folders: an empty word is most often a variable of a script that is not
/// set. Why a text will not do; "": it will.
std::string not_empty(const std::string& text);

/// A file or folder that the command is about.
void add_place(CLI::App& app,
               const std::string& name,
               std::filesystem::path& place,
               const std::string& help);
void add_json(CLI::App& app, Voice& voice, const std::string& help = "JSON on stdout");
void add_voice(CLI::App& app, Voice& voice);

}  // namespace lockstep::cli
