#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lockstep/app/text.hpp"

#include "app/rl/report/parts.hpp"

namespace lockstep::app {

void add_run(io::Page& page,
             const formats::OutputMetadata& metadata,
             const formats::rl::EnvironmentRecord& environment,
             const std::string& digest) {
    const auto& run = metadata.run;
    std::vector<std::vector<std::string>> rows = {
        {"Environment", environment.name},
        {"Rules", environment.rules},
        {"States × actions",
         fmt::format("{} × {}", count(environment.states), count(environment.actions))},
        {"Digest of the result", digest},
        {"Digest of the input", metadata.input_digest},
        {"Hosts", fmt::format("{}", fmt::join(run.hosts, ", "))},
        {"Ranks × threads", fmt::format("{} × {}", run.ranks, run.threads_per_rank)},
        {"Exchange", run.backend},
        {"Started", run.started_at},
        {"Completed", run.completed_at}};
    for (const auto& [name, value] : environment.options) {
        rows.push_back({"Parameter " + name, value});
    }
    page.heading("This run");
    page.table({"", ""}, rows);
}

}  // namespace lockstep::app
