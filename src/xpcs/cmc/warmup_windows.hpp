#pragma once

namespace lockstep::xpcs::cmc {

/// When the metric is estimated: after a first stretch of 75 iterations in windows of 25, 50, 100 …
/// up to the last 50, which only adapt the step size. The last window takes what would be too short
/// for one of double length. With fewer than 150 iterations: 15 %, one window, 10 %; with fewer
/// than 20 no window.
/// @par Source  [Stan2024], section "HMC algorithm parameters"
class WarmupWindows {
public:
    explicit WarmupWindows(int warmup);

    /// Iteration `i` counts from 0.
    [[nodiscard]] bool is_inside(int i) const noexcept { return i >= first_ && i < last_; }
    /// The window ends after iteration i.
    [[nodiscard]] bool ends_after(int i) const;

private:
    int first_ = 0;
    int last_ = 0;  // one beyond
    int length_ = 0;
};

}  // namespace lockstep::xpcs::cmc
