#include <string>

#include "lockstep/formats/rl/solution.hpp"

#include "app/rl/report/parts.hpp"
#include "app/wing.hpp"

namespace lockstep::app {

io::Page rl_report(const std::filesystem::path& output) {
    const auto metadata = open_output(output).metadata;
    const auto record = formats::rl::read_solution_record(output);
    io::Page page(record.environment.name + " · Lockstep");
    add_solution(page, output);
    add_run(page, metadata, record.environment, record.digest);
    page.data("summary", io::to_text(to_json(record)));
    return page;
}

}  // namespace lockstep::app
