#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "lockstep/comm/hub.hpp"
#include "lockstep/rl/learn.hpp"

namespace lockstep::rl {

/// How a server watches over its workers.
struct ServeOptions {
    double heartbeat_seconds = 1;     ///< a worker that has nothing to send tells of itself; >= 0.5
    double suspected_heartbeats = 3;  ///< silent for so many: the observer hears of it
    double dead_heartbeats = 5;       ///< silent for so many: its leases go to others
    /// @throws InputError  names the option, what it is and what it may be
    void validate() const;
};

/// As learn() in mode server, with workers that come and leave at any time: this process holds the
/// table and hands out work until all transitions count or the observer wants to stop. Workers that
/// leave, or say nothing for five heartbeats, cost what they had not pushed; others play it.
///
/// A server that is started again from a checkpoint goes on with the workers of before: they try to
/// reach it for as long as their hub's configuration says, and push what they have.
/// @param team  one rank; its threads combine what workers learned, with staleness 0
/// @param task  what each worker is told first, to make the same world and options of it
/// @throws InputError  options; a checkpoint of something else; ModelError  as Learner::run
LearnResult serve(const World& world,
                  const LearnOptions& options,
                  runtime::Team& team,
                  comm::HubServer& hub,
                  std::span<const std::byte> task,
                  LearnObserver& observer,
                  const runtime::EngineState* resume_from = nullptr,
                  const ServeOptions& serving = {});

/// A worker of serve().
class RemoteWorker {
public:
    /// Connects and hears the task.
    /// @throws CommError  as HubClient, or the server is gone
    explicit RemoteWorker(comm::HubConfig config);
    ~RemoteWorker();
    RemoteWorker(const RemoteWorker&) = delete;
    RemoteWorker& operator=(const RemoteWorker&) = delete;

    [[nodiscard]] const std::vector<std::byte>& task() const noexcept { return task_; }

    struct Result {
        std::int64_t transitions = 0;  ///< played, whether they count or not
        std::int64_t leases = 0;
        std::int64_t reconnects = 0;
        double learn_seconds = 0;  ///< of all threads
        double seconds = 0;
    };
    /// Works until the server has no more work, or the caller wants to stop. Connects again when
    /// the server is gone.
    /// @param stop_requested  asked between leases
    /// @throws CommError  the server does not come back; InputError  it learns something else;
    ///         ModelError  as Learner::run
    Result work(const World& world,
                const LearnOptions& options,
                runtime::ThreadTeam& threads,
                const std::function<bool()>& stop_requested = {});

private:
    void connect();

    comm::HubConfig config_;
    std::unique_ptr<comm::HubClient> hub_;
    std::vector<std::byte> task_;
};

}  // namespace lockstep::rl
