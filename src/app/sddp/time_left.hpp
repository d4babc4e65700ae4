#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "lockstep/app/observer.hpp"
#include "lockstep/sddp/observer.hpp"
#include "lockstep/sddp/options.hpp"

namespace lockstep::app {

/// Foresees the end of training from its stopping rules and the pace of the latest iterations.
class TimeLeft {
public:
    explicit TimeLeft(const sddp::TrainOptions& options);

    void add(const sddp::IterationReport& report);

    /// None before the first iteration.
    [[nodiscard]] std::optional<Forecast> forecast() const;

    /// Largest iteration limit, which always ends training.
    [[nodiscard]] int iteration_limit() const noexcept { return iteration_limit_; }

private:
    [[nodiscard]] double seconds_of(const sddp::StoppingRule& rule, double pace) const;

    std::vector<sddp::StoppingRule> rules_;
    bool all_;
    int iteration_limit_ = 0;
    int done_ = 0;
    double elapsed_ = 0;
    std::deque<double> recent_;  // seconds of the latest iterations
};

}  // namespace lockstep::app
