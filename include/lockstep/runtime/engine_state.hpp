#pragma once

#include <cstddef>
#include <vector>

namespace lockstep::runtime {

/// All that training carries from one iteration to the next, alike on every rank: what a checkpoint
/// keeps.
///
/// Parts are opaque bytes, one a stage and a last one for the history; each is about as large as
/// the stage's cuts. Training that goes on from them, on any number of ranks and threads, gives the
/// bits of training that never stopped.
class EngineState {
public:
    virtual ~EngineState() = default;
    EngineState() = default;
    EngineState(const EngineState&) = delete;
    EngineState& operator=(const EngineState&) = delete;

    /// Iterations done.
    [[nodiscard]] virtual int iteration() const = 0;
    [[nodiscard]] virtual int parts() const = 0;
    [[nodiscard]] virtual std::vector<std::byte> part(int index) const = 0;
};

}  // namespace lockstep::runtime
