#pragma once

#include <string>

namespace CLI {
class App;
}

namespace lockstep::cli {

// Written from the option table that parses the command line, so that they cannot disagree.

/// A manual page in roff of a command, or of the whole program.
std::string man_page(const CLI::App& app);

/// Completion for a shell: "bash", "zsh" or "fish".
std::string completion_script(const CLI::App& app, const std::string& shell);

}  // namespace lockstep::cli
