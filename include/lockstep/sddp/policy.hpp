#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lockstep/sddp/cut_slopes.hpp"

namespace lockstep::sddp {

/// Lower bounds of the cost after one stage: θ >= intercept + slopes·state, in [$].
///
/// State: storages [hm³] by hydro, then inflow lags [m³/s], lag-major.
struct StageCuts {
    CutSlopes slopes;
    std::vector<double> intercept;        ///< [cuts]
    std::vector<std::int32_t> iteration;  ///< [cuts], when it was made, from 1
    std::vector<std::int32_t>
        trajectory;                    ///< [cuts], which forward trajectory's state it was made at
    std::vector<std::uint8_t> active;  ///< [cuts]
    /// [cuts], of which of the outcomes that may follow the cost is bounded, -1: of all together;
    /// empty: of all together.
    std::vector<std::int32_t> outcome{};

    [[nodiscard]] int size() const noexcept { return static_cast<int>(intercept.size()); }
};

/// States that training has visited.
struct StageStates {
    CutSlopes states;                      ///< rows of numbers as slopes of cuts are, a row a state
    std::vector<std::int32_t> iteration;   ///< [states], from 1
    std::vector<std::int32_t> trajectory;  ///< [states]
};

/// What training leaves: cuts after each stage; the last stage has none.
///
/// Where inflows with memory are truncated these are the cuts that decisions follow; they may
/// exceed the cost, and the lower bound does not come from them (docs/sddp-theory.md, section 3).
struct Policy {
    std::vector<StageCuts> stages;  ///< [stages]
    /// [stages] or none: where those may exceed the cost, the same ones, numbered alike, as bounds.
    std::vector<StageCuts> bounding;
    /// States that forward passes left each node with, where training was to keep them: [stages] or
    /// none.
    std::vector<StageStates> visited;
    /// Where the last forward pass ended, for a simulation to start from: opaque, [stages] or none.
    /// With them a simulation is faster, and one of a converged deterministic problem takes the
    /// same optimal vertices as training did and costs its bound.
    std::vector<std::vector<std::byte>> starts;
};

}  // namespace lockstep::sddp
