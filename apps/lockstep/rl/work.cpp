#include "lockstep/app/rl/work.hpp"

#include <fmt/format.h>

#include "lockstep/app/text.hpp"
#include "lockstep/comm/process_environment.hpp"

#include "json_lines.hpp"
#include "rl/commands.hpp"
#include "terminal.hpp"

namespace lockstep::cli {

int execute(const RlWorkCommand& command) {
    app::WorkRequest request{
        comm::hub_config("SERVER", command.server, comm::process_environment()), command.threads};
    const auto outcome = app::work_process(request, [&](const std::string& sentence) {
        if (!command.voice.quiet && !command.voice.json) {
            print(sentence + "\n");
        }
    });
    const auto& work = outcome.work;
    if (command.voice.json) {
        print_line(io::Json::Object{{"environment", outcome.environment},
                                    {"transitions", work.transitions},
                                    {"leases", work.leases},
                                    {"reconnects", work.reconnects},
                                    {"learn_seconds", work.learn_seconds},
                                    {"seconds", work.seconds}});
    } else if (!command.voice.quiet) {
        print(fmt::format("{} steps in {}, {}{}\n",
                          app::count(work.transitions),
                          app::plural(work.leases, "lease"),
                          app::duration(work.seconds),
                          outcome.signal != 0 ? ", ended by request" : ""));
    }
    return outcome.signal == 0 ? 0 : 128 + outcome.signal;
}

}  // namespace lockstep::cli
