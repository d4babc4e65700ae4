#pragma once

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
    explicit XpcsBridge(Job& job) : job_(job) {}

    void on_iteration(const xpcs::FitProgress& progress) override;
    void on_progress(const xpcs::SampleProgress& progress) override;
    bool stop_requested() override { return kept_.stop_requested(job_); }

    /// Throws what was kept, on all ranks. Collective.
    void settle();

    /// Where the fit stood, from its start on.
    [[nodiscard]] const std::vector<formats::xpcs::IterationRecord>& history() const noexcept {
        return history_;
    }

private:
    Job& job_;
    KeptError kept_;
    Stopwatch watch_;
    std::vector<formats::xpcs::IterationRecord> history_;
};

}  // namespace lockstep::app
