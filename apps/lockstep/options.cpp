#include "options.hpp"

#include <fmt/format.h>

namespace lockstep::cli {
namespace {

constexpr auto exit_codes = R"(
Exit codes
  0    done
  64   the command line is wrong
  65   the input is wrong, or a problem in it has no solution
  66   a file is missing or cannot be read
  69   a feature that this build leaves out
  70   a bug in this program
  71   another rank failed, or there is not enough memory
  74   a file cannot be written
)";

}  // namespace

std::string not_empty(const std::string& text) {
    return text.empty() ? "must not be empty" : "";
}

const std::string_view signal_codes =
    R"(  130  ended early by Ctrl-C (SIGINT); what was done is written
  143  ended early by SIGTERM; what was done is written
       A second signal ends at once; the output is then incomplete.
)";

std::string footer(std::string_view examples, std::string_view more_codes) {
    return fmt::format("\nExamples\n{}{}{}", examples, exit_codes, more_codes);
}

void add_place(CLI::App& app,
               const std::string& name,
               std::filesystem::path& place,
               const std::string& help) {
    app.add_option(name, place, help)->required()->type_name(" ")->check(not_empty);
}

void add_json(CLI::App& app, Voice& voice, const std::string& help) {
    app.add_flag("--json", voice.json, help);
}

void add_voice(CLI::App& app, Voice& voice) {
    app.add_flag("--quiet,-q", voice.quiet, "No progress, no summary; errors and trouble only");
    add_json(app, voice, "One JSON object a line on stdout instead of text");
}

}  // namespace lockstep::cli
