#pragma once

#include <exception>
#include <functional>
#include <utility>

#include "lockstep/app/observer.hpp"
#include "lockstep/sddp/observer.hpp"

namespace lockstep::app {

/// Passes what an engine tells on to the observer of a use case and, scenario by scenario, to a
/// writer.
///
/// An exception of either must not leave an engine in the middle of a collective: it is kept, ends
/// the work on all ranks at the next question, and comes back from rethrow().
class Bridge : public sddp::Observer {
public:
    using Sink = std::function<void(const sddp::ScenarioResult&)>;
    using Keeper = std::function<void(const runtime::EngineState&)>;

    using Meter = std::function<void(const sddp::IterationReport&)>;

    explicit Bridge(RunObserver& observer, Sink sink = {}, Keeper keeper = {}, Meter meter = {})
        : observer_(observer),
          sink_(std::move(sink)),
          keeper_(std::move(keeper)),
          meter_(std::move(meter)) {}

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

    RunObserver& observer_;
    Sink sink_;
    Keeper keeper_;
    Meter meter_;
    std::exception_ptr error_;
};

}  // namespace lockstep::app
