#include "lockstep/app/sddp/convert.hpp"

#include "lockstep/base/problems.hpp"
#include "lockstep/formats/cobre/convert.hpp"

namespace lockstep::app {

Conversion convert_case(const std::filesystem::path& from, const std::filesystem::path& to) {
    Problems problems;
    Conversion out;
    out.files = formats::cobre::convert_case(from, to, problems);
    problems.throw_if_errors(from.string() + " is not converted");
    for (const Problem& problem : problems.all()) {
        out.warnings.push_back(to_string(problem));
    }
    return out;
}

}  // namespace lockstep::app
