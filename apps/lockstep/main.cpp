#include <csignal>
#include <variant>

#include "lockstep/base/error.hpp"

#include "commands.hpp"
#include "guarded.hpp"
#include "ranks.hpp"

namespace lockstep::cli {
namespace {

Voice voice_of(const Command& command) {
    return std::visit(
        [](const auto& chosen) {
            if constexpr (requires { chosen.voice; })
                return chosen.voice;
            else
                return Voice{};
        },
        command);
}

int run_command(int argc, const char* const* argv) {
    Command command;
    const auto parsed = guarded({}, [&] {
        try {
            command = parse(argc, argv);
            return 0;
        } catch (const UsageError& error) {
            if (is_claimed_first())
                throw;
            return error.exit_code();
        }
    });
    if (parsed != 0)
        return parsed;
    return guarded(voice_of(command), [&] {
        return std::visit([](const auto& chosen) { return execute(chosen); }, command);
    });
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
