#include "lockstep/app/xpcs/shard_worker.hpp"
#include "lockstep/runtime/cluster_farm.hpp"
#include "lockstep/runtime/task_farm.hpp"

#include "app/xpcs/shards/job_file.hpp"

namespace lockstep::app {

int serve_shards(const std::filesystem::path& job) {
    const ShardJob file(job);
    return runtime::serve_tasks(file.work().functions());
}

int serve_shard_element(const std::filesystem::path& job,
                        const std::filesystem::path& folder,
                        int index) {
    const ShardJob file(job);
    return runtime::serve_element(file.work().functions(), folder, index);
}

}  // namespace lockstep::app
