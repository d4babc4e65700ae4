#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "lockstep/base/stopwatch.hpp"
#include "lockstep/formats/xpcs/records.hpp"
#include "lockstep/xpcs/fit.hpp"
#include "lockstep/xpcs/sample.hpp"

#include "app/job/job.hpp"
#include "app/job/kept_error.hpp"

namespace lockstep::app {

/// What fits and samplings tell, as the job's progress.
class XpcsBridge : public xpcs::FitObserver, public xpcs::SampleObserver {
public:
    using Keeper = std::function<void(const runtime::EngineState&)>;

    /// @param checkpoint_seconds  between two; 0: none but when the work is stopped
    XpcsBridge(Job& job, double checkpoint_seconds)
        : job_(job), checkpoint_seconds_(checkpoint_seconds) {}

    void on_search(const xpcs::SearchProgress& progress) override;
    void on_iteration(const xpcs::FitProgress& progress) override;
    void on_progress(const xpcs::SampleProgress& progress) override;
    bool stop_requested() override { return kept_.stop_requested(job_); }
    bool wants_checkpoint(double seconds) override {
        return checkpoint_seconds_ > 0 && seconds >= checkpoint_seconds_;
    }
    void on_checkpoint(const runtime::EngineState& state) override;

    /// Checkpoints go there from now on.
    void keep_by(Keeper keeper) { keeper_ = std::move(keeper); }

    /// A step begins, perhaps once more, since a rank was lost.
    void begin();

    /// Throws what was kept, on all ranks. Collective.
    void settle();

    /// Where the fit stood, from its start on.
    [[nodiscard]] const std::vector<formats::xpcs::IterationRecord>& history() const noexcept {
        return history_;
    }

private:
    Job& job_;
    double checkpoint_seconds_;
    Keeper keeper_;
    KeptError kept_;
    Stopwatch watch_;
    std::vector<formats::xpcs::IterationRecord> history_;
};

}  // namespace lockstep::app
