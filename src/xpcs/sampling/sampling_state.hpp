#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "lockstep/runtime/engine_state.hpp"

namespace lockstep::xpcs {

/// All that a sampling carries on with: the same on every rank.
struct SamplingState {
    int rounds = 0;
    std::vector<double> weighed{};                 // log densities of the first points
    std::vector<std::vector<std::byte>> chains{};  // saved; none: not begun
    std::vector<double> described{};               // rows of the first draws
};

/// The same as a checkpoint holds it.
class SamplingSnapshot final : public runtime::EngineState {
public:
    explicit SamplingSnapshot(const SamplingState& state) : state_(state) {}

    [[nodiscard]] const char* engine() const override { return "xpcs"; }
    [[nodiscard]] int iteration() const override { return state_.rounds; }
    [[nodiscard]] int parts() const override { return 1; }
    [[nodiscard]] std::vector<std::byte> part(int index) const override;

private:
    const SamplingState& state_;
};

/// @throws InputError  the checkpoint is damaged, or of another program's format
SamplingState restored(const runtime::EngineState& checkpoint);

}  // namespace lockstep::xpcs
