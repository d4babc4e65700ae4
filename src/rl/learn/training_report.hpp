#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/rl/learn/report.hpp"
#include "lockstep/runtime/team.hpp"

#include "rl/learn/table_store.hpp"
#include "rl/modes/learning_mode.hpp"

namespace lockstep::rl {

/// How far the run is, where a report begins.
struct ReportPlace {
    std::int64_t round = 0;
    std::int64_t transitions = 0;
    double seconds = 0;
    double checkpoint_seconds = 0;  ///< of this rank, since the report before
    bool is_last = false;
};

/// Makes reports: what has happened since the one before.
class TrainingReport {
public:
    /// @param traffic  of this rank before it began to learn
    TrainingReport(const LearnOptions& options,
                   const TableStore& table,
                   const comm::Traffic& traffic);

    /// Collective.
    LearnReport make(const ReportPlace& place, LearningMode& mode, runtime::Team& team);

    [[nodiscard]] double last_seconds() const noexcept { return before_.seconds; }
    [[nodiscard]] std::int64_t last_transitions() const noexcept { return before_.transitions; }
    /// The report before was of here: a run goes on.
    void start_at(const ReportPlace& place, const Counts& counts);

private:
    void add_learning(LearnReport& report, const Counts& counts) const;
    void add_ranks(LearnReport& report, LearningMode& mode, runtime::Team& team);
    void add_table(LearnReport& report);
    template <typename V>
    void add_values(std::span<const V> values, LearnReport& report);

    const LearnOptions& options_;
    const TableStore& table_;
    ReportPlace before_;
    Counts counts_before_;
    comm::Traffic traffic_before_;
    std::vector<std::int8_t> policy_;  // [states], greedy then; -1: none
};

}  // namespace lockstep::rl
