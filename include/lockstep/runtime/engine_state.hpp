#pragma once

#include <cstddef>
#include <vector>

namespace lockstep::runtime {

/// All that an engine carries from one iteration to the next, alike on every rank: what a
/// checkpoint keeps.
///
/// Parts are opaque bytes that ranks write and read one by one. Work that goes on from them, on any
/// number of ranks and threads, gives the bits of work that never stopped.
class EngineState {
public:
    virtual ~EngineState() = default;
    EngineState() = default;
    EngineState(const EngineState&) = delete;
    EngineState& operator=(const EngineState&) = delete;

    /// Which engine's: "sddp", "xpcs", "rl".
    [[nodiscard]] virtual const char* engine() const = 0;
    /// Iterations done.
    [[nodiscard]] virtual int iteration() const = 0;
    [[nodiscard]] virtual int parts() const = 0;
    [[nodiscard]] virtual std::vector<std::byte> part(int index) const = 0;
};

}  // namespace lockstep::runtime
