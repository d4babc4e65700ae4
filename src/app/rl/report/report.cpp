#include <string>

#include "lockstep/formats/rl/solution.hpp"
#include "lockstep/formats/rl/training.hpp"

#include "app/rl/report/parts.hpp"
#include "app/wing.hpp"

namespace lockstep::app {
namespace {

// Solutions and trainings have the same look: what came out, values and policy, this run.
template <typename Record, typename AddParts>
io::Page page_of(const Record& record, const formats::OutputMetadata& metadata, AddParts add) {
    io::Page page(record.environment.name + " · Lockstep");
    add(page);
    add_run(page, metadata, record.environment, record.digest);
    page.data("summary", io::to_text(to_json(record)));
    return page;
}

}  // namespace

io::Page rl_report(const std::filesystem::path& output) {
    const auto metadata = open_output(output).metadata;
    if (metadata.part("training") != nullptr) {
        return page_of(formats::rl::read_training_record(output), metadata, [&](io::Page& page) {
            add_training(page, output, metadata);
        });
    }
    return page_of(formats::rl::read_solution_record(output), metadata, [&](io::Page& page) {
        add_solution(page, output);
    });
}

}  // namespace lockstep::app
