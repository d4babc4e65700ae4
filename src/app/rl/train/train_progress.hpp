#pragma once

#include <optional>
#include <string>

#include "lockstep/app/observer.hpp"
#include "lockstep/formats/rl/training.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/rl/learn.hpp"
#include "lockstep/rl/learn/options.hpp"
#include "lockstep/rl/learn/report.hpp"

#include "app/rl/train/oracle.hpp"

namespace lockstep::app {

// What the learner reports, in figures that every display understands, and as a line of
// metrics.jsonl.

/// @param judgement  the latest, none: nothing is known
Progress progress_of(const rl::LearnReport& report,
                     const std::optional<Judgement>& judgement,
                     std::int64_t steps);

/// What a training did, without what its policy is worth.
formats::rl::TrainingRecord record_of(const rl::LearnResult& result,
                                      const formats::rl::EnvironmentRecord& environment,
                                      const rl::LearnOptions& options);

/// Circumstances that stand in every line.
struct MetricsHead {
    std::string run_id;
    int ranks = 1;
    int threads = 1;  ///< of each rank
};

/// Whether all ranks have the same table, and may hold fewer than one each.
bool has_equal_tables(const rl::LearnOptions& options);

/// The same members in every mode; null where there is nothing to tell.
io::Json metrics_line(const MetricsHead& head,
                      const rl::LearnOptions& options,
                      const rl::LearnReport& report,
                      const std::optional<Judgement>& judgement);

}  // namespace lockstep::app
