#include "app/rl/train/train_bridge.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "lockstep/formats/rl/training.hpp"

#include "app/rl/train/memory.hpp"

namespace lockstep::app {
namespace {

std::string sentence_of(const rl::WorkerEvent& event) {
    using Kind = rl::WorkerEvent::Kind;
    switch (event.kind) {
        case Kind::came:
            return fmt::format("worker {} has come", event.worker);
        case Kind::suspected:
            return fmt::format(
                "worker {} has said nothing for {:.1f} s", event.worker, event.silent);
        case Kind::back:
            return fmt::format("worker {} speaks again", event.worker);
        case Kind::left:
            return fmt::format("worker {} has left; others get its leases", event.worker);
        case Kind::lost:
            break;
    }
    return fmt::format(
        "worker {} has said nothing for {:.1f} s and is given up; others get its "
        "leases",
        event.worker,
        event.silent);
}

}  // namespace

TrainBridge::TrainBridge(Job& job,
                         const TrainSettings& settings,
                         MetricsHead head,
                         std::optional<Oracle>& oracle,
                         Keeper keeper)
    : job_(job),
      settings_(settings),
      head_(std::move(head)),
      oracle_(oracle),
      keeper_(std::move(keeper)) {}

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
        tell_tables(report);
        for (const auto& event : report.worker_events) {
            job_.observer().on_notice(Notice::news, sentence_of(event));
        }
        job_.tell(progress_of(report, judgement_, settings_.learn.steps));
        if (job_.ranks().rank() == 0) {
            formats::rl::append_metrics(job_.output(),
                                        metrics_line(head_, settings_.learn, report, judgement_));
        }
    });
}

// At the start, and when a loss has changed it.
void TrainBridge::tell_tables(const rl::LearnReport& report) {
    const auto ranks = std::ssize(report.ranks);
    const bool has_changed = std::exchange(told_tables_, report.tables) != report.tables;
    if (has_changed && ranks > 1 && has_equal_tables(settings_.learn)) {
        job_.observer().on_notice(Notice::news,
                                  tables_text(report.tables, ranks, settings_.learn.overlap));
    }
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
