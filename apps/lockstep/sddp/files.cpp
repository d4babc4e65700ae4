#include <fmt/format.h>

#include "lockstep/app/sddp/convert.hpp"
#include "lockstep/app/sddp/init.hpp"
#include "lockstep/app/sddp/schema.hpp"

#include "sddp/commands.hpp"
#include "terminal.hpp"

// Commands that make files and tell their names.

namespace lockstep::cli {
namespace {

void print_templates() {
    for (const auto& entry : app::case_templates()) {
        print(fmt::format("{:<16}{}\n", entry.name, entry.description));
    }
}

}  // namespace

int execute(const InitCommand& command) {
    if (command.list) {
        print_templates();
        return 0;
    }
    const auto directory = app::init_case(command.request).string();
    print(fmt::format("{}\n\nNext: lockstep run {}\n", directory, directory));
    return 0;
}

int execute(const ConvertCommand& command) {
    const auto conversion = app::convert_case(command.from, command.to);
    for (const auto& warning : conversion.warnings) {
        tell("warning: " + warning + "\n");
    }
    const auto directory = command.to.string();
    print(fmt::format("{}: {} files\n\nNext: lockstep sddp validate {}\n",
                      directory,
                      conversion.files.size(),
                      directory));
    return 0;
}

int execute(const SchemaCommand& command) {
    if (command.markdown) {
        print(app::field_reference());
        return 0;
    }
    for (const auto& file : app::write_schemas(command.output_directory)) {
        print(file.string() + "\n");
    }
    return 0;
}

}  // namespace lockstep::cli
