#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "lockstep/rl/learn/table.hpp"
#include "lockstep/runtime/engine_state.hpp"
#include "lockstep/runtime/rank_report.hpp"

namespace lockstep::rl {

/// Spread of a sample.
struct Spread {
    double mean = 0;
    double min = 0;
    double max = 0;
    double p10 = 0;
    double p90 = 0;
};

/// How old, in rounds, what a worker learned from was when it was combined.
struct Staleness {
    double mean = 0;
    double p95 = 0;
    double max = 0;
    std::vector<std::int64_t> histogram;  ///< [age]: pushes
};

/// What a server finds out about a worker that comes and leaves.
struct WorkerEvent {
    enum class Kind {
        came,
        suspected,  ///< has missed three heartbeats
        back,       ///< was suspected, and speaks
        left,       ///< has hung up; others get its leases
        lost,       ///< has said nothing for too long; the same
    };
    Kind kind = Kind::came;
    std::int64_t worker = 0;  ///< its number, from 1
    double silent = 0;        ///< seconds, of suspected and lost
};

/// The table that a worker of a server learns from.
struct WorkerTable {
    std::int64_t worker = 0;
    std::int64_t version = 0;  ///< pushes that are in it
    std::int64_t behind = 0;   ///< pushes that are in the server's, but not in it
};

/// What ranks do beside learning, since the report before.
struct LearnRankReport : runtime::RankReport {
    double learn_seconds = 0;        ///< its threads together, in workers
    std::int64_t transitions = 0;    ///< of the workers that it hosted
    std::int64_t table_version = 0;  ///< of the table that it acts on, in rounds
    std::int64_t table_holders = 1;  ///< ranks that hold this table's memory together
};

/// How far learning is. Counts of transitions and episodes are from the start, the rest is of the
/// time since the report before.
struct LearnReport {
    std::int64_t round = 0;
    std::int64_t transitions = 0;
    std::int64_t episodes = 0;
    double seconds = 0;  ///< since learn() began
    double steps_per_second = 0;
    std::optional<Spread> episode_return;  ///< none: no episode has ended
    double episode_length = 0;             ///< mean
    double td_error = 0;                   ///< mean of |target - value|
    double exploration = 0;                ///< level
    double learning_rate = 0;              ///< mean
    double q_min = 0;                      ///< of pairs that were visited
    double q_max = 0;
    std::int64_t touched = 0;         ///< pairs that were visited at least once
    std::int64_t policy_changes = 0;  ///< states with another greedy action than before
    double learn_seconds = 0;         ///< of all threads together
    int threads = 0;                  ///< of all ranks, or of the workers of a server, together
    double efficiency = 0;            ///< learn_seconds over the time of all threads: 1 is ideal
    double exchange_seconds = 0;      ///< of this rank: collectives once all had come
    double wait_seconds = 0;          ///< until all had come
    double checkpoint_seconds = 0;
    std::int64_t bytes_sent = 0;  ///< of all ranks
    std::int64_t entries_sent = 0;
    double bytes_per_update = 0;
    double compression = 0;  ///< entries sent over entries changed
    double residual = 0;     ///< root mean square of what waits to be sent
    Staleness staleness;
    std::int64_t queue_depth = 0;         ///< transitions that wait for the learner, most so far
    std::int64_t consistency_checks = 0;  ///< of the ranks' tables
    int workers_alive = 0;
    int workers_suspected = 0;                 ///< of these; a server of serve() alone
    std::vector<WorkerEvent> worker_events{};  ///< there
    std::vector<WorkerTable> worker_tables{};  ///< on the rank that serves
    std::int64_t leases_reissued = 0;
    std::vector<LearnRankReport> ranks;  ///< [ranks]
    int tables = 1;                      ///< that these hold; copies of threads left aside
    bool is_last = false;
};

/// Receives what learn() has to tell, on every rank, outside parallel regions.
class LearnObserver {
public:
    virtual ~LearnObserver() = default;
    /// Asked between rounds, by time and transitions since the report before; the answer of the
    /// first rank counts. The last report comes in any case.
    virtual bool wants_report(double seconds, std::int64_t /*transitions*/) { return seconds >= 1; }
    /// @param table  makes a copy of what was learned so far; to be called meanwhile only
    virtual void on_report(const LearnReport&, const std::function<QTable()>& /*table*/) {}
    /// As wants_report, since the checkpoint before.
    virtual bool wants_checkpoint(double /*seconds*/, std::int64_t /*transitions*/) {
        return false;
    }
    /// A state to go on from. Every rank hears of it at the same place and may exchange there.
    virtual void on_checkpoint(const runtime::EngineState&) {}
    /// As wants_report, in rounds since the check before: whether ranks shall compare their tables.
    /// If they differ, learn() ends with a CommError that names rank, block, state and action.
    virtual bool wants_consistency_check(std::int64_t /*rounds*/) { return false; }
    /// Asked between rounds; true on any rank ends the work on all.
    virtual bool stop_requested() { return false; }
};

enum class LearnEnding { done, stopped };

struct LearnResult {
    QTable table;
    LearnEnding ending = LearnEnding::done;
    std::int64_t transitions = 0;
    std::int64_t episodes = 0;
    std::int64_t rounds = 0;
    double seconds = 0;
    LearnReport last;
    Digest digest{};  ///< of the table
};

}  // namespace lockstep::rl
