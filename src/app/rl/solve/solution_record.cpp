#include "app/rl/solve/solution_record.hpp"

#include <algorithm>
#include <cstdint>

#include "app/rl/solve/methods.hpp"
#include "app/rl/start_value.hpp"

namespace lockstep::app {
namespace {

using formats::rl::SolutionRecord;

bool is_same(const rl::RowBlock& rows, std::int64_t a, std::int64_t b) {
    return rows.reward[a] == rows.reward[b] && rows.ends[a] == rows.ends[b] &&
           std::equal(rows.next + rows.first[a],
                      rows.next + rows.first[a + 1],
                      rows.next + rows.first[b],
                      rows.next + rows.first[b + 1]) &&
           std::equal(rows.probability + rows.first[a],
                      rows.probability + rows.first[a + 1],
                      rows.probability + rows.first[b]);
}

// Where all legal actions do the same, as after the end of an episode, there is nothing to choose.
bool has_choice(const rl::RowBlock& state) {
    for (auto pair = state.pair_first[0] + 1; pair < state.pair_first[1]; ++pair) {
        if (!is_same(state, state.pair_first[0], pair)) {
            return true;
        }
    }
    return false;
}

void count_ties(SolutionRecord& record, const rl::RowSource& rows, const rl::Solution& solution) {
    const auto actions = std::ptrdiff_t{rows.actions()};
    rl::RowWriter writer;
    for (int s = 0; s < rows.states(); ++s) {
        const auto best = solution.optimal.begin() + s * actions;
        const bool is_choice = has_choice(rows.block(s, s + 1, writer));
        record.choices += is_choice ? 1 : 0;
        record.ties += is_choice && std::count(best, best + actions, 1) > 1 ? 1 : 0;
    }
}

}  // namespace

SolutionRecord record_of(const Subject& subject,
                         const KnownProcess& process,
                         const rl::SolveOptions& options,
                         const rl::Solution& solution) {
    SolutionRecord record;
    record.environment = subject.record;
    record.criterion = to_string(options.criterion);
    record.method = to_string(options.method);
    record.discount_factor = options.gamma;
    record.horizon = options.criterion == rl::Criterion::horizon ? options.horizon : 0;
    record.tolerance = options.tolerance;
    record.tie_tolerance = options.tie_tolerance;
    record.ending = rl::to_string(solution.ending);
    record.sweeps = solution.sweeps;
    record.half_width = solution.half_width;
    record.start = start_value(process.starts, solution);
    record.undefined = std::ssize(solution.undefined);
    record.digest = lockstep::to_string(formats::rl::digest_of(solution));
    count_ties(record, *process.rows, solution);
    return record;
}

}  // namespace lockstep::app
