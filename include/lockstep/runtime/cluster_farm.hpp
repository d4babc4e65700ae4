#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lockstep/base/digest.hpp"
#include "lockstep/runtime/task_farm.hpp"

namespace lockstep::runtime {

/// Of a farm whose workers are elements of job arrays, which a cluster's queue starts.
struct ClusterOptions {
    /// That all machines see; made where it is missing. Results stay there: tasks whose results a
    /// farm finds, of the same functions and identity, are not computed again.
    std::filesystem::path folder{};
    /// Program and arguments that end in serve_element() with the same functions, on every machine;
    /// a folder and an index come behind them. No shell sees them.
    std::vector<std::string> command{};
    /// Of what the functions depend on beside their input.
    Digest identity{};
    // Letters, digits and "_.@-"; empty: as the cluster has it.
    std::string name = "lockstep";
    std::string account{};
    std::string queue{};  ///< Slurm's partition
    int minutes = 0;      ///< an element may take; 0: as the cluster has it
    int at_once = 0;      ///< elements of an array that may run at the same time; 0: any number
    int largest_array = 1001;                     ///< elements; more tasks make several arrays
    std::chrono::milliseconds poll{1'000};        ///< between looks at the folder, at most
    std::chrono::milliseconds queue_poll{5'000};  ///< between questions to the queue
    /// For a file to be seen by all machines: after it an element that the queue does not know any
    /// more has crashed.
    std::chrono::milliseconds settle{5'000};
};

/// What the farms below refuse, for whoever wants to know it before their tasks are there.
/// @throws InputError  naming the option
void check_cluster(const ClusterOptions& options);

/// Elements of Slurm's job arrays (sbatch, squeue, scancel). A task is done when its result is in
/// the folder, whole; accounting is not asked. A task's time counts from when it begins.
/// @param options  workers: tasks that are with the cluster at the same time
/// @throws InputError  options, by name; BackendError (of the farm) the queue takes no job
std::unique_ptr<TaskFarm> make_slurm_farm(TaskFunctions functions,
                                          const ClusterOptions& cluster,
                                          const FarmOptions& options);

/// The same of PBS (qsub, qstat, qdel).
std::unique_ptr<TaskFarm> make_pbs_farm(TaskFunctions functions,
                                        const ClusterOptions& cluster,
                                        const FarmOptions& options);

/// An element: runs the task `index` of an array's folder and leaves its result. SIGTERM asks the
/// task to stop.
/// @returns what main() should
/// @throws IoError, InputError  there is no such task, or it is damaged
int serve_element(const TaskFunctions& functions, const std::filesystem::path& array, int index);

}  // namespace lockstep::runtime
