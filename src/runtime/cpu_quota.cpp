#include "runtime/cpu_quota.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace lockstep::runtime {
namespace {

namespace fs = std::filesystem;
using Quota = std::optional<double>;

Quota tighter(Quota a, Quota b) {
    if (a && b) {
        return std::min(*a, *b);
    }
    return a ? a : b;
}

// Microseconds of CPU time a period; a quota of "max" or -1 is none.
Quota ratio(std::istream& quota, std::istream& period) {
    double granted = 0;
    double length = 0;
    if (quota >> granted && period >> length && granted > 0 && length > 0) {
        return granted / length;
    }
    return {};
}

Quota quota_of_v2(const fs::path& group) {
    std::ifstream file(group / "cpu.max");
    return ratio(file, file);
}

Quota quota_of_v1(const fs::path& group) {
    std::ifstream quota(group / "cpu.cfs_quota_us");
    std::ifstream period(group / "cpu.cfs_period_us");
    return ratio(quota, period);
}

// Inside a container the path may be the host's, of which the mount shows nothing: the root counts
// anyway.
Quota tightest(const fs::path& root, fs::path group, Quota (*quota_of)(const fs::path&)) {
    Quota quota = quota_of(root);
    for (group = group.relative_path(); !group.empty(); group = group.parent_path()) {
        quota = tighter(quota, quota_of(root / group));
    }
    return quota;
}

bool has_cpu_controller(const std::string& controllers) {
    return ("," + controllers + ",").find(",cpu,") != std::string::npos;
}

}  // namespace

std::optional<double> cpu_quota(const fs::path& root, std::string_view membership) {
    Quota quota;
    std::istringstream lines{std::string(membership)};
    std::string number;
    std::string controllers;
    std::string group;
    while (std::getline(lines, number, ':') && std::getline(lines, controllers, ':') &&
           std::getline(lines, group)) {
        if (controllers.empty()) {
            quota = tighter(quota, tightest(root, group, quota_of_v2));
        } else if (has_cpu_controller(controllers)) {
            quota = tighter(quota, tightest(root / "cpu", group, quota_of_v1));
        }
    }
    return quota;
}

}  // namespace lockstep::runtime
