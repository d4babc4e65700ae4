#include "app/rl/solve/memory.hpp"

namespace lockstep::app {
namespace {

// Values before and after a sweep, bounds, choices, and what becomes of them in the solution.
constexpr std::int64_t bytes_of_a_state = 96;
// A model is built from a list of its outcomes, about three of a pair.
constexpr std::int64_t bytes_of_a_model_pair = 200;

std::int64_t vectors(const formats::rl::EnvironmentRecord& process) {
    return process.states * (bytes_of_a_state + process.actions);
}

// Beside the rows as they are: those without idle loops where gamma is 1, those that begin anew for
// the average, those of the policy and of the levels of its groups.
double copies(const Arrangement& arrangement, const rl::RowFacts& facts) {
    const auto& options = arrangement.options;
    switch (options.criterion) {
        case rl::Criterion::horizon:
            return 1;
        case rl::Criterion::average:
            return 2;
        case rl::Criterion::total:
            break;
    }
    const bool is_merged = options.gamma == 1 && facts.idle_pairs + facts.earning_pairs > 0;
    return (arrangement.keeps_rows ? 1 : 0) + (is_merged ? 2 : 0) + 0.5;
}

}  // namespace

std::int64_t memory_of_solving(const rl::RowFacts& facts,
                               const formats::rl::EnvironmentRecord& process,
                               const Arrangement& arrangement,
                               int ranks) {
    const auto& options = arrangement.options;
    const bool has_steps = options.criterion == rl::Criterion::horizon;
    const std::int64_t decisions = has_steps ? std::int64_t{4} * options.horizon : 0;
    const auto table = static_cast<double>(facts.table_bytes(process.states)) / ranks;
    return vectors(process) + decisions * process.states +
           static_cast<std::int64_t>(copies(arrangement, facts) * table);
}

std::int64_t least_memory_of_solving(const Subject& subject) {
    const auto& process = subject.record;
    const bool is_stored = subject.file != nullptr || computes_rows(subject);
    const auto pairs = std::int64_t{process.states} * process.actions;
    return vectors(process) + (is_stored ? 0 : bytes_of_a_model_pair * pairs);
}

}  // namespace lockstep::app
