#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "lockstep/base/bytes.hpp"
#include "lockstep/rl/learn/learner.hpp"
#include "lockstep/rl/learn/options.hpp"
#include "lockstep/rl/learn/report.hpp"
#include "lockstep/rl/learn/world.hpp"
#include "lockstep/runtime/team.hpp"

#include "rl/learn/table_store.hpp"

namespace lockstep::rl {

/// What a mode works with.
struct ModeContext {
    const World& world;
    const LearnOptions& options;
    runtime::Team& team;
    TableStore& table;  ///< alike on all ranks between rounds
};

/// What a mode did in this process since the report before.
struct ModeFigures {
    double learn_seconds = 0;      ///< of all threads
    std::int64_t transitions = 0;  ///< hosted here
    std::int64_t entries_changed = 0;
    std::int64_t entries_sent = 0;
    double residual_squares = 0;  ///< of what waits to be sent here
    std::int64_t residual_entries = 0;
    // Beside the collectives.
    double wait_seconds = 0;
    std::int64_t bytes_sent = 0;
    std::int64_t bytes_received = 0;
};

/// A round of learning: what runtime::Rounds asks for, less what all modes share.
class LearningMode {
public:
    virtual ~LearningMode() = default;
    LearningMode() = default;
    LearningMode(const LearningMode&) = delete;
    LearningMode& operator=(const LearningMode&) = delete;

    /// Before a round is played or confirmed: makes what ranks hold together, at the start and
    /// again after repartition(); nothing else. May come again where a rank is lost in it.
    /// Collective.
    virtual void settle() {}
    /// Plays the round as far as this rank can alone; the table stays. Not collective.
    /// @throws ModelError  as Learner::run
    virtual void play(std::int64_t transitions_done) = 0;
    /// Transitions of the pending round, of all ranks.
    [[nodiscard]] virtual std::int64_t planned() const = 0;
    /// As users count them, in the pending round.
    [[nodiscard]] virtual std::int64_t rounds() const { return 1; }
    /// What the others have to know of it. Collective.
    virtual void exchange() {}
    /// The round becomes part of the table. Collective at most over the ranks of a node: where one
    /// of these is lost in it, settle() does the rest.
    virtual void commit() = 0;
    /// As if play() had not been called.
    virtual void drop() {}
    /// The number of ranks has changed.
    /// @throws CommError  what the lost rank held is nowhere else
    virtual void repartition() {}
    /// No round follows: what the table still lacks becomes part of it, and what only rounds need
    /// is let go. Not collective.
    virtual void finish() {}

    /// What all learners did since the run began.
    [[nodiscard]] virtual Counts counts() const = 0;
    /// Appends what the last episodes paid of learners that are hosted here.
    virtual void add_returns(std::vector<double>& returns) const = 0;
    /// What it did since the call before.
    virtual ModeFigures take_figures() = 0;

    /// Adds to a report what no other mode knows.
    virtual void describe(LearnReport& /*report*/) {}

    /// All that later rounds depend on, beside the table; the same bytes on every rank. Collective.
    virtual void save(ByteWriter& bytes) = 0;
    /// @throws InputError  damaged, or of something else
    virtual void load(ByteReader& bytes) = 0;
};

/// Appends what the last episodes of a tally paid.
void add_last(const Tally& tally, std::vector<double>& returns);

std::unique_ptr<LearningMode> make_serial(const ModeContext& context);
/// threads and allreduce
std::unique_ptr<LearningMode> make_workers(const ModeContext& context);
/// The same with `overlap`.
std::unique_ptr<LearningMode> make_overlapped(const ModeContext& context);
std::unique_ptr<LearningMode> make_hogwild(const ModeContext& context);
std::unique_ptr<LearningMode> make_vector(const ModeContext& context);
std::unique_ptr<LearningMode> make_actor_learner(const ModeContext& context);
std::unique_ptr<LearningMode> make_server(const ModeContext& context);

}  // namespace lockstep::rl
