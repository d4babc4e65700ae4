#include <fmt/format.h>

#include "lockstep/base/build_info.hpp"

#include "common_commands.hpp"
#include "json_lines.hpp"
#include "terminal.hpp"

namespace lockstep::cli {
namespace {

io::Json version_json(const BuildInfo& info) {
    auto object = io::Json::object();
    object.set("program", "lockstep");
    object.set("version", info.version);
    object.set("commit", info.commit);
    object.set("compiler", info.compiler);
    object.set("flags", info.flags);
    object.set("build_type", info.build_type);
    auto libraries = io::Json::object();
    for (const auto& library : info.libraries) {
        libraries.set(library.name, library.version);
    }
    object.set("libraries", std::move(libraries));
    return object;
}

std::string version_text(const BuildInfo& info) {
    auto text = fmt::format("lockstep {} ({})\n", info.version, info.commit);
    const auto add = [&](std::string_view name, std::string_view value) {
        text += fmt::format("{:<16}{}\n", name, value);
    };
    add("compiler", info.compiler);
    add("flags", info.flags);
    add("build", info.build_type);
    for (const auto& library : info.libraries) {
        add(library.name, library.version);
    }
    return text;
}

}  // namespace

int execute(const VersionCommand& command) {
    if (command.voice.json) {
        print_line(version_json(build_info()));
    } else {
        print(version_text(build_info()));
    }
    return 0;
}

int print_help(const std::string& text) {
    print(text);
    return 0;
}

}  // namespace lockstep::cli
