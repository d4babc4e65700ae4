#include "rl/solve/criteria/average.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "rl/solve/criteria/components.hpp"
#include "rl/solve/criteria/gain.hpp"
#include "rl/solve/sweeps/bounds.hpp"
#include "rl/solve/sweeps/sweep.hpp"

namespace lockstep::rl {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Rows of reached states, where what ends goes on from the starts.
class Renewed : public RowSource {
public:
    Renewed(const RowSource& source,
            std::span<const Start> starts,
            const std::vector<std::uint8_t>& is_reached)
        : source_(source), starts_(starts), is_reached_(is_reached) {}
    [[nodiscard]] int states() const override { return source_.states(); }
    [[nodiscard]] int actions() const override { return source_.actions(); }
    void write(int s, RowWriter& writer) const override {
        if (is_reached_[at(s)] == 0) {
            return;
        }
        thread_local RowWriter inner;
        const RowBlock rows = source_.block(s, s + 1, inner);
        for (std::int64_t pair = rows.pair_first[0]; pair < rows.pair_first[1]; ++pair) {
            write_pair(rows, pair, s, writer);
        }
    }

private:
    void write_pair(const RowBlock& rows, std::int64_t pair, int s, RowWriter& writer) const {
        if (rows.ends[pair] == 0) {
            writer.copy(rows, pair, rows.action[pair], rows.reward[pair], {});
            return;
        }
        if (starts_.empty()) {
            throw ModelError(
                "the average needs to know where episodes begin, since those of "
                "state " +
                std::to_string(s) + " may end: give the model starts");
        }
        const double reward = rows.reward[pair];
        double ended = 1;
        writer.pair(rows.action[pair]);
        for (std::int64_t k = rows.first[pair]; k < rows.first[pair + 1]; ++k) {
            ended -= rows.probability[k];
            writer.outcome(rows.probability[k], rows.next[k], reward, false);
        }
        for (const Start& start : starts_) {
            if (ended > 0) {
                writer.outcome(ended * start.probability, start.state, reward, false);
            }
        }
    }

    const RowSource& source_;
    std::span<const Start> starts_;
    const std::vector<std::uint8_t>& is_reached_;
};

std::vector<std::uint8_t> reached(const RowSource& rows, std::span<const Start> starts) {
    return starts.empty() ? std::vector<std::uint8_t>(at(rows.states()), 1)
                          : reachable(rows, starts);
}

std::optional<Ending> run(RelativeSweeps& sweeps,
                          const SolveOptions& options,
                          Progress& progress,
                          runtime::ThreadTeam& team) {
    if (const auto ending = progress.must_end()) {
        return ending;
    }
    sweeps.sweep(team);
    progress.count(sweeps.change());
    const double half_width = (sweeps.high() - sweeps.low()) / 2;
    progress.bounds(half_width);
    if (half_width <= options.tolerance) {
        return Ending::proven;
    }
    return sweeps.is_at_rounding() ? std::optional(Ending::rounding) : std::nullopt;
}

// The same bounds for every state that has an average; 0 for one without actions.
void fill(const RowTable& rows,
          const RelativeSweeps& sweeps,
          bool is_known,
          double reward_size,
          Solution& solution) {
    const double low = is_known ? sweeps.low() : -reward_size;
    const double high = is_known ? sweeps.high() : reward_size;
    solution.half_width = (high - low) / 2;
    for (int s = 0; s < rows.states(); ++s) {
        const std::int32_t choice = sweeps.choice()[at(s)];
        const bool is_open = rows.all().pair_first[s + 1] > rows.all().pair_first[s];
        solution.lower.push_back(is_open ? low : 0);
        solution.upper.push_back(is_open ? high : 0);
        solution.value.push_back(is_open ? low + (high - low) / 2 : 0);
        solution.policy.push_back(
            choice < 0 ? -1 : rows.all().action[rows.all().pair_first[s] + choice]);
    }
}

// Best actions are those of the relative values, within what their last sweep left open.
void mark(const RowTable& rows, const SolveOptions& options, Solution& solution) {
    const RowBlock all = rows.all();
    solution.optimal.assign(at(rows.states()) * at(rows.actions()), 0);
    for (int s = 0; s < rows.states(); ++s) {
        double best = -infinity;
        for (std::int64_t p = all.pair_first[s]; p < all.pair_first[s + 1]; ++p) {
            best = std::max(best, backup(all, p, solution.bias.data(), 1));
        }
        const double width = options.tie_tolerance * std::abs(best) + 2 * solution.half_width;
        for (std::int64_t p = all.pair_first[s]; p < all.pair_first[s + 1]; ++p) {
            const bool is_best = backup(all, p, solution.bias.data(), 1) >= best - width ||
                                 all.action[p] == solution.policy[at(s)];
            solution.optimal[at(s) * at(rows.actions()) + at(all.action[p])] = is_best ? 1 : 0;
        }
    }
}

// States that no episode reaches have no average here.
void leave_out(const RowSource& source,
               const std::vector<std::uint8_t>& is_reached,
               Solution& solution) {
    RowWriter writer;
    for (int s = 0; s < source.states(); ++s) {
        const RowBlock row = source.block(s, s + 1, writer);
        if (is_reached[at(s)] == 0 && row.pair_first[1] > row.pair_first[0]) {
            solution.undefined.push_back(s);
            solution.lower[at(s)] = -infinity;
            solution.upper[at(s)] = infinity;
        }
    }
}

}  // namespace

Solution solve_average(const RowSource& source,
                       const RowFacts& facts,
                       std::span<const Start> starts,
                       const SolveOptions& options,
                       Progress& progress,
                       runtime::ThreadTeam& team) {
    const std::vector<std::uint8_t> is_reached = reached(source, starts);
    const RowTable rows(Renewed(source, starts, is_reached), team);
    RowFacts renewed = facts;
    renewed.longest += static_cast<int>(starts.size());
    RelativeSweeps sweeps(rows, renewed);
    std::optional<Ending> ending;
    while (!ending) {
        ending = run(sweeps, options, progress, team);
    }
    Solution solution;
    solution.ending = *ending;
    fill(rows, sweeps, progress.sweeps() > 0, facts.reward_size, solution);
    solution.bias = sweeps.values();
    mark(rows, options, solution);
    leave_out(source, is_reached, solution);
    return solution;
}

}  // namespace lockstep::rl
