#include "runtime/control_groups.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>

namespace lockstep::runtime {
namespace {

namespace fs = std::filesystem;

template <typename T>
using Limit = std::optional<T>;

template <typename T>
Limit<T> tighter(Limit<T> a, Limit<T> b) {
    if (a && b) {
        return std::min(*a, *b);
    }
    return a ? a : b;
}

/// Where a limit is read and how: of a group's folder.
template <typename T>
struct Controller {
    const char* name;  ///< of version 1
    Limit<T> (*of_v1)(const fs::path& group);
    Limit<T> (*of_v2)(const fs::path& group);
};

// Microseconds of CPU time a period; a quota of "max" or -1 is none.
Limit<double> ratio(std::istream& quota, std::istream& period) {
    double granted = 0;
    double length = 0;
    if (quota >> granted && period >> length && granted > 0 && length > 0) {
        return granted / length;
    }
    return {};
}

Limit<double> cpus_of_v2(const fs::path& group) {
    std::ifstream file(group / "cpu.max");
    return ratio(file, file);
}

Limit<double> cpus_of_v1(const fs::path& group) {
    std::ifstream quota(group / "cpu.cfs_quota_us");
    std::ifstream period(group / "cpu.cfs_period_us");
    return ratio(quota, period);
}

// "max" is none.
Limit<std::int64_t> bytes_in(const fs::path& file) {
    std::int64_t bytes = 0;
    return std::ifstream(file) >> bytes && bytes > 0 ? Limit<std::int64_t>(bytes) : std::nullopt;
}

Limit<std::int64_t> memory_of_v2(const fs::path& group) {
    return bytes_in(group / "memory.max");
}

Limit<std::int64_t> memory_of_v1(const fs::path& group) {
    return bytes_in(group / "memory.limit_in_bytes");
}

// Inside a container the path may be the host's, of which the mount shows nothing: the root counts
// anyway.
template <typename T>
Limit<T> tightest(const fs::path& root, fs::path group, Limit<T> (*limit_of)(const fs::path&)) {
    Limit<T> limit = limit_of(root);
    for (group = group.relative_path(); !group.empty(); group = group.parent_path()) {
        limit = tighter(limit, limit_of(root / group));
    }
    return limit;
}

bool has_controller(const std::string& controllers, const char* name) {
    return fmt::format(",{},", controllers).find(fmt::format(",{},", name)) != std::string::npos;
}

template <typename T>
Limit<T> limit_of(const Controller<T>& controller,
                  const fs::path& root,
                  std::string_view membership) {
    Limit<T> limit;
    std::istringstream lines{std::string(membership)};
    std::string number;
    std::string controllers;
    std::string group;
    while (std::getline(lines, number, ':') && std::getline(lines, controllers, ':') &&
           std::getline(lines, group)) {
        if (controllers.empty()) {
            limit = tighter(limit, tightest(root, group, controller.of_v2));
        } else if (has_controller(controllers, controller.name)) {
            limit = tighter(limit, tightest(root / controller.name, group, controller.of_v1));
        }
    }
    return limit;
}

}  // namespace

std::optional<double> cpu_quota(const fs::path& root, std::string_view membership) {
    return limit_of(Controller<double>{"cpu", cpus_of_v1, cpus_of_v2}, root, membership);
}

std::optional<std::int64_t> memory_limit(const fs::path& root, std::string_view membership) {
    return limit_of(
        Controller<std::int64_t>{"memory", memory_of_v1, memory_of_v2}, root, membership);
}

}  // namespace lockstep::runtime
