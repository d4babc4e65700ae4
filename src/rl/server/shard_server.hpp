#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "lockstep/rl/learn/options.hpp"
#include "lockstep/runtime/thread_team.hpp"

#include "rl/exchange/combine.hpp"
#include "rl/exchange/retention.hpp"
#include "rl/learn/table_store.hpp"
#include "rl/server/messages.hpp"
#include "rl/server/shared_table.hpp"

namespace lockstep::rl {

/// One of several servers, but the first: holds the states of its part. Workers push to it what
/// they learned about these; it becomes part of the table when the first server says so, in its
/// order, so that a version means the same pushes on all servers. Knows no network and no clock.
class ShardServer {
public:
    struct Settings {
        Part part;
        std::int64_t first = 0;  ///< peer that is the first server
        bool is_narrow = false;  ///< as ParameterServer::Settings
    };
    /// Table, options and threads must outlive it.
    ShardServer(const LearnOptions& options,
                TableStore& table,
                runtime::ThreadTeam& threads,
                const Settings& settings);

    /// @throws InputError  damaged; AssertionError  the first server counts what has not come
    void on_message(std::int64_t peer, std::span<const std::byte> message);
    void on_leave(std::int64_t peer);
    /// What is to be sent, since the call before.
    [[nodiscard]] std::vector<Letter> take_letters();

    /// What has changed since that peer heard.
    [[nodiscard]] News news_for(std::int64_t peer);
    /// All states of the part are as if they had just changed: the table was loaded.
    void renew() { shared_.renew(); }
    [[nodiscard]] std::uint64_t version() const noexcept { return shared_.version(); }
    /// Leases of which it has a part that is not applied.
    [[nodiscard]] std::size_t waiting() const noexcept { return parts_.size(); }
    /// Parts that were applied.
    [[nodiscard]] std::int64_t applied() const noexcept { return applied_; }

private:
    struct Waiting {
        Delta delta;
        std::vector<std::uint32_t> losses;
    };
    struct Puller {
        std::int64_t peer = 0;
        std::uint64_t version = 0;  // that it waits for
    };
    void keep(std::vector<LeasePart> parts);
    void apply(const Apply& step);
    void compose(const LeaseId& lease, double share);
    void combine(std::span<const LeaseId> leases);
    Waiting take(const LeaseId& lease);
    void answer();

    const LearnOptions& options_;
    Settings settings_;
    runtime::ThreadTeam& threads_;
    TableShape shape_;
    SharedTable shared_;
    Combiner combiner_;
    Retention retention_;
    std::map<LeaseId, Waiting> parts_;
    std::vector<Puller> pullers_;
    std::map<std::int64_t, std::uint64_t> has_versions_;  // by peer
    std::int64_t applied_ = 0;
    std::vector<Letter> letters_;
};

}  // namespace lockstep::rl
