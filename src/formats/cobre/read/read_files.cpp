#include <algorithm>
#include <string_view>
#include <vector>

#include "formats/cobre/read/input/input_file.hpp"
#include "formats/cobre/read/raw/case.hpp"

namespace lockstep::formats::cobre::raw {

Case read_files(Files& files, const std::vector<Setting>& settings, Problems& problems) {
    Case out;
    const Reading reading{files, out, settings, problems};
    std::vector<std::string_view> known;
    for (const InputFile& file : input_files()) {
        file.read(reading);
        known.push_back(file.path);
    }
    files.warn_of_unknown(known);
    std::ranges::sort(out.stages.stages, {}, &Stage::id);
    std::ranges::stable_sort(out.generic.constraints, {}, &GenericConstraint::id);
    return out;
}

}  // namespace lockstep::formats::cobre::raw
