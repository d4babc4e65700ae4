#include "app/sddp/bridge.hpp"

#include "app/sddp/progress.hpp"

namespace lockstep::app {

template <typename F>
void Bridge::kept(F&& body) noexcept {
    if (error_) {
        return;
    }
    try {
        body();
    } catch (...) {
        error_ = std::current_exception();
    }
}

void Bridge::on_iteration(const sddp::IterationReport& report) {
    kept([&] {
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
    kept([&] {
        if (sink_) {
            sink_(result);
        }
    });
}

void Bridge::on_simulation_progress(int done, int total) {
    kept([&] { job_.tell(simulation_progress(done, total, clock_.seconds())); });
}

bool Bridge::stop_requested() {
    auto is_wanted = false;
    kept([&] { is_wanted = job_.stop_requested(); });
    return is_wanted || error_ != nullptr;
}

void Bridge::rethrow() const {
    if (error_) {
        std::rethrow_exception(error_);
    }
}

}  // namespace lockstep::app
