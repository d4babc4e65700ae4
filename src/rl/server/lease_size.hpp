#pragma once

#include <algorithm>
#include <cstdint>

namespace lockstep::rl {

/// How many transitions a worker gets at once: in proportion to its speed, so that all leases take
/// equally long, and fewer when what is left would keep the others waiting.
struct LeaseRule {
    std::int64_t most = 10'000;  ///< of the fastest worker
    double seconds = 0.1;        ///< that no lease shall take longer than

    /// Steps a second of one thread of a worker; 0: not known.
    struct Speeds {
        double own = 0;
        double fastest = 0;
        double all = 0;  ///< threads of all workers together
    };
    /// @param left  transitions that nobody has yet, at least 1
    /// @param time  seconds until all shall rest
    [[nodiscard]] std::int64_t size(const Speeds& speeds, std::int64_t left, double time) const {
        if (!(speeds.own > 0)) {
            return std::clamp(most / first_part, std::int64_t{1}, left);
        }
        const double proportional =
            static_cast<double>(most) * speeds.own / std::max(speeds.fastest, speeds.own);
        const double fair =
            static_cast<double>(left) * speeds.own / std::max(speeds.all, speeds.own);
        const double brief = speeds.own * seconds * shortest;
        const double wanted = std::min({proportional,
                                        speeds.own * seconds,
                                        std::max(std::min(fair, speeds.own * time), brief)});
        return std::clamp(static_cast<std::int64_t>(wanted), std::int64_t{1}, left);
    }

private:
    static constexpr std::int64_t first_part =
        16;                                   // of `most`: the first lease finds out the speed
    static constexpr double shortest = 0.01;  // of `seconds`, for the last leases
};

}  // namespace lockstep::rl
