#pragma once

#include <cmath>

namespace lockstep::rl {

/// Steps a second of a worker, smoothed exponentially: what a lease told counts half after five
/// more.
class Speed {
public:
    void add(double steps, double seconds) noexcept {
        if (!(seconds > 0) || !std::isfinite(steps / seconds)) {
            return;
        }
        const double now = steps / seconds;
        rate_ = rate_ > 0 ? kept * rate_ + (1 - kept) * now : now;
    }
    /// 0: not known yet.
    [[nodiscard]] double rate() const noexcept { return rate_; }

private:
    static constexpr double kept = 0.8705505632961241;  // 2^(-1/5)
    double rate_ = 0;
};

}  // namespace lockstep::rl
