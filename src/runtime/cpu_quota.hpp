#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace lockstep::runtime {

/// CPUs that control groups grant a process, for example 1.5; nothing when there is no limit.
///
/// The tightest limit from the process's group up to the root counts, in version 2 (cpu.max) and
/// version 1 (cpu.cfs_quota_us over cpu.cfs_period_us).
/// @param root        where control groups are mounted, /sys/fs/cgroup
/// @param membership  content of /proc/self/cgroup
std::optional<double> cpu_quota(const std::filesystem::path& root, std::string_view membership);

}  // namespace lockstep::runtime
