#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/comm/communicator.hpp"
#include "lockstep/runtime/task_farm.hpp"

#include "conformance/comm/backends.hpp"
#include "conformance/runtime/farm_functions.hpp"
#include "conformance/runtime/stand_in_cluster.hpp"

namespace lockstep::runtime::test {

/// A kind of farm. The conformance tests run on each.
struct FarmBackend {
    std::string name;
    int workers;
    std::function<void(const FarmOptions&, const std::function<void(TaskFarm&)>&)> run;
    bool has_processes = false;  ///< a task that dies or hangs takes only its worker along
    bool is_sequential = false;
};

inline void PrintTo(const FarmBackend& backend, std::ostream* out) {
    *out << backend.name;
}

inline std::vector<std::string> worker_command() {
    return {std::filesystem::read_symlink("/proc/self/exe").parent_path() / "farm_worker"};
}

inline FarmBackend threads(int workers) {
    return {
        "threads_" + std::to_string(workers), workers, [workers](auto options, const auto& body) {
            options.workers = workers;
            body(*make_thread_farm(farm_functions(), options));
        }};
}

inline FarmBackend processes(int workers) {
    return {"processes_" + std::to_string(workers),
            workers,
            [workers](auto options, const auto& body) {
                options.workers = workers;
                body(*make_process_farm(farm_functions(), worker_command(), options));
            },
            true};
}

using MakeClusterFarm = std::unique_ptr<TaskFarm> (*)(TaskFunctions,
                                                      const ClusterOptions&,
                                                      const FarmOptions&);

inline FarmBackend cluster(const std::string& name, MakeClusterFarm make, int workers) {
    return {name, workers, [make, workers](auto options, const auto& body) {
                const StandInCluster stand_in;
                options.workers = workers;
                body(*make(farm_functions(), stand_in.options(worker_command()), options));
            }};
}

inline FarmBackend ranks(const comm::Backend& backend, int threads) {
    return {"ranks_" + backend.name + "_by_" + std::to_string(threads),
            backend.ranks * threads,
            [backend, threads](auto options, const auto& body) {
                options.workers = threads;
                backend.run([&](comm::Communicator& ranks) {
                    run_rank_farm(ranks, farm_functions(), options, body);
                });
            }};
}

inline std::vector<FarmBackend> all_farms() {
    std::vector<FarmBackend> farms;
    if (!comm::is_world()) {
        farms.push_back(
            {"sequential",
             1,
             [](const auto&, const auto& body) { body(*make_sequential_farm(farm_functions())); },
             false,
             true});
        farms.insert(farms.end(), {threads(1), threads(3), processes(1), processes(3)});
        farms.insert(farms.end(),
                     {cluster("slurm", make_slurm_farm, 3), cluster("pbs", make_pbs_farm, 2)});
    }
    for (const auto& backend : comm::flat_backends()) {
        farms.push_back(ranks(backend, 1));
        if (backend.ranks == 2) {
            farms.push_back(ranks(backend, 2));
        }
    }
    return farms;
}

class TaskFarmTest : public testing::TestWithParam<FarmBackend> {
protected:
    [[nodiscard]] static int workers() { return GetParam().workers; }
    static void on_farm(const std::function<void(TaskFarm&)>& body, FarmOptions options = {}) {
        GetParam().run(options, body);
    }
};

inline std::string name_of_farm(const testing::TestParamInfo<FarmBackend>& info) {
    return info.param.name;
}

/// Tasks that all have one input.
inline TaskBatch batch_of(const std::string& function,
                          std::int64_t count,
                          const std::string& input = "") {
    TaskBatch batch;
    batch.function = function;
    batch.count = count;
    batch.input = [input](std::int64_t) { return bytes_of(input); };
    return batch;
}

}  // namespace lockstep::runtime::test
