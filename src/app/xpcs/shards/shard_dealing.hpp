#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "lockstep/runtime/async_writer.hpp"
#include "lockstep/xpcs/shard_work.hpp"

namespace lockstep::app {

/// Shards that were dealt before their turn, and when.
struct DealtShards {
    std::shared_ptr<const xpcs::ShardDeal> deal{};  ///< nullptr: they are still to be dealt
    std::string remark{};                           ///< why, where they should have been
    std::chrono::steady_clock::time_point begin{};
    std::chrono::steady_clock::time_point end{};
};

/// Deals shards on a thread of its own while its maker does something else.
class ShardDealing {
public:
    using Deal = std::function<std::shared_ptr<const xpcs::ShardDeal>()>;

    explicit ShardDealing(Deal deal, const runtime::ThreadStarter& start = runtime::start_thread);
    ~ShardDealing();  ///< waits
    ShardDealing(const ShardDealing&) = delete;
    ShardDealing& operator=(const ShardDealing&) = delete;

    /// Waits for what came of it. A thread that cannot be had, or a deal that fails, is a remark.
    DealtShards end();

private:
    void run(const Deal& deal);

    DealtShards dealt_;
    std::thread thread_;
};

}  // namespace lockstep::app
