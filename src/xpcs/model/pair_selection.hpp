#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::xpcs {

/// Some of the pairs of frames, the same ones at every angle, and the data there.
struct PairSelection {
    std::vector<std::int32_t> rows{};       ///< frame i of each
    std::vector<std::int32_t> columns{};    ///< frame j > i
    std::vector<std::vector<double>> c2{};  ///< [angles, pairs]; NaN: masked

    [[nodiscard]] std::int64_t size() const noexcept {
        return static_cast<std::int64_t>(rows.size());
    }
};

}  // namespace lockstep::xpcs
