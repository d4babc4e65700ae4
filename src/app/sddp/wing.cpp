#include "app/sddp/wing.hpp"

#include "lockstep/app/sddp/summary.hpp"
#include "lockstep/formats/cobre/simulation_summary.hpp"
#include "lockstep/io/file.hpp"

#include "app/sddp/compare.hpp"
#include "app/sddp/report/parts.hpp"

namespace lockstep::app {
namespace {

// A case without one of these is a case with errors, not something else.
bool is_case(const std::filesystem::path& input) {
    for (const auto* name : {"config.json", "stages.json", "system"}) {
        if (io::is_there(input / name)) {
            return true;
        }
    }
    return false;
}

io::Page report(const std::filesystem::path& output) {
    const auto results = formats::cobre::read_results(output);
    const auto summary = summarize(output);
    io::Page page(summary.case_name + " · Lockstep");
    add_facts(page, summary, results);
    add_training(page, summary, results);
    if (results.simulation) {
        add_simulation(page, results, formats::cobre::summarize_simulation(results));
    }
    add_origin(page, summary, results);
    page.data("summary", io::to_text(to_json(summary)));
    return page;
}

}  // namespace

Wing sddp_wing() {
    return {"sddp", "hydrothermal dispatch: a Cobre case directory", is_case, differences, report};
}

}  // namespace lockstep::app
