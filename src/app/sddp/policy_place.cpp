#include "app/sddp/policy_place.hpp"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

namespace lockstep::app {
namespace {

namespace fs = std::filesystem;

fs::path resolved(const fs::path& path) {
    std::error_code code;
    auto real = fs::weakly_canonical(path, code);
    if (code) {
        return fs::absolute(path).lexically_normal();
    }
    return real.has_filename() ? real : real.parent_path();
}

bool is_inside(const fs::path& path, const fs::path& folder) {
    const auto at = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
    return at.first == folder.end();
}

}  // namespace

void check_policy_place(const fs::path& policy,
                        const fs::path& case_directory,
                        const fs::path& output) {
    const auto place = resolved(policy);
    if (is_inside(place, resolved(case_directory)) || is_inside(place, resolved(output))) {
        return;
    }
    throw InputError(fmt::format(
        "config.json: policy.path leads to {}, must stay inside the case or its output; "
        "if it is meant, give it on the command line: --set policy.path=…",
        place.string()));
}

}  // namespace lockstep::app
