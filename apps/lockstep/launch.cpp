#include "lockstep/app/launch.hpp"

#include "common_commands.hpp"
#include "terminal.hpp"

namespace lockstep::cli {

int execute(const LaunchCommand& command) {
    return app::launch(command.request,
                       [](const std::string& text) { tell("lockstep launch: " + text + "\n"); });
}

}  // namespace lockstep::cli
