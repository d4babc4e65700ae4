#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lockstep/runtime/cluster_farm.hpp"

#include "runtime/farm/cluster/command.hpp"

namespace lockstep::runtime {

/// The commands of a cluster's queue.
class ClusterQueue {
public:
    virtual ~ClusterQueue() = default;
    ClusterQueue() = default;
    ClusterQueue(const ClusterQueue&) = delete;
    ClusterQueue& operator=(const ClusterQueue&) = delete;

    /// Elements 0, 1, … of an array that run the command with `array` and their index.
    /// @returns its name
    /// @throws BackendError  the queue does not take it, and why
    virtual std::string submit(const std::filesystem::path& array, int elements) = 0;
    /// Those that wait or run; none: the queue did not answer.
    virtual std::optional<std::set<int>> living(const std::string& job) = 0;
    virtual void cancel(const std::string& job, const std::vector<int>& elements) = 0;
};

std::unique_ptr<ClusterQueue> make_slurm_queue(const ClusterOptions& options);
std::unique_ptr<ClusterQueue> make_pbs_queue(const ClusterOptions& options);

/// @throws BackendError  with what it said, unless it went well
void require_success(const std::string& program, const CommandOutcome& outcome);

}  // namespace lockstep::runtime
