#pragma once

#include <optional>
#include <span>

#include "lockstep/sddp/observer.hpp"
#include "lockstep/sddp/options.hpp"
#include "lockstep/sddp/train.hpp"

namespace lockstep::sddp {

/// What stopping rules look at after an iteration, alike on all ranks.
struct Progress {
    std::span<const IterationReport> iterations;  ///< so far
    double seconds = 0;                           ///< since training began
    /// Whether the mean cost of trajectories estimates what the lower bound bounds: no stage is
    /// averse to risk.
    bool is_risk_neutral = true;
    int earlier = 0;  ///< iterations before these, which count towards limits
    [[nodiscard]] int completed() const noexcept {
        return earlier + static_cast<int>(iterations.size());
    }
};

/// Decides after an iteration whether training ends.
///
/// With stop_when_all every rule but the iteration limits must hold at the same iteration; the
/// largest iteration limit ends training in any case.
///
/// A bound stands still only if it has moved before. One of 0 is where every bound begins and never
/// does; one that is still what the first iteration found does where the trajectories cost no more
/// than it says, as in a problem with nothing to learn.
std::optional<StopReason> should_stop(const TrainOptions& options, const Progress& progress);

/// Whether a rule of standing bounds holds that the costs of the latest trajectories do not
/// contradict: even the lower end of their mean's 95 % interval must lie within max_gap, or 1 % if
/// that is infinite, of the bound.
bool has_converged(const TrainOptions& options, const Progress& progress);

}  // namespace lockstep::sddp
