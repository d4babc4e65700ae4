#pragma once

#include <map>
#include <string>
#include <vector>

#include <sys/types.h>

namespace lockstep::cli {

/// Numbers, by rank, of the processes that a launcher has started and that still run.
std::map<int, pid_t> ranks_of(pid_t launcher);

/// What still runs with this variable in its environment, after a grace of some seconds.
std::vector<pid_t> processes_left_with(const std::string& variable, const std::string& value);

/// Names that the ranks of a launcher have in shared memory.
std::vector<std::string> shared_memory_of(pid_t launcher);

}  // namespace lockstep::cli
