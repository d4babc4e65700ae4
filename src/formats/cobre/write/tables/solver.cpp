#include "formats/cobre/write/tables/solver.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>

#include "lockstep/base/index.hpp"

namespace lockstep::formats::cobre::out {
namespace {

std::uint32_t count(std::int64_t value) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(value, 0, UINT32_MAX));
}

std::int64_t retry_attempts(const sddp::PhaseReport& work) {
    std::int64_t attempts = 0;
    for (std::size_t i = 0; i < work.retried.size(); ++i) {
        attempts += static_cast<std::int64_t>(i + 1) * work.retried[i];
    }
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
            {"stage_id",
             "",
             "Stage id as declared; null in lower_bound (the first stage) and simulation (all "
             "stages)",
             [](const Row& r) -> Index { return r.stage; }},
            {"opening_index",
             "",
             "Opening of the stage, from 0, in backward; null: all openings",
             [](const Row& r) -> Index { return r.opening; }},
            {"rank",
             "",
             "Rank whose times these are, counts are of all ranks; null in simulation",
             [](const Row& r) -> Index { return r.rank; }},
            {"worker_id",
             "",
             "0 in backward, null else; the row holds the work of all threads",
             [](const Row& r) -> Index { return r.opening ? Index(0) : std::nullopt; }},
            {"lp_solves",
             "",
             "LP solves, repeated solves after adding cuts included",
             [](const Row& r) { return count(r.work.solves); }},
            {"lp_successes",
             "",
             "Solves that ended optimal",
             [](const Row& r) { return count(r.work.solves); }},
            {"lp_retries",
             "",
             "Solves whose first attempt gave no result that could be believed",
             [](const Row& r) { return count(retried_solves(r.work)); }},
            {"lp_failures",
             "",
             "Always 0: a solve without an optimum ends the run before its iteration is written",
             [](const Row&) { return std::uint32_t{0}; }},
            {"retry_attempts",
             "",
             "Attempts after the first, of all solves",
             [](const Row& r) { return count(retry_attempts(r.work)); }},
            {"basis_offered",
             "",
             "LPs that were given a stored basis; further solves of the LP keep the one they have",
             [](const Row& r) { return count(r.work.warm_starts); }},
            {"basis_consistency_failures",
             "",
             "Always 0: a stored basis fits its LP by construction",
             [](const Row&) { return std::uint32_t{0}; }},
            {"simplex_iterations",
             "",
             "Simplex pivots",
             [](const Row& r) { return static_cast<std::uint64_t>(r.work.pivots); }},
            {"solve_time_ms",
             "ms",
             "Time inside the solver, summed over threads",
             [](const Row& r) { return 1e3 * r.work.solve_seconds; }},
            {"load_model_time_ms",
             "ms",
             "Time to load stage LPs with the cuts that they start with, summed over threads",
             [](const Row& r) { return 1e3 * r.work.load_seconds; }},
            {"set_bounds_time_ms",
             "ms",
             "Time to set right-hand sides, those of cuts included, and column bounds",
             [](const Row& r) { return 1e3 * r.work.bounds_seconds; }},
            {"basis_set_time_ms",
             "ms",
             "Time to give stored bases to the solver",
             [](const Row& r) { return 1e3 * r.work.basis_seconds; }},
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
             "Stage id as declared; null in lower_bound (the first stage) and simulation (all "
             "stages)",
             [](const Row& r) { return r.stage; }},
            {"retry_level", "", "Attempts after the second", [](const Row& r) { return r.level; }},
            {"count", "", "Solves that ended at this level", [](const Row& r) { return r.count; }},
        }};
}

using Retries = decltype(sddp::PhaseReport::retried);
using RowIterator = std::vector<SolverRow>::const_iterator;

bool is_same_place(const SolverRow& a, const SolverRow& b) {
    return std::tuple(a.iteration, a.scenario, std::string_view(a.phase), a.stage) ==
           std::tuple(b.iteration, b.scenario, std::string_view(b.phase), b.stage);
}

Retries sum_of_retries(RowIterator row, RowIterator end) {
    Retries sum{};
    for (; row != end; ++row) {
        for (std::size_t level = 0; level < sum.size(); ++level) {
            sum[level] += row->work.retried[level];
        }
    }
    return sum;
}

void add_levels(const SolverRow& row, const Retries& retries, std::vector<RetryRow>& out) {
    const auto number =
        static_cast<std::uint32_t>(row.iteration.value_or(row.scenario.value_or(0)));
    for (std::size_t level = 0; level < retries.size(); ++level) {
        if (retries[level] > 0) {
            out.push_back({number,
                           row.phase,
                           row.stage,
                           static_cast<std::uint32_t>(level),
                           static_cast<std::uint64_t>(retries[level])});
        }
    }
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

std::vector<SolverRow> solver_rows(const sddp::IterationReport& report,
                                   const sddp::Calendar& calendar) {
    std::vector<SolverRow> rows;
    for (const sddp::WorkRow& row : report.work.rows()) {
        const bool is_forward = row.pass == sddp::WorkRow::Pass::forward;
        rows.push_back({report.iteration,
                        {},
                        is_forward ? "forward" : "backward",
                        calendar.stages[at(row.stage)].id,
                        row.opening >= 0 ? std::optional(row.opening) : std::nullopt,
                        0,
                        row.work});
    }
    rows.push_back({report.iteration, {}, "lower_bound", {}, {}, 0, report.bound});
    return rows;
}

std::vector<RetryRow> retry_rows(const std::vector<SolverRow>& work) {
    std::vector<RetryRow> rows;
    for (auto row = work.begin(); row != work.end();) {
        const auto end = std::find_if(
            row, work.end(), [&](const SolverRow& other) { return !is_same_place(*row, other); });
        add_levels(*row, sum_of_retries(row, end), rows);
        row = end;
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
