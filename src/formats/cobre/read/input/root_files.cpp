#include "formats/cobre/read/input/describe.hpp"

namespace lockstep::formats::cobre {

std::vector<InputFile> root_files() {
    using enum FileUse;
    return {
        json_file("penalties.json",
                  required,
                  "Costs of what should not happen: deficit, spillage, limits that are missed",
                  &raw::Case::penalties),
        json_file("stages.json",
                  required,
                  "The calendar: stages with their dates, load blocks, openings and attitude to "
                  "risk",
                  &raw::Case::stages),
        json_file("initial_conditions.json",
                  required,
                  "The state at the start: storages, inflows of the months before",
                  &raw::Case::initial_conditions),
        json_file("post_study_stages.json",
                  optional,
                  "Stages after the study, for generation that is decided ahead",
                  &raw::Case::post_study),
    };
}

}  // namespace lockstep::formats::cobre
