#pragma once

#include <algorithm>
#include <cstdint>

namespace lockstep::xpcs {

/// How much work makes a round: about half a second of it, so that a wish to stop is heard soon and
/// exchanges cost little. What it is fed has to be the same on all ranks; results do not depend on
/// it.
class Pace {
public:
    Pace(std::int64_t first, std::int64_t most) : size_(first), most_(most) {}

    [[nodiscard]] std::int64_t size() const noexcept { return size_; }

    /// A round of `count` took so long.
    void learn(std::int64_t count, double seconds) {
        constexpr double wanted = 0.5;
        constexpr double fastest_growth = 8;
        const double factor = std::min(wanted / std::max(seconds, 1e-6), fastest_growth);
        size_ = std::clamp<std::int64_t>(
            static_cast<std::int64_t>(factor * static_cast<double>(count)), 1, most_);
    }

private:
    std::int64_t size_;
    std::int64_t most_;
};

}  // namespace lockstep::xpcs
