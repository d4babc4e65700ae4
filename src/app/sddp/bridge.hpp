#pragma once

#include <exception>
#include <functional>
#include <utility>

#include "lockstep/base/stopwatch.hpp"
#include "lockstep/sddp/observer.hpp"
#include "lockstep/sddp/options.hpp"

#include "app/job/job.hpp"
#include "app/sddp/time_left.hpp"

namespace lockstep::app {

/// From the engine to the job. An exception of the display or of a sink must not leave the engine
/// half way on one rank: it is kept, ends the work, and is thrown when the engine is done.
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
    void rethrow() const;

private:
    template <typename F>
    void kept(F&& body) noexcept;

    Job& job_;
    Sink sink_;
    Keeper keeper_;
    bool is_risk_averse_;
    TimeLeft time_left_;
    Stopwatch clock_;
    std::exception_ptr error_;
};

}  // namespace lockstep::app
