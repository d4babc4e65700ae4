#pragma once

#include <optional>

#include "lockstep/base/stopwatch.hpp"
#include "lockstep/formats/rl/bounded_value.hpp"
#include "lockstep/rl/learn/table.hpp"
#include "lockstep/rl/solve.hpp"
#include "lockstep/runtime/thread_team.hpp"

#include "app/rl/subject.hpp"

namespace lockstep::app {

/// What the greedy policy of a table is worth where the model is known.
struct Worth {
    formats::rl::BoundedValue value;  ///< at the start
    double value_gap = 0;             ///< optimum less value
    double bellman_residual = 0;      ///< largest |T v - v| of a state, v being the table's maxima
    double policy_match = 0;          ///< share of states with worse actions whose action is best
};

/// What can be said of a table exactly.
struct Judgement {
    /// Nothing where the model is not known, and where the greedy policy has no finite value, as
    /// one that stands still for ever.
    std::optional<Worth> worth{};
    std::optional<double> exploitability{};  ///< of games, what the best opponent gains on average
};

/// Judges tables by the exact model, and keeps to a tenth of the time.
class Oracle {
public:
    /// Pairs of a process above which nothing is judged: its model would take gigabytes.
    static constexpr std::int64_t most_pairs = std::int64_t{1} << 20;

    /// `subject` and `team` must outlive this.
    Oracle(const Subject& subject, double discount_factor, runtime::ThreadTeam& team);

    /// Whether anything can be judged.
    [[nodiscard]] bool knows() const noexcept { return optimum_ || is_game_; }
    [[nodiscard]] const std::optional<formats::rl::BoundedValue>& optimum() const noexcept {
        return optimum_;
    }
    /// Whether judging now keeps to the share of time.
    [[nodiscard]] bool is_due() const;
    Judgement judge(const rl::QTable& table);

private:
    void solve();
    [[nodiscard]] rl::SolveOptions options() const;
    [[nodiscard]] std::optional<Worth> worth_of(const rl::QTable& table);

    const Subject& subject_;
    runtime::ThreadTeam& team_;
    double discount_factor_;
    bool is_game_;
    std::optional<rl::Model> model_;
    rl::Solution solution_;
    std::optional<formats::rl::BoundedValue> optimum_;
    Stopwatch clock_;
    double ended_at_ = 0;
    double cost_ = 0;  // seconds of the last judgement
};

/// The lowest of the best actions of a state; -1: none is legal.
int greedy_action(const rl::QTable& table, rl::ActionMask legal, int state);

}  // namespace lockstep::app
