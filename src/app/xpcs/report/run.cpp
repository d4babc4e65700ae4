#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lockstep/app/text.hpp"

#include "app/xpcs/report/parts.hpp"

namespace lockstep::app {

void add_run(io::Page& page, const XpcsResults& results) {
    const auto& run = results.metadata.run;
    const auto& data = results.fit.data;
    std::vector<std::vector<std::string>> rows = {{"Configuration", results.metadata.input},
                                                  {"Data", data.file},
                                                  {"Layout", data.layout},
                                                  {"q [1/Å]", exact(data.q)},
                                                  {"Gap [Å]", exact(data.gap)},
                                                  {"Frame interval [s]", exact(data.dt)},
                                                  {"Digest of the fit", results.fit.digest}};
    if (results.posterior) {
        rows.push_back({"Digest of the draws", results.posterior->digest});
        rows.push_back({"Time of the sampling", duration(results.posterior->seconds)});
    }
    rows.insert(rows.end(),
                {{"Digest of the input", results.metadata.input_digest},
                 {"Hosts", fmt::format("{}", fmt::join(run.hosts, ", "))},
                 {"Ranks × threads", fmt::format("{} × {}", run.ranks, run.threads_per_rank)},
                 {"Exchange", run.backend},
                 {"Started", run.started_at},
                 {"Completed", run.completed_at}});
    for (const auto& warning : run.warnings) {
        rows.push_back({"Warning", warning});
    }
    page.heading("This run");
    page.table({"", ""}, rows);
}

}  // namespace lockstep::app
