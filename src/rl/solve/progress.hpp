#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "lockstep/rl/solve.hpp"

namespace lockstep::rl {

/// Counts sweeps, tells the observer, and says when it is time to end.
class Progress {
public:
    Progress(const SolveOptions& options, SolveObserver& observer)
        : limit_(options.max_sweeps), observer_(observer) {}

    void count(double change, std::int64_t sweeps = 1) {
        sweeps_ += sweeps;
        change_ = change;
    }
    void bounds(double half_width) { half_width_ = half_width; }

    /// Asked between sweeps; says why there must be no other.
    std::optional<Ending> must_end() {
        observer_.on_sweep({sweeps_, change_, half_width_});
        if (observer_.stop_requested()) {
            return Ending::stopped;
        }
        return left() <= 0 ? std::optional(Ending::iteration_limit) : std::nullopt;
    }
    [[nodiscard]] std::int64_t left() const noexcept { return limit_ - sweeps_; }
    [[nodiscard]] std::int64_t sweeps() const noexcept { return sweeps_; }

private:
    std::int64_t limit_;
    SolveObserver& observer_;
    std::int64_t sweeps_ = 0;
    double change_ = std::numeric_limits<double>::infinity();
    double half_width_ = std::numeric_limits<double>::infinity();
};

}  // namespace lockstep::rl
