#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace lockstep::runtime {

// What control groups grant a process; nothing when there is no limit. The tightest limit from the
// process's group up to the root counts.

/// CPUs, for example 1.5: version 2 (cpu.max) and version 1 (cpu.cfs_quota_us over
/// cpu.cfs_period_us).
/// @param root        where control groups are mounted, /sys/fs/cgroup
/// @param membership  content of /proc/self/cgroup
std::optional<double> cpu_quota(const std::filesystem::path& root, std::string_view membership);

/// Memory [bytes]: version 2 (memory.max) and version 1 (memory.limit_in_bytes).
std::optional<std::int64_t> memory_limit(const std::filesystem::path& root,
                                         std::string_view membership);

}  // namespace lockstep::runtime
