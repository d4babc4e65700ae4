#include "formats/cobre/read/input/describe.hpp"

namespace lockstep::formats::cobre {

InputFile replaced_file(std::string_view path, std::string_view instead) {
    return {path, instead, FileUse::replaced, [=](const Reading& r) {
                if (r.files.has(std::string(path))) {
                    r.problems.add(ProblemKind::business_rule_violation,
                                   std::string(path),
                                   "",
                                   fmt::format("file of an older format: {}", instead));
                }
            }};
}

}  // namespace lockstep::formats::cobre
