#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "lockstep/runtime/task_farm.hpp"

namespace lockstep::app {

/// A farm that the caller has, for example one of Python: it runs tasks of shards where the program
/// itself does not reach. A task is bytes that hold all that it is a function of.
struct LentFarm {
    std::string name;  ///< for people: "ray"
    int workers = 1;   ///< tasks at once
    /// What run_shard_task() gives for a task, wherever that runs. Called on `workers` threads at
    /// once; throws CommError where the farm is gone, which ends the consensus, TaskStopped where
    /// the context wants that, else what is wrong with the task.
    std::function<std::vector<std::byte>(std::span<const std::byte> task,
                                         const runtime::TaskContext& context)>
        run;
};

/// Runs a task of a consensus in any process of the same build: a pure function of the task.
/// @throws InputError  it is damaged, or of another build; whatever the sampler throws
std::vector<std::byte> run_shard_task(std::span<const std::byte> task);

}  // namespace lockstep::app
