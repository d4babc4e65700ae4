#include <csignal>

#include "lockstep/base/error.hpp"

#include "command_line.hpp"
#include "guarded.hpp"
#include "ranks.hpp"

namespace lockstep::cli {
namespace {

int run_command(int argc, const char* const* argv) {
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
    if (parsed != 0) {
        return parsed;
    }
    return guarded(command.voice, command.call);
}

}  // namespace

}  // namespace lockstep::cli

int main(int argc, char** argv) {
    // A reader that goes away must not end a run that also writes files; a file over the size limit
    // is an error like a full disk.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    return lockstep::cli::run_command(argc, argv);
}
