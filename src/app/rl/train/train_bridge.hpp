#pragma once

#include <functional>
#include <optional>

#include "lockstep/rl/learn/report.hpp"

#include "app/job/job.hpp"
#include "app/job/kept_error.hpp"
#include "app/rl/train/oracle.hpp"
#include "app/rl/train/train_progress.hpp"
#include "app/rl/train/train_settings.hpp"

namespace lockstep::app {

/// From the learner to the job. Exceptions meanwhile are kept.
class TrainBridge final : public rl::LearnObserver {
public:
    using Keeper = std::function<void(const runtime::EngineState&)>;

    TrainBridge(Job& job,
                const TrainSettings& settings,
                MetricsHead head,
                std::optional<Oracle>& oracle,
                Keeper keeper);

    bool wants_report(double seconds, std::int64_t transitions) override;
    void on_report(const rl::LearnReport& report,
                   const std::function<rl::QTable()>& table) override;
    bool wants_checkpoint(double seconds, std::int64_t transitions) override;
    bool wants_consistency_check(std::int64_t rounds) override;
    /// Straight to the keeper, which exchanges: what it throws is everybody's.
    void on_checkpoint(const runtime::EngineState& state) override;
    bool stop_requested() override;

    /// The exception that was kept, if any.
    void rethrow() const { kept_.rethrow(); }

private:
    void tell_tables(const rl::LearnReport& report);

    Job& job_;
    const TrainSettings& settings_;
    MetricsHead head_;
    std::optional<Oracle>& oracle_;  // of the first rank
    Keeper keeper_;
    std::optional<Judgement> judgement_;
    bool is_early_ = true;
    std::int64_t reported_ = 0;  // transitions until the report before
    int told_tables_ = 0;
    KeptError kept_;
};

}  // namespace lockstep::app
