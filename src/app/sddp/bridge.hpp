#pragma once

#include <functional>
#include <utility>

#include "lockstep/base/stopwatch.hpp"
#include "lockstep/sddp/observer.hpp"
#include "lockstep/sddp/options.hpp"

#include "app/job/job.hpp"
#include "app/job/kept_error.hpp"
#include "app/sddp/time_left.hpp"

namespace lockstep::app {

/// From the engine to the job. Exceptions meanwhile are kept.
class Bridge final : public sddp::Observer {
public:
    using Sink = std::function<void(const sddp::ScenarioResult&)>;
    using Keeper = std::function<void(const runtime::EngineState&)>;

    /// @param is_risk_averse  a mean cost is then no upper bound, and no gap is told
    Bridge(Job& job,
           const sddp::TrainOptions& options,
           Sink sink = {},
           Keeper keeper = {},
           bool is_risk_averse = false)
        : job_(job),
          sink_(std::move(sink)),
          keeper_(std::move(keeper)),
          is_risk_averse_(is_risk_averse),
          time_left_(options) {}

    void on_iteration(const sddp::IterationReport& report) override;
    /// Straight to the keeper, which exchanges: what it throws is everybody's.
    void on_checkpoint(const runtime::EngineState& state) override;
    void on_scenario(const sddp::ScenarioResult& result) override;
    void on_simulation_progress(int done, int total) override;
    bool stop_requested() override;

    /// The exception that was kept, if any.
    void rethrow() const { kept_.rethrow(); }

private:
    Job& job_;
    Sink sink_;
    Keeper keeper_;
    bool is_risk_averse_;
    TimeLeft time_left_;
    Stopwatch clock_;
    KeptError kept_;
};

}  // namespace lockstep::app
