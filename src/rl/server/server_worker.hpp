#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "lockstep/rl/learn/world.hpp"
#include "lockstep/runtime/thread_team.hpp"

#include "rl/exchange/feedback.hpp"
#include "rl/exchange/retention.hpp"
#include "rl/learn/table_store.hpp"
#include "rl/modes/replica.hpp"
#include "rl/server/messages.hpp"

namespace lockstep::rl {

/// The worker's side: plays leases on a copy of the table, of which it keeps what the server last
/// sent. Knows no network.
class ServerWorker {
public:
    /// @param table  what the server's was at the start, or that table itself; news are written to
    /// it
    ServerWorker(const World& world,
                 const LearnOptions& options,
                 runtime::ThreadTeam& threads,
                 TableStore& table);

    /// From now on, with staleness, what this worker has pushed stays in its copy until news have
    /// it: for who asks for the next leases while it plays.
    void keep_own() { keeps_own_ = options_.staleness != 0; }

    void take(const News& news);
    /// Whether the work did not come before: what comes twice is to be left alone.
    [[nodiscard]] bool is_new(const Work& work) const;
    /// Plays all leases at once.
    /// @param while_playing  called several times a second, on the calling thread
    /// @throws ModelError  as Learner::run; InputError  the work is damaged
    [[nodiscard]] Push play(const Work& work, const std::function<void()>& while_playing = {});

    struct Figures {
        double seconds = 0;  ///< of all threads, in play
        std::int64_t transitions = 0;
        std::int64_t entries_changed = 0;
        std::int64_t entries_sent = 0;
    };

    /// Since the call before.
    [[nodiscard]] Figures take_figures();

private:
    struct Played {
        LeaseResult result;
        std::int64_t changed = 0;
        std::int64_t sent = 0;
        Delta offsets;  // with staleness
    };
    /// What one of this worker's leases does to the table.
    struct Own {
        std::int64_t sequence = 0;  // of its push
        Delta offsets;
        std::vector<std::uint32_t> losses;
    };
    Learner& learner_of(std::int32_t item);
    [[nodiscard]] Played play(const Lease& lease,
                              Width width,
                              Learner& learner,
                              Replica& replica,
                              const std::function<void()>& while_playing) const;
    [[nodiscard]] Width width_for(const Delta& delta, Width of_news) const;
    void run(Learner& learner,
             std::int64_t transitions,
             const Cells& cells,
             Tally& tally,
             const std::function<void()>& while_playing) const;
    void make_offsets(Delta& delta, std::vector<std::uint32_t>& losses) const;
    [[nodiscard]] std::uint32_t loss_of(std::uint32_t before, std::uint32_t visits) const;
    void refresh(std::span<const std::uint32_t> cells);
    void note(Played& played);
    void keep(std::int64_t sequence, Played& played);
    void renew_own(std::int64_t acknowledged, const News& news);
    void compose(const Own& own, std::size_t entry);

    const World& world_;
    const LearnOptions& options_;
    runtime::ThreadTeam& threads_;
    TableStore& table_;
    TableShape shape_;
    Retention retention_;
    std::optional<Feedback> feedback_;
    runtime::PerThread<Replica> replicas_;
    std::map<std::int32_t, std::unique_ptr<Learner>> learners_;
    bool keeps_own_ = false;
    std::deque<Own> own_;  // that news do not have yet
    std::int64_t sequence_ = 0;
    std::optional<LeaseId> last_lease_;
    double rate_ = 0;  // steps a second of a thread, in the last lease
    Figures figures_;
};

}  // namespace lockstep::rl
