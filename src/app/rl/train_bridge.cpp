#include "app/rl/train_bridge.hpp"

#include <utility>

#include "lockstep/formats/rl/training.hpp"

namespace lockstep::app {

TrainBridge::TrainBridge(Job& job,
                         const TrainSettings& settings,
                         const MetricsHead& head,
                         std::optional<Oracle>& oracle,
                         Keeper keeper)
    : job_(job), settings_(settings), head_(head), oracle_(oracle), keeper_(std::move(keeper)) {}

// Much is learned early: so whenever the transitions have doubled, too, until the interval is over
// for the first time.
bool TrainBridge::wants_report(double seconds, std::int64_t transitions) {
    const bool is_over = settings_.log.is_over(seconds, transitions);
    is_early_ = is_early_ && !is_over;
    const bool has_doubled = transitions > 0 && transitions >= reported_;
    return is_over || (is_early_ && has_doubled && !settings_.log.transitions);
}

void TrainBridge::on_report(const rl::LearnReport& report,
                            const std::function<rl::QTable()>& table) {
    reported_ = report.transitions;
    kept_.guard([&] {
        if (oracle_ && oracle_->knows() && (report.is_last || oracle_->is_due())) {
            judgement_ = oracle_->judge(table());
        }
        job_.tell(progress_of(report, judgement_, settings_.learn.steps));
        if (job_.ranks().rank() == 0) {
            formats::rl::append_metrics(job_.output(),
                                        metrics_line(head_, settings_.learn, report, judgement_));
        }
    });
}

bool TrainBridge::wants_checkpoint(double seconds, std::int64_t transitions) {
    return settings_.checkpoint.is_over(seconds, transitions);
}

bool TrainBridge::wants_consistency_check(std::int64_t rounds) {
    return settings_.check_rounds > 0 && rounds >= settings_.check_rounds;
}

void TrainBridge::on_checkpoint(const runtime::EngineState& state) {
    keeper_(state);
}

bool TrainBridge::stop_requested() {
    return kept_.stop_requested(job_);
}

}  // namespace lockstep::app
