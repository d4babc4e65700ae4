#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/app/rl/evaluate.hpp"
#include "lockstep/base/digest.hpp"
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

/// What an oracle may take to find exact values.
struct OracleLimits {
    ExactValues when = ExactValues::automatic;
    std::int64_t bytes = 0;  ///< of memory; 0: not known
    double seconds = 20;     ///< predicted, automatic; given up when it takes three times as long
    std::function<bool()> stop_requested = [] { return false; };
};

/// Judges tables by the exact model, and keeps to a tenth of the time.
class Oracle {
public:
    /// `subject` and `team` must outlive this.
    Oracle(const Subject& subject,
           double discount_factor,
           const OracleLimits& limits,
           runtime::ThreadTeam& team);

    /// Whether anything can be judged.
    [[nodiscard]] bool knows() const noexcept { return optimum_ || is_game_; }
    [[nodiscard]] const std::optional<formats::rl::BoundedValue>& optimum() const noexcept {
        return optimum_;
    }
    /// Why there is no optimum though the model may be known, and what to do, as a sentence without
    /// its stop; "": for no such reason.
    [[nodiscard]] const std::string& why_skipped() const noexcept { return why_skipped_; }
    /// Whether judging now keeps to the share of time.
    [[nodiscard]] bool is_due() const;
    Judgement judge(const rl::QTable& table);

private:
    void find_process(const OracleLimits& limits);
    void solve(const OracleLimits& limits);
    [[nodiscard]] std::optional<Worth> worth_of(const rl::QTable& table);
    void skip(const std::string& why);

    const Subject& subject_;
    runtime::ThreadTeam& team_;
    rl::SolveOptions options_;
    bool is_game_;
    std::optional<KnownProcess> process_;
    rl::Solution solution_;
    std::optional<formats::rl::BoundedValue> optimum_;
    std::string why_skipped_;
    Digest judged_{};  // of the last table
    Judgement judgement_;
    Stopwatch clock_;
    double ended_at_ = 0;
    double cost_ = 0;  // seconds of the last judgement
};

/// The lowest of the best actions of a state; -1: none is legal.
int greedy_action(const rl::QTable& table, rl::ActionMask legal, int state);

}  // namespace lockstep::app
