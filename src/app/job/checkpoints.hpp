#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "lockstep/app/observer.hpp"
#include "lockstep/comm/communicator.hpp"
#include "lockstep/runtime/engine_state.hpp"
#include "lockstep/runtime/snapshot.hpp"

namespace lockstep::app {

/// Checkpoints of a run, in OUTPUT/checkpoints, whatever its engine.
class Checkpoints {
public:
    static constexpr const char* folder = "checkpoints";

    /// @param step  what is counted: "iteration", "round"
    Checkpoints(const std::filesystem::path& output,
                runtime::SnapshotKey key,
                std::string step,
                Observer& observer);

    /// Writes one. A disk that is full ends no run: the observer is told, the one before stays.
    /// Collective.
    void keep(comm::Communicator& ranks, const runtime::EngineState& state);

    /// The newest whole one, for the engine to go on from; nullptr when there is none. Collective.
    /// @throws InputError  it is of another input, option or program
    std::unique_ptr<runtime::EngineState> newest(comm::Communicator& ranks);

private:
    std::filesystem::path directory_;
    std::string step_;
    runtime::SnapshotStore store_;
    Observer& observer_;
};

}  // namespace lockstep::app
