#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "lockstep/comm/communicator.hpp"
#include "lockstep/rl/solve.hpp"

namespace lockstep::rl {

/// Counts sweeps, tells the observer, and says when it is time to end.
class Progress {
public:
    /// @param ranks  that must agree when to end; null: this one alone
    Progress(const SolveOptions& options,
             SolveObserver& observer,
             comm::Communicator* ranks = nullptr)
        : limit_(options.max_sweeps), observer_(observer), ranks_(ranks) {}

    void count(double change, std::int64_t sweeps = 1) {
        sweeps_ += sweeps;
        change_ = change;
    }
    void bounds(double half_width) { half_width_ = half_width; }

    /// Asked between sweeps, by all ranks; says why there must be no other.
    std::optional<Ending> must_end() {
        observer_.on_sweep({sweeps_, change_, half_width_});
        if (is_stop_requested()) {
            return Ending::stopped;
        }
        return left() <= 0 ? std::optional(Ending::iteration_limit) : std::nullopt;
    }
    [[nodiscard]] std::int64_t left() const noexcept { return limit_ - sweeps_; }
    [[nodiscard]] std::int64_t sweeps() const noexcept { return sweeps_; }

private:
    bool is_stop_requested() {
        const std::int32_t own = observer_.stop_requested() ? 1 : 0;
        return (ranks_ == nullptr ? own : ranks_->allreduce(own, comm::ReduceOp::max)) != 0;
    }

    std::int64_t limit_;
    SolveObserver& observer_;
    comm::Communicator* ranks_;
    std::int64_t sweeps_ = 0;
    double change_ = std::numeric_limits<double>::infinity();
    double half_width_ = std::numeric_limits<double>::infinity();
};

}  // namespace lockstep::rl
