#include "lockstep/app/report.hpp"

#include "common_commands.hpp"
#include "terminal.hpp"

namespace lockstep::cli {

int execute(const ReportCommand& command) {
    print(app::make_report(command.output_directory, command.page).string() + "\n");
    return 0;
}

}  // namespace lockstep::cli
