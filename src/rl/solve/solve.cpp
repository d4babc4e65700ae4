#include "lockstep/rl/solve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "rl/solve/criteria/average.hpp"
#include "rl/solve/criteria/horizon.hpp"
#include "rl/solve/criteria/total.hpp"
#include "rl/solve/criteria/undiscounted.hpp"
#include "rl/solve/policies/best_actions.hpp"
#include "rl/solve/policies/chosen.hpp"
#include "rl/solve/sweeps/progress.hpp"
#include "rl/solve/sweeps/workers.hpp"

namespace lockstep::rl {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void require(bool holds, const char* option, double value, const char* allowed) {
    if (!holds) {
        throw InputError(fmt::format("{} is {}, must be {}", option, value, allowed));
    }
}

std::vector<std::int32_t> first_choice(const RowSource& rows, const SolveOptions& options) {
    return options.first_policy.empty() ? std::vector<std::int32_t>{}
                                        : choice_of(rows, options.first_policy, "first_policy");
}

Solution solution_of(Values values) {
    Solution solution;
    solution.ending = values.ending;
    solution.half_width = values.half_width;
    solution.value = std::move(values.value);
    solution.lower = std::move(values.lower);
    solution.upper = std::move(values.upper);
    return solution;
}

Solution solve_discounted(const RowSource& rows,
                          const RowFacts& facts,
                          const SolveOptions& options,
                          std::vector<std::int32_t> first,
                          Progress& progress,
                          const Workers& workers) {
    Values values = solve_total(rows, facts, options, std::move(first), progress, workers);
    auto policy = actions_of(rows, values.choice, workers);
    Solution solution = solution_of(std::move(values));
    solution.policy = std::move(policy);
    return solution;
}

void mark_undefined(const std::vector<std::int32_t>& states, Solution& solution) {
    for (const std::int32_t s : states) {
        solution.value[at(s)] = 0;
        solution.lower[at(s)] = -infinity;
        solution.upper[at(s)] = infinity;
        solution.policy[at(s)] = -1;
    }
    solution.undefined = states;
}

Solution solve_undiscounted(const RowSource& rows,
                            const RowFacts& facts,
                            std::span<const Start> starts,
                            const SolveOptions& options,
                            Progress& progress,
                            runtime::ThreadTeam& team) {
    const EndingProcess process(rows, facts, starts, team);
    static_cast<void>(first_choice(rows, options));  // refuses what is illegal
    auto first =
        options.first_policy.empty() ? process.proper() : process.lowered(options.first_policy);
    Values values = solve_total(process.rows(), facts, options, std::move(first), progress, team);
    values.value = process.lifted(values.value);
    values.lower = process.lifted(values.lower);
    values.upper = process.lifted(values.upper);
    auto policy = process.lifted_policy(values.choice);
    Solution solution = solution_of(std::move(values));
    solution.policy = std::move(policy);
    mark_undefined(process.undefined(), solution);
    return solution;
}

Solution solve_rows(const RowSource& rows,
                    std::span<const Start> starts,
                    const SolveOptions& options,
                    Progress& progress,
                    runtime::ThreadTeam& team) {
    const RowFacts facts = rows.facts(team);
    switch (options.criterion) {
        case Criterion::horizon:
            return solve_horizon(rows, facts, options, progress, team);
        case Criterion::average:
            return solve_average(rows, facts, starts, options, progress, team);
        case Criterion::total:
            break;
    }
    Solution solution =
        options.gamma < 1
            ? solve_discounted(rows, facts, options, first_choice(rows, options), progress, team)
            : solve_undiscounted(rows, facts, starts, options, progress, team);
    mark_best_actions(rows, facts, options, solution, team);
    return solution;
}

void check_divided(const SolveOptions& options) {
    options.validate();
    require(options.criterion != Criterion::average,
            "the criterion",
            static_cast<double>(options.criterion),
            "the total or a horizon where ranks divide the states");
    if (options.criterion == Criterion::horizon) {
        return;
    }
    require(options.gamma < 1, "gamma", options.gamma, "below 1 where ranks divide the states");
    if (options.method == Method::policy_iteration || !options.first_policy.empty()) {
        throw InputError(
            "policy iteration is not for ranks that divide the states: take another method, and no "
            "first policy");
    }
}

RowFacts facts_of_all(const RowTable& own, runtime::Team& team) {
    const RowFacts mine = own.facts(team.threads);
    std::vector<RowFacts> all(at(team.ranks.size()));
    team.ranks.allgatherv(std::span<const RowFacts>(&mine, 1),
                          std::span(all),
                          comm::Layout::blocks(team.ranks.size(), 1, team.ranks.size()));
    RowFacts sum;
    for (const RowFacts& facts : all) {
        sum.add(facts);
    }
    return sum;
}

}  // namespace

std::string_view to_string(Ending ending) {
    switch (ending) {
        case Ending::proven:
            return "proven";
        case Ending::iteration_limit:
            return "iteration limit";
        case Ending::stopped:
            return "stopped";
        case Ending::rounding:
            return "rounding";
    }
    return "";
}

void SolveOptions::validate() const {
    require(gamma >= 0 && gamma <= 1, "gamma", gamma, "0 to 1");
    require(tolerance > 0 && tolerance < infinity, "tolerance", tolerance, "above 0 and finite");
    require(max_sweeps >= 1, "max_sweeps", static_cast<double>(max_sweeps), "1 or more");
    require(tie_tolerance >= 0 && tie_tolerance < 1,
            "tie_tolerance",
            tie_tolerance,
            "0 or more and below 1");
    require(criterion != Criterion::horizon || horizon >= 1, "horizon", horizon, "1 or more");
}

Solution solve(const RowSource& rows,
               std::span<const Start> starts,
               const SolveOptions& options,
               runtime::ThreadTeam& team,
               SolveObserver& observer) {
    options.validate();
    Progress progress(options, observer);
    Solution solution = solve_rows(rows, starts, options, progress, team);
    solution.sweeps = progress.sweeps();
    return solution;
}

Solution solve(const RowSource& rows,
               const SolveOptions& options,
               runtime::Team& team,
               SolveObserver& observer) {
    check_divided(options);
    std::optional<RowTable> own;
    comm::agree(team.ranks, [&] {
        own.emplace(
            rows, team.threads, own_states(rows.states(), team.ranks.rank(), team.ranks.size()));
    });
    const RowFacts facts = facts_of_all(*own, team);
    const Workers workers(team.threads, team.ranks, rows.states());
    Progress progress(options, observer, &team.ranks);
    Solution solution;
    if (options.criterion == Criterion::horizon) {
        solution = solve_horizon(*own, facts, options, progress, workers);
    } else {
        solution = solve_discounted(*own, facts, options, {}, progress, workers);
        mark_best_actions(*own, facts, options, solution, workers);
    }
    solution.sweeps = progress.sweeps();
    return solution;
}

Solution solve(const Model& model,
               const SolveOptions& options,
               runtime::ThreadTeam& team,
               SolveObserver& observer) {
    options.validate();
    return solve(RowTable(ModelRows(model), team), model.starts(), options, team, observer);
}

}  // namespace lockstep::rl
