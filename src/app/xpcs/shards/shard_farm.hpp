#pragma once

#include <exception>
#include <functional>
#include <string>

#include "lockstep/app/xpcs/analyse.hpp"
#include "lockstep/formats/xpcs/records.hpp"
#include "lockstep/xpcs/consensus.hpp"

#include "app/job/job.hpp"
#include "app/xpcs/shards/farm_choice.hpp"

namespace lockstep::app {

/// What no cluster takes is refused before there is anything to sample.
/// @throws InputError
void check_cluster_request(const ClusterRequest& request);

/// Opens the farm that was chosen for the shards of one consensus. One that does not come up is
/// replaced by threads of this process, and people are told.
class ShardFarm {
public:
    /// All are referred to.
    ShardFarm(const XpcsRequest& request, FarmChoice choice, Job& job);

    /// For xpcs::consensus(); refers to this.
    [[nodiscard]] xpcs::OpenFarm opener();

    /// Which farm it was, on the first rank.
    [[nodiscard]] const formats::xpcs::FarmRecord& record() const noexcept { return record_; }
    /// Takes away what a cluster's farm left, once nobody needs it to go on.
    void clear() const;

private:
    using Body = std::function<void(runtime::TaskFarm&)>;

    void open(const xpcs::ShardWork& work, const Body& body);
    void open_here(const xpcs::ShardWork& work, const Body& body);
    void open_elsewhere(const xpcs::ShardWork& work, const Body& body);
    void on_threads(const xpcs::ShardWork& work, const Body& body);
    void on_processes(const xpcs::ShardWork& work, const Body& body);
    void on_lent(const xpcs::ShardWork& work, const Body& body);
    void on_cluster(const xpcs::ShardWork& work, const Body& body);
    void fall_back(const xpcs::ShardWork& work, const Body& body, const std::string& why);
    [[nodiscard]] std::vector<std::string> worker_command(const std::filesystem::path& file) const;
    [[nodiscard]] std::filesystem::path cluster_folder() const;
    [[nodiscard]] int threads() { return job_.team().threads.size(); }

    const XpcsRequest& request_;
    FarmKind kind_;
    Job& job_;
    formats::xpcs::FarmRecord record_;
};

}  // namespace lockstep::app
