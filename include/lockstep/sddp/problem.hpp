#pragma once

#include "lockstep/sddp/calendar.hpp"
#include "lockstep/sddp/cut_slopes.hpp"
#include "lockstep/sddp/policy_graph.hpp"
#include "lockstep/sddp/process.hpp"
#include "lockstep/sddp/system.hpp"

namespace lockstep::sddp {

/// A hydrothermal dispatch problem, complete and checked.
///
/// What its maker promises, and the engine does not look at again: at least one stage; every
/// ByStage and ByBlock has the calendar's shape, every index an entity; lower limits do not exceed
/// upper ones; costs are >= 0 and finite; rivers have no cycle; the process is of this calendar and
/// system.
struct Problem {
    Calendar calendar;
    System system;
    Process process;
    PolicyGraph graph{};

    [[nodiscard]] int stage_count() const noexcept { return calendar.stage_count(); }
    /// Reservoirs, and plants without one: each has a storage in the state.
    [[nodiscard]] int hydro_count() const noexcept {
        return static_cast<int>(system.hydros.size());
    }
    /// Storages are decided; of the inflow lags, lag-major, the first is fresh.
    [[nodiscard]] StateLayout states() const noexcept {
        const int lags = process.inflow.lags;
        return {
            hydro_count(), lags > 0 ? hydro_count() : 0, lags > 0 ? hydro_count() * (lags - 1) : 0};
    }
    /// Length of a state and of a cut's slopes.
    [[nodiscard]] int state_size() const noexcept { return states().size(); }
};

}  // namespace lockstep::sddp
