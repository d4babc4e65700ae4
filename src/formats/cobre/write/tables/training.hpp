#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/sddp/observer.hpp"

#include "formats/cobre/records.hpp"
#include "formats/records/tables.hpp"

namespace lockstep::formats::cobre::out {

struct ConvergenceRow {
    const sddp::IterationReport* report = nullptr;
    int forward_passes = 0;
    std::int64_t cuts_removed = 0;
};

/// Codes of dictionaries/codes.json.
enum class EntityCode : std::int8_t {
    hydro = 0,
    thermal = 1,
    bus = 2,
    line = 3,
    pumping_station = 4,
    contract = 5,
    non_controllable = 7,
    hydro_unit_group = 8,
    battery = 9,
};
enum class BoundCode : std::int8_t {
    storage_min,
    storage_max,
    turbined_min,
    turbined_max,
    outflow_min,
    outflow_max,
    generation_min,
    generation_max,
    flow_min,
    flow_max,
    energy_min,  // from here on not Cobre's
    energy_max,
    charge_max,
    discharge_max,
};

struct BoundRow {
    EntityCode entity = EntityCode::hydro;
    int id = 0;
    std::optional<std::int32_t> hydro_id;
    int stage_id = 0;
    std::optional<std::int32_t> block;
    BoundCode bound = BoundCode::storage_min;
    double value = 0;
};

/// What was selected after a node in an iteration.
struct CutSelectionRow {
    int iteration = 0;
    int stage_id = 0;
    bool has_budget = false;
    const sddp::SelectionReport* report = nullptr;
    [[nodiscard]] std::optional<std::int32_t> within_budget(std::int32_t count) const {
        return has_budget ? std::optional(count) : std::nullopt;
    }
};

struct RankRow {
    int iteration = 0;
    int rank = 0;
    const sddp::RankReport* report = nullptr;
};

const TableDefinition<ConvergenceRow>& convergence_table();
const TableDefinition<sddp::IterationReport>& timing_table();
/// Of this engine alone: what each rank did.
const TableDefinition<CutSelectionRow>& cut_selection_table();
const TableDefinition<sddp::IterationReport>& inner_bound_table();
const TableDefinition<sddp::IterationReport>& policy_cost_table();
const TableDefinition<RankRow>& rank_table();
const TableDefinition<BoundRow>& bounds_table();

void describe_training_tables(std::vector<ColumnDescription>& out);

}  // namespace lockstep::formats::cobre::out
