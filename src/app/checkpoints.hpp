#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "lockstep/app/observer.hpp"
#include "lockstep/comm/communicator.hpp"
#include "lockstep/formats/cobre/case.hpp"
#include "lockstep/runtime/snapshot.hpp"
#include "lockstep/sddp/train_state.hpp"

namespace lockstep::app {

/// Checkpoints of a training run, in OUTPUT/checkpoints.
class Checkpoints {
public:
    static constexpr const char* folder = "checkpoints";

    Checkpoints(const std::filesystem::path& output,
                const formats::cobre::Case& input,
                RunObserver& observer);

    /// Writes one. A disk that is full ends no run: the observer is told, the one before stays.
    /// Collective.
    void keep(comm::Communicator& ranks, const sddp::TrainState& state);

    /// The newest whole one, for train() to go on from; nullptr when there is none. Collective.
    /// @throws InputError  it is of another case, option or program
    std::unique_ptr<sddp::TrainState> newest(comm::Communicator& ranks);

private:
    std::filesystem::path directory_;
    runtime::SnapshotStore store_;
    RunObserver& observer_;
};

}  // namespace lockstep::app
