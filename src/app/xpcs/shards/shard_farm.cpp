#include "app/xpcs/shards/shard_farm.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/runtime/cluster_farm.hpp"
#include "lockstep/runtime/task_farm.hpp"

#include "app/xpcs/shards/job_file.hpp"
#include "app/xpcs/shards/lent_tasks.hpp"

namespace lockstep::app {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t most_with_cluster = 1000;  // tasks that wait or run there
constexpr std::chrono::seconds between_questions_to_pbs{30};

/// A file that goes with its owner; a run that is killed leaves it under a name that the next one
/// takes away.
class TemporaryFile {
public:
    explicit TemporaryFile(const fs::path& path) : path_(io::temporary_name(path)) {}
    ~TemporaryFile() {
        std::error_code ignored;
        fs::remove(path_, ignored);
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    [[nodiscard]] const fs::path& path() const noexcept { return path_; }

private:
    fs::path path_;
};

runtime::ClusterOptions cluster_options(const ClusterRequest& request,
                                        const fs::path& folder,
                                        std::vector<std::string> command) {
    runtime::ClusterOptions cluster;
    cluster.folder = folder;
    cluster.command = std::move(command);
    cluster.name = "lockstep-shards";
    cluster.account = request.account;
    cluster.queue = request.queue;
    cluster.minutes = request.minutes;
    cluster.at_once = request.at_once;
    return cluster;
}

}  // namespace

void check_cluster_request(const ClusterRequest& request) {
    runtime::check_cluster(cluster_options(request, "any", {"any"}));
}

ShardFarm::ShardFarm(const XpcsRequest& request, FarmChoice choice, Job& job)
    : request_(request), kind_(choice.kind), job_(job) {
    record_.asked = std::move(choice.asked);
    record_.remark = std::move(choice.remark);
    if (!record_.remark.empty()) {
        job_.observer().on_notice(Notice::news,
                                  fmt::format("shards are sampled by {} instead of {}: {}",
                                              name_of(kind_),
                                              record_.asked,
                                              record_.remark));
    }
}

xpcs::OpenFarm ShardFarm::opener() {
    return [this](const xpcs::ShardWork& work, const Body& body) {
        open(work, [&](runtime::TaskFarm& farm) {
            record_.farm = kind_ == FarmKind::lent ? record_.asked : farm.backend();
            record_.workers = farm.workers();
            body(farm);
        });
    };
}

void ShardFarm::open(const xpcs::ShardWork& work, const Body& body) {
    if (kind_ == FarmKind::ranks) {
        runtime::FarmOptions options;
        options.workers = threads();
        return runtime::run_rank_farm(job_.ranks(), work.functions(), options, body);
    }
    if (job_.ranks().rank() == 0) {
        open_here(work, body);
    }
}

void ShardFarm::open_here(const xpcs::ShardWork& work, const Body& body) {
    if (kind_ == FarmKind::sequential) {
        return body(*runtime::make_sequential_farm(work.functions()));
    }
    if (kind_ == FarmKind::threads) {
        return on_threads(work, body);
    }
    if (kind_ == FarmKind::lent) {
        return on_lent(work, body);
    }
    try {
        return open_elsewhere(work, body);
    } catch (const BackendError& error) {
        fall_back(work, body, error.what());
    } catch (const IoError& error) {
        fall_back(work, body, error.what());
    }
}

void ShardFarm::open_elsewhere(const xpcs::ShardWork& work, const Body& body) {
    if (request_.program.empty()) {
        throw BackendError("there is no program that worker processes could run");
    }
    if (kind_ == FarmKind::processes) {
        on_processes(work, body);
    } else {
        on_cluster(work, body);
    }
}

void ShardFarm::on_threads(const xpcs::ShardWork& work, const Body& body) {
    runtime::FarmOptions options;
    options.workers = threads();
    body(*runtime::make_thread_farm(work.functions(), options));
}

// Threads that wait for the tasks they have handed out. A farm that was lent and is gone is for its
// owner to replace: it may be lent because this machine is too small.
void ShardFarm::on_lent(const xpcs::ShardWork& work, const Body& body) {
    LentTasks tasks(*request_.lent_farm, work);
    runtime::FarmOptions options;
    options.workers = request_.lent_farm->workers;
    body(*runtime::make_thread_farm(tasks.functions(), options));
    tasks.rethrow();
}

void ShardFarm::on_processes(const xpcs::ShardWork& work, const Body& body) {
    const TemporaryFile file(job_.output() / "shards");
    write_shard_job(file.path(), work);
    runtime::FarmOptions options;
    options.workers = static_cast<int>(std::min<std::int64_t>(threads(), work.most_tasks()));
    body(*runtime::make_process_farm(work.functions(), worker_command(file.path()), options));
}

void ShardFarm::on_cluster(const xpcs::ShardWork& work, const Body& body) {
    const auto file = cluster_folder() / "job";
    auto cluster = cluster_options(request_.cluster, cluster_folder(), worker_command(file));
    cluster.identity = write_shard_job(file, work);
    runtime::FarmOptions options;
    options.workers = static_cast<int>(std::min(most_with_cluster, work.most_tasks()));
    if (kind_ == FarmKind::slurm) {
        return body(*runtime::make_slurm_farm(work.functions(), cluster, options));
    }
    cluster.queue_poll = between_questions_to_pbs;
    body(*runtime::make_pbs_farm(work.functions(), cluster, options));
}

void ShardFarm::fall_back(const xpcs::ShardWork& work, const Body& body, const std::string& why) {
    record_.remark = fmt::format("{}: {}", name_of(kind_), why);
    job_.observer().on_notice(
        Notice::trouble,
        fmt::format("shards are sampled by threads of this process: {}", record_.remark));
    on_threads(work, body);
}

std::vector<std::string> ShardFarm::worker_command(const fs::path& file) const {
    auto command = request_.program;
    command.insert(command.end(), {"xpcs", "shard-worker", fs::absolute(file).string()});
    return command;
}

fs::path ShardFarm::cluster_folder() const {
    return job_.output() / "shards";
}

void ShardFarm::clear() const {
    const bool is_cluster = kind_ == FarmKind::slurm || kind_ == FarmKind::pbs;
    std::error_code ignored;
    if (is_cluster && fs::is_directory(cluster_folder(), ignored)) {
        fs::remove_all(cluster_folder(), ignored);
    }
}

}  // namespace lockstep::app
