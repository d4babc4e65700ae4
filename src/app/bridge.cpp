#include "app/bridge.hpp"

#include "lockstep/runtime/signals.hpp"

namespace lockstep::app {

template <typename F>
void Bridge::kept(F&& body) noexcept {
    if (error_)
        return;
    try {
        body();
    } catch (...) {
        error_ = std::current_exception();
    }
}

void Bridge::on_iteration(const sddp::IterationReport& report) {
    kept([&] {
        observer_.on_iteration(report);
        if (meter_)
            meter_(report);
    });
}

void Bridge::on_checkpoint(const runtime::EngineState& state) {
    if (keeper_)
        keeper_(state);
}

void Bridge::on_scenario(const sddp::ScenarioResult& result) {
    kept([&] {
        if (sink_)
            sink_(result);
    });
}

void Bridge::on_simulation_progress(int done, int total) {
    kept([&] { observer_.on_simulation_progress(done, total); });
}

bool Bridge::stop_requested() {
    auto is_wanted = false;
    kept([&] { is_wanted = observer_.stop_requested(); });
    return is_wanted || error_ != nullptr || runtime::SignalGuard::received() != 0;
}

void Bridge::rethrow() const {
    if (error_)
        std::rethrow_exception(error_);
}

}  // namespace lockstep::app
