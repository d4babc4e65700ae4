#pragma once

#include <cstdint>
#include <vector>

#include "lockstep/rl/learn/table.hpp"
#include "lockstep/rl/rows.hpp"
#include "lockstep/rl/solve.hpp"
#include "lockstep/runtime/thread_team.hpp"

namespace lockstep::app {

/// What a table makes of a process: of each state the lowest of the best legal actions.
class GreedyPolicy {
public:
    /// `rows` must outlive this.
    GreedyPolicy(const rl::RowSource& rows, const rl::QTable& table, runtime::ThreadTeam& team);

    /// [states]; -1: none is legal
    [[nodiscard]] const std::vector<std::int32_t>& actions() const noexcept { return actions_; }
    /// Share of the states with worse actions whose action is among `solution`'s best; 1 without
    /// such states.
    [[nodiscard]] double match(const rl::Solution& solution, runtime::ThreadTeam& team) const;
    /// Largest |T v - v| of a state, v being the table's maxima.
    [[nodiscard]] double bellman_residual(double gamma, runtime::ThreadTeam& team) const;

private:
    const rl::RowSource& rows_;
    std::vector<std::int32_t> actions_;
    std::vector<double> maxima_;  // [states], 0 without legal actions
};

}  // namespace lockstep::app
