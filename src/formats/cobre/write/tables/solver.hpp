#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lockstep/sddp/calendar.hpp"
#include "lockstep/sddp/observer.hpp"

#include "formats/cobre/records.hpp"
#include "formats/records/tables.hpp"

namespace lockstep::formats::cobre::out {

/// Work of one phase of one iteration, at one stage or opening where that is known, or of one
/// simulated scenario.
struct SolverRow {
    std::optional<std::int32_t> iteration;
    std::optional<std::int32_t> scenario;
    const char* phase = "";
    std::optional<std::int32_t> stage;  ///< id, as declared
    std::optional<std::int32_t> opening;
    std::optional<std::int32_t> rank;
    sddp::PhaseReport work;
};

/// Solves of such a phase that took level + 1 attempts after the first.
struct RetryRow {
    std::uint32_t iteration = 0;
    const char* phase = "";
    std::optional<std::int32_t> stage;
    std::uint32_t level = 0;
    std::uint64_t count = 0;
};

/// Both tables of training/solver or of simulation/solver.
struct SolverTables {
    TableDefinition<SolverRow> iterations;
    TableDefinition<RetryRow> retries;
};

const SolverTables& training_solver_tables();
const SolverTables& simulation_solver_tables();

/// Rows of an iteration as Cobre has them: the forward pass by stage, the backward pass from the
/// last stage on by opening, the lower bound.
std::vector<SolverRow> solver_rows(const sddp::IterationReport& report,
                                   const sddp::Calendar& calendar);

/// Levels that occurred, in the order of `work`; the openings of a stage are summed.
std::vector<RetryRow> retry_rows(const std::vector<SolverRow>& work);

std::int64_t retried_solves(const sddp::PhaseReport& work);

void describe_solver_tables(std::vector<ColumnDescription>& out);

}  // namespace lockstep::formats::cobre::out
