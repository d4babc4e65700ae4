#pragma once

#include <vector>

#include "lockstep/runtime/engine_state.hpp"
#include "lockstep/sddp/observer.hpp"

#include "sddp/passes/bounds/lower_bound.hpp"
#include "sddp/passes/engine.hpp"
#include "sddp/passes/forward_pass.hpp"

namespace lockstep::sddp {

/// State of a run under way: a part a node, each about as large as the node's cuts, and a last
/// one for the history. Packed part by part when asked for.
class TrainingSnapshot final : public runtime::EngineState {
public:
    TrainingSnapshot(const Engine& engine,
                     Trajectories& trajectories,
                     LowerBound& lower_bound,
                     const TrainResult& so_far,
                     double elapsed_seconds)
        : engine_(engine),
          trajectories_(trajectories),
          lower_bound_(lower_bound),
          so_far_(so_far),
          elapsed_seconds_(elapsed_seconds) {}

    [[nodiscard]] const char* engine() const override { return "sddp"; }
    [[nodiscard]] int iteration() const override { return so_far_.completed(); }
    [[nodiscard]] int parts() const override { return engine_.node_count() + 1; }
    [[nodiscard]] std::vector<std::byte> part(int index) const override;

private:
    const Engine& engine_;
    Trajectories& trajectories_;
    LowerBound& lower_bound_;
    const TrainResult& so_far_;
    double elapsed_seconds_;
};

struct History {
    std::vector<IterationReport> iterations;
    std::vector<double> earlier_bounds;
    double elapsed_seconds = 0;
};

/// Fills pools and bases from a state; the first rank of each node reads it, and slopes of cuts
/// come to lie once per node, without room for more.
/// @throws InputError  the state is of another problem or damaged, and how it differs
/// Collective.
History restore_state(const runtime::EngineState& state,
                      Engine& engine,
                      Trajectories& trajectories,
                      LowerBound& lower_bound);

}  // namespace lockstep::sddp
