#include <initializer_list>
#include <iterator>
#include <utility>

#include "formats/cobre/read/input/describe.hpp"

namespace lockstep::formats::cobre {

namespace {

std::vector<InputFile> replaced_files() {
    return {
        replaced_file("constraints/exchange_factors.json",
                      "give MW in rows with block_id of constraints/line_bounds.parquet"),
        replaced_file("system/scalar_parameters.json", "it is constraints/generic_parameters.json"),
    };
}

std::vector<InputFile> all_files() {
    std::vector<InputFile> all{config_file()};
    for (auto chapter : {root_files,
                         entity_files,
                         production_files,
                         inflow_files,
                         load_files,
                         bound_files,
                         cost_files,
                         generic_files,
                         replaced_files}) {
        auto files = chapter();
        std::move(files.begin(), files.end(), std::back_inserter(all));
    }
    return all;
}

}  // namespace

const std::vector<InputFile>& input_files() {
    static const std::vector<InputFile> all = all_files();
    return all;
}

}  // namespace lockstep::formats::cobre
