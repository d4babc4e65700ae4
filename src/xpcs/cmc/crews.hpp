#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "lockstep/runtime/thread_team.hpp"
#include "lockstep/xpcs/cmc/log_density.hpp"

namespace lockstep::xpcs::cmc {

/// So many crews of equally many threads.
struct CrewPlan {
    int crews = 1;
    int threads = 1;  ///< a crew

    bool operator==(const CrewPlan&) const = default;
};

/// How tasks that are alike are done soonest. Of plans that are equally fast the one with most
/// crews, since tasks side by side need not wait for each other.
/// @param useful  threads that make one task faster
CrewPlan plan_crews(int tasks, int threads, int useful);

/// A density that threads share for a while.
class Spread {
public:
    /// Both are referred to.
    Spread(LogDensity& density, runtime::ThreadTeam& threads) : density_(density) {
        density_.spread_over(&threads);
    }
    ~Spread() { density_.spread_over(nullptr); }
    Spread(const Spread&) = delete;
    Spread& operator=(const Spread&) = delete;

private:
    LogDensity& density_;
};

/// body(task, crew) for every task in [0, count), side by side: each crew has a leader, who takes
/// one after the other and may call for its crew. All tasks run even if some throw; then the
/// exception of the lowest is rethrown.
void on_crews(std::span<runtime::ThreadTeam> crews,
              std::ptrdiff_t count,
              const std::function<void(std::ptrdiff_t task, runtime::ThreadTeam& crew)>& body);

}  // namespace lockstep::xpcs::cmc
