#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "lockstep/rl/learn/schedule.hpp"
#include "lockstep/rl/learn/table.hpp"

namespace lockstep::rl {

/// Who learns, on how many tables, and what is exchanged when (docs/rl/modes.md).
enum class Mode {
    serial,         ///< one environment, one table
    vector,         ///< `batch_size` environments in lock step; updates in their order
    threads,        ///< `workers` play rounds from one table; what they learned is combined
    hogwild,        ///< threads of a node share one table without locks; not reproducible
    allreduce,      ///< as threads, over ranks: what workers learned travels as sparse deltas
    server,         ///< workers pull from and push to a sharded table; reproducible at staleness 0
    actor_learner,  ///< actors send transitions, one learner updates, actors get new values
};
std::string_view to_string(Mode mode);
/// All modes, in the order of the enumeration.
const std::vector<Mode>& modes();
/// One line about it.
std::string_view about(Mode mode);
/// Which target a value moves to.
/// @par Source  [SuttonBarto2018], chapters 6 to 8 and 12
enum class Algorithm {
    q_learning,            ///< r + gamma max Q(s', .)
    double_q,              ///< two tables: one chooses, the other one tells the value [Hasselt2010]
    sarsa,                 ///< r + gamma Q(s', a') of the action that follows
    expected_sarsa,        ///< its mean over the policy [VanSeijen2009]
    n_step_q,              ///< `n_steps` rewards, then the maximum; cut where exploring
    n_step_sarsa,          ///< `n_steps` rewards, then the action that follows
    q_lambda,              ///< traces, cut where exploring [Watkins1989]
    sarsa_lambda,          ///< traces
    speedy_q,              ///< the last two tables of values [Azar2011]
    dyna_q,                ///< `planning_steps` updates from a learned model after each step
    prioritized_sweeping,  ///< the same, largest change first [Moore1993]
};
std::string_view to_string(Algorithm algorithm);
const std::vector<Algorithm>& algorithms();
std::string_view about(Algorithm algorithm);

/// How an action is chosen while learning. Illegal actions are never chosen.
struct Exploration {
    enum class Rule {
        epsilon_greedy,  ///< with probability `level` any legal action, else a best one
        softmax,         ///< in proportion to exp(Q / level)
        ucb,             ///< largest Q + level · sqrt(ln N(s) / N(s, a)); unvisited actions first
    };
    Rule rule = Rule::epsilon_greedy;
    Schedule level{};
    bool random_ties = true;  ///< among equal values; false: the lowest action
    friend bool operator==(const Exploration&, const Exploration&) = default;
};
std::string_view to_string(Exploration::Rule rule);

/// How the tables that workers learned in a round become one (docs/rl-theory.md).
enum class Combine {
    average,      ///< mean of all workers
    touched,      ///< mean of those that have updated the entry
    importance,   ///< mean weighted by 1 / product of (1 - alpha) [Woo2025]
    composition,  ///< updates one worker after the other
    sum,          ///< sum of changes: diverges, a negative control
};
std::string_view to_string(Combine rule);
const std::vector<Combine>& combining_rules();

/// Several transitions of one pair in a lock step.
enum class Duplicates {
    sequential,    ///< each finds the value that the one before it left
    accumulating,  ///< all find the values of before the lock step, and their changes add up
};
std::string_view to_string(Duplicates rule);

/// What learn() is asked for. What decides a result beside the environment is all in here.
struct LearnOptions {
    Algorithm algorithm = Algorithm::q_learning;
    Mode mode = Mode::threads;
    std::int64_t steps = 1'000'000;  ///< transitions of all workers together, >= 1
    double discount_factor = 0.99;   ///< in [0, 1]
    StepSize learning_rate{};
    Exploration exploration{};
    double initial_value = 0;  ///< of legal pairs; a large one makes a learner try everything
    /// Values and visits to begin with, instead of initial_value; nullptr: none.
    std::shared_ptr<const QTable> first_table{};
    /// Of values in tables, and of changes of workers on their way: f32 halves both. Not of dyna_q
    /// and prioritized_sweeping, whose model is many times as large as the table.
    Precision table_precision = Precision::f64;
    std::uint64_t seed = 0;
    int n_steps = 4;          ///< of the n-step algorithms, 1 to 64
    double lambda = 0.9;      ///< decay of traces, in [0, 1]
    int planning_steps = 10;  ///< of dyna_q and prioritized_sweeping, >= 1

    int batch_size = 32;  ///< environments in lock step: vector and actor_learner; 1 to 2^20
    Duplicates duplicates = Duplicates::sequential;  ///< vector and actor_learner

    int workers = 16;  ///< that learn in a round, wherever they run; 1 to 4096
    /// Transitions of a worker, or of an environment of actor_learner, in a round; 0: 10,000, and
    /// 100 for actor_learner.
    std::int64_t sync_frequency = 0;
    Combine combine = Combine::importance;
    /// Changes smaller than this share of the root mean square of a worker's changes wait for the
    /// next round; 0: all travel, with all bits. allreduce, and server with staleness 0.
    double compression_ratio = 0;
    bool error_feedback = true;  ///< what waits is kept; false: lost, a negative control
    /// Changes of a round travel while the next one is played, from a table that lacks them:
    /// threads and allreduce, without compression.
    bool overlap = false;

    /// Rounds that a worker may be ahead of the slowest: server; -1: any. And how many rounds old
    /// the values are that actors act on: actor_learner.
    int staleness = 1;
    double lease_seconds = 0.1;  ///< server, with staleness: no lease is to take longer; > 0
    int servers = 1;  ///< processes that divide the states of the table, server; 1 to 64
    bool delay_adaptive =
        false;  ///< server: steps over 1 + the age of what they were computed from
    std::int64_t buffer_size = 0;  ///< transitions kept for replay; 0: none. vector, q_learning
    int replays = 1;               ///< updates from the buffer after each transition, >= 1

    /// sync_frequency, with what 0 stands for.
    [[nodiscard]] std::int64_t transitions_of_a_round() const noexcept {
        const std::int64_t usual = mode == Mode::actor_learner ? 100 : 10'000;
        return sync_frequency > 0 ? sync_frequency : usual;
    }
    /// @throws InputError  names the option, what it is and what it may be
    void validate() const;
};

/// Whether the result is the same bits however it is run: not with hogwild, nor with a server and
/// staleness.
bool is_reproducible(const LearnOptions& options);

}  // namespace lockstep::rl
