#include "rl/solve/policies/best_actions.hpp"

#include <algorithm>
#include <cmath>

#include "lockstep/base/index.hpp"

#include "rl/solve/sweeps/blocks.hpp"
#include "rl/solve/sweeps/bounds.hpp"
#include "rl/solve/sweeps/sweep.hpp"

namespace lockstep::rl {
namespace {

double largest(const std::vector<double>& values) {
    double size = 0;
    for (const double value : values) {
        size = std::max(size, std::isfinite(value) ? std::abs(value) : 0);
    }
    return size;
}

}  // namespace

void mark_best_actions(const RowSource& rows,
                       const RowFacts& facts,
                       const SolveOptions& options,
                       Solution& solution,
                       const Workers& workers) {
    solution.optimal.assign(at(rows.states()) * at(rows.actions()), 0);
    const double rounding = rounding_of(facts, largest(solution.upper));
    const auto mark = [&](int begin, int end, const RowBlock& row) {
        for (int s = begin; s < end; ++s) {
            if (solution.policy[at(s)] < 0) {
                continue;
            }
            const double least =
                solution.lower[at(s)] - options.tie_tolerance * std::abs(solution.value[at(s)]);
            for (std::int64_t pair = row.pair_first[s - begin];
                 pair < row.pair_first[s - begin + 1];
                 ++pair) {
                const double most =
                    backup(row, pair, solution.upper.data(), options.gamma) + rounding;
                const std::int32_t a = row.action[pair];
                const bool is_best = !(most < least) || a == solution.policy[at(s)];
                solution.optimal[at(s) * at(rows.actions()) + at(a)] = is_best ? 1 : 0;
            }
        }
        return 0;
    };
    over_blocks(rows, workers, 0, mark, [](int a, int) { return a; });
    workers.share(std::span(solution.optimal), rows.actions());
}

}  // namespace lockstep::rl
