#include "app/sddp/bridge.hpp"

#include "app/sddp/progress.hpp"

namespace lockstep::app {

void Bridge::on_iteration(const sddp::IterationReport& report) {
    kept_.guard([&] {
        time_left_.add(report);
        job_.tell(progress_of(report, time_left_, is_risk_averse_));
    });
}

void Bridge::on_checkpoint(const runtime::EngineState& state) {
    if (keeper_) {
        keeper_(state);
    }
}

void Bridge::on_scenario(const sddp::ScenarioResult& result) {
    kept_.guard([&] {
        if (sink_) {
            sink_(result);
        }
    });
}

void Bridge::on_simulation_progress(int done, int total) {
    kept_.guard([&] { job_.tell(simulation_progress(done, total, clock_.seconds())); });
}

bool Bridge::stop_requested() {
    return kept_.stop_requested(job_);
}

}  // namespace lockstep::app
