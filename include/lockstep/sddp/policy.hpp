#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::sddp {

/// Lower bounds of the cost after one stage: θ >= intercept + slopes·state, in [$].
///
/// State and slopes: storages [hm³] by hydro, then inflow lags [m³/s], lag-major.
struct StageCuts {
    int state_size = 0;
    std::vector<double> intercept;        ///< [cuts]
    std::vector<double> slope;            ///< [cuts × state_size]
    std::vector<std::int32_t> iteration;  ///< [cuts], when it was made, from 1
    std::vector<std::int32_t>
        trajectory;                    ///< [cuts], which forward trajectory's state it was made at
    std::vector<std::uint8_t> active;  ///< [cuts]

    [[nodiscard]] int size() const noexcept { return static_cast<int>(intercept.size()); }
    [[nodiscard]] std::span<const double> slopes(int cut) const noexcept {
        const auto width = static_cast<std::size_t>(state_size);
        return {slope.data() + static_cast<std::size_t>(cut) * width, width};
    }
    /// Largest cut at `state`, and 0.
    [[nodiscard]] double value(std::span<const double> state) const noexcept;
};

/// What training leaves: cuts after each stage; the last stage has none.
struct Policy {
    std::vector<StageCuts> stages;  ///< [stages]
};

}  // namespace lockstep::sddp
