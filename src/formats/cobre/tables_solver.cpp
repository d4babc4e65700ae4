#include "formats/cobre/tables_solver.hpp"

#include <algorithm>
#include <numeric>
#include <string>

namespace lockstep::formats::cobre::out {
namespace {

std::uint32_t count(std::int64_t value) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(value, 0, UINT32_MAX));
}

std::int64_t retry_attempts(const sddp::PhaseReport& work) {
    std::int64_t attempts = 0;
    for (std::size_t i = 0; i < work.retried.size(); ++i)
        attempts += static_cast<std::int64_t>(i + 1) * work.retried[i];
    return attempts;
}

TableDefinition<SolverRow> iterations_definition(const std::string& folder) {
    using Row = SolverRow;
    using Index = std::optional<std::int32_t>;
    return {
        folder + "/iterations",
        {
            {"iteration",
             "",
             "Iteration of training, from 1; null in simulation",
             [](const Row& r) -> Index { return r.iteration; }},
            {"scenario_id",
             "",
             "Simulated scenario, from 0; null in training",
             [](const Row& r) -> Index { return r.scenario; }},
            {"phase",
             "",
             "forward, backward, lower_bound or simulation",
             [](const Row& r) { return std::string(r.phase); }},
            {"stage_id", "", "Null: all stages", [](const Row&) -> Index { return std::nullopt; }},
            {"opening_index",
             "",
             "Null: all openings",
             [](const Row&) -> Index { return std::nullopt; }},
            {"rank",
             "",
             "Rank whose times these are; null in simulation",
             [](const Row& r) -> Index { return r.rank; }},
            {"worker_id",
             "",
             "Null: all threads of the rank",
             [](const Row&) -> Index { return std::nullopt; }},
            {"lp_solves",
             "",
             "LP solves, repeated solves after adding cuts included",
             [](const Row& r) { return count(r.work->solves); }},
            {"lp_successes",
             "",
             "Solves that ended optimal",
             [](const Row& r) { return count(r.work->solves); }},
            {"lp_retries",
             "",
             "Solves whose first attempt gave no result that could be believed",
             [](const Row& r) { return count(retried_solves(*r.work)); }},
            zero<std::uint32_t, Row>("lp_failures", ""),
            {"retry_attempts",
             "",
             "Attempts after the first, of all solves",
             [](const Row& r) { return count(retry_attempts(*r.work)); }},
            zero<std::uint32_t, Row>("basis_offered", ""),
            zero<std::uint32_t, Row>("basis_consistency_failures", ""),
            {"simplex_iterations",
             "",
             "Simplex pivots",
             [](const Row& r) { return static_cast<std::uint64_t>(r.work->pivots); }},
            {"solve_time_ms",
             "ms",
             "Time inside the solver, summed over threads",
             [](const Row& r) { return 1e3 * r.work->solve_seconds; }},
            zero<double, Row>("load_model_time_ms", "ms"),
            zero<double, Row>("set_bounds_time_ms", "ms"),
            zero<double, Row>("basis_set_time_ms", "ms"),
        }};
}

TableDefinition<RetryRow> retries_definition(const std::string& folder) {
    using Row = RetryRow;
    return {
        folder + "/retry_histogram",
        {
            {"iteration",
             "",
             "Iteration of training, from 1, or simulated scenario, from 0",
             [](const Row& r) { return r.iteration; }},
            {"phase",
             "",
             "forward, backward, lower_bound or simulation",
             [](const Row& r) { return std::string(r.phase); }},
            {"stage_id",
             "",
             "Null: all stages",
             [](const Row&) -> std::optional<std::int32_t> { return std::nullopt; }},
            {"retry_level", "", "Attempts after the second", [](const Row& r) { return r.level; }},
            {"count", "", "Solves that ended at this level", [](const Row& r) { return r.count; }},
        }};
}

SolverTables tables_in(const std::string& folder) {
    return {iterations_definition(folder), retries_definition(folder)};
}

}  // namespace

const SolverTables& training_solver_tables() {
    static const SolverTables tables = tables_in("training/solver");
    return tables;
}

const SolverTables& simulation_solver_tables() {
    static const SolverTables tables = tables_in("simulation/solver");
    return tables;
}

std::vector<RetryRow> retry_rows(const std::vector<SolverRow>& work) {
    std::vector<RetryRow> rows;
    for (const SolverRow& row : work) {
        const auto number =
            static_cast<std::uint32_t>(row.iteration.value_or(row.scenario.value_or(0)));
        for (std::size_t level = 0; level < row.work->retried.size(); ++level)
            if (const std::int64_t solves = row.work->retried[level]; solves > 0)
                rows.push_back({number,
                                row.phase,
                                static_cast<std::uint32_t>(level),
                                static_cast<std::uint64_t>(solves)});
    }
    return rows;
}

std::int64_t retried_solves(const sddp::PhaseReport& work) {
    return std::accumulate(work.retried.begin(), work.retried.end(), std::int64_t{0});
}

void describe_solver_tables(std::vector<ColumnDescription>& out) {
    for (const SolverTables* tables : {&training_solver_tables(), &simulation_solver_tables()}) {
        tables->iterations.describe(out);
        tables->retries.describe(out);
    }
}

}  // namespace lockstep::formats::cobre::out
