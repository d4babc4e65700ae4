#pragma once

#include "lockstep/sddp/calendar.hpp"
#include "lockstep/sddp/cut_slopes.hpp"
#include "lockstep/sddp/policy.hpp"
#include "lockstep/sddp/policy_graph.hpp"
#include "lockstep/sddp/process.hpp"
#include "lockstep/sddp/system.hpp"

namespace lockstep::sddp {

/// A hydrothermal dispatch problem, complete and checked.
///
/// What its maker promises, and the engine does not look at again: at least one stage; every
/// ByStage and ByBlock has the calendar's shape, every index an entity; lower limits do not exceed
/// upper ones; costs are finite, and >= 0 but for prices of contracts; rivers have no cycle; the
/// process is of this calendar and system.
struct Problem {
    Calendar calendar;
    System system;
    Process process;
    PolicyGraph graph{};
    /// What the end of the study is worth: cuts after the last stage, made at iteration 0. Without
    /// any, nothing comes after it.
    StageCuts boundary{};

    [[nodiscard]] int stage_count() const noexcept { return calendar.stage_count(); }
    /// Of a node of the graph as the input calls it; of a chain the stage index.
    [[nodiscard]] int node_id(int node) const noexcept {
        return graph.is_chain() ? node : graph.nodes[at(node)].id;
    }
    [[nodiscard]] int node_count() const noexcept {
        return graph.is_chain() ? stage_count() : static_cast<int>(graph.nodes.size());
    }
    /// Stage index of a node.
    [[nodiscard]] int stage_of(int node) const noexcept {
        return graph.is_chain() ? node : graph.nodes[at(node)].stage;
    }
    /// Whether nothing follows a node.
    [[nodiscard]] bool is_leaf(int node) const noexcept {
        return stage_of(node) + 1 == stage_count() && !graph.is_cyclic();
    }
    /// Reservoirs, and plants without one: each has a storage in the state.
    [[nodiscard]] int hydro_count() const noexcept {
        return static_cast<int>(system.hydros.size());
    }
    /// Storages, water on its way, commitments and energies of batteries, each by entity, are
    /// decided; of the inflow lags, lag-major, the first is fresh.
    [[nodiscard]] StateLayout states() const noexcept {
        const int lags = process.inflow.lags;
        return {first_battery() + static_cast<int>(system.batteries.size()),
                lags > 0 ? hydro_count() : 0,
                lags > 0 ? hydro_count() * (lags - 1) : 0};
    }
    /// Place in the state of the first battery's energy.
    [[nodiscard]] int first_battery() const noexcept {
        return hydro_count() + system.transit_count() + system.commitment_count();
    }
    /// Length of a state and of a cut's slopes.
    [[nodiscard]] int state_size() const noexcept { return states().size(); }
};

}  // namespace lockstep::sddp
