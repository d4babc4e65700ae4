#include "program.hpp"

#include <csignal>
#include <filesystem>
#include <utility>

#include "lockstep/base/error.hpp"

#include "command_line.hpp"
#include "guarded.hpp"
#include "ranks.hpp"

namespace lockstep::cli {
namespace {

std::vector<std::string>& command_of_this() {
    static std::vector<std::string> words{std::filesystem::read_symlink("/proc/self/exe").string()};
    return words;
}

}  // namespace

int run_program(int argc, const char* const* argv, std::vector<std::string> own_command) {
    // A reader that goes away must not end a run that also writes files; a file over the size limit
    // is an error like a full disk.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    if (!own_command.empty()) {
        command_of_this() = std::move(own_command);
    }
    Command command;
    const auto parsed = guarded({}, [&] {
        try {
            command = parse(argc, argv);
            return 0;
        } catch (const Error& error) {
            if (is_claimed_first()) {
                throw;
            }
            return error.exit_code();
        }
    });
    return parsed != 0 ? parsed : guarded(command.voice, command.call);
}

const std::vector<std::string>& own_command() {
    return command_of_this();
}

}  // namespace lockstep::cli
