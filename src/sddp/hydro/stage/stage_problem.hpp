#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "lockstep/base/index.hpp"
#include "lockstep/base/shared_array.hpp"
#include "lockstep/sddp/options.hpp"
#include "lockstep/sddp/problem.hpp"

#include "sddp/model/stage_lp.hpp"

namespace lockstep::sddp {

/// The part of a plant that feeds one bus.
struct Cell {
    int hydro = 0;
    int bus = 0;
    bool has_planes =
        false;  ///< generation is a column bounded by planes, else productivity · turbined
    double productivity = 0;
};

/// What a row or column of the LP stands for; names are made from it on demand.
struct Tag {
    enum class Kind : std::uint8_t {
        storage,
        future_cost,
        turbined,
        generation,
        spillage,
        diversion,
        thermal,
        direct,
        reverse,
        deficit,
        excess,
        curtailed,
        outflow_below,
        outflow_above,
        turbined_below,
        generation_below,
        evaporation,
        evaporation_above,
        evaporation_below,
        withdrawal_above,
        withdrawal_below,
        inflow_slack,
        generic_above,
        generic_below,
        water_balance,
        load_balance,
        production_plane,
        outflow_limits,
        min_turbined,
        min_generation,
        evaporation_line,
        generic,
        contract,
        pumping,
        storage_below,
        storage_target,
        commitment,
        pending,
        delivery,
        transit,
        transit_balance,
        charge,
        discharge,
        energy,
        energy_balance,
    };
    Kind kind = Kind::storage;
    int entity = 0;
    int block = -1;
};

/// Where the results of a stage are found in its LP. Block tables are [entity × blocks], block
/// innermost.
struct StageMap {
    SharedArray<Cell> cells;
    SharedArray<int> first_cell;                                          ///< [hydros + 1]
    SharedArray<Slot> storage;                                            ///< [hydros]
    SharedArray<Slot> spillage, diversion, outflow_below, outflow_above;  ///< [hydros × blocks]
    SharedArray<Slot> turbined, generation, turbined_below, generation_below;  ///< [cells × blocks]
    SharedArray<Slot> evaporation, evaporation_above, evaporation_below;  ///< [hydros × periods]
    SharedArray<std::uint8_t> evaporation_substituted;                    ///< [hydros]
    SharedArray<Slot> withdrawal_above, withdrawal_below, inflow_slack;   ///< [hydros]
    SharedArray<Slot> thermal, direct, reverse, excess, curtailed;
    SharedArray<int> first_segment;  ///< [buses + 1], into deficit (× blocks)
    SharedArray<Slot> deficit;       ///< [segments of all buses × blocks]
    struct Generic {
        int constraint = 0;
        int block = -1;
        double unit_cost = 0;  ///< [$] per unit of slack
        Slot above, below;     ///< constant 0 where the row has no slack on that side
    };
    SharedArray<Generic> generic;
    SharedArray<int> water_row;           ///< [hydros × periods]
    SharedArray<int> load_row;            ///< [buses × blocks]
    SharedArray<Slot> contract;           ///< [contracts × blocks]
    SharedArray<Slot> pumped;             ///< [pumping stations × blocks]
    SharedArray<Slot> storage_below;      ///< [hydros]
    SharedArray<Slot> transit;            ///< [transits], after the stage
    SharedArray<Slot> charge, discharge;  ///< [batteries × blocks]
    SharedArray<Slot> energy;             ///< [batteries × periods], after each
    SharedArray<Slot> commitment;         ///< [commitments], after the stage
    SharedArray<Slot> between;            ///< [hydros × (periods - 1)], storages
};

/// The LP of one stage without its cuts, and what its parts mean.
///
/// Incoming storages, inflows, loads and availabilities are not columns: they move right-hand sides
/// (docs/sddp-theory.md, equations (4) to (9)). Storages [hm³] are its decided states, inflows
/// [m³/s] what is drawn.
struct StageProblem : StageLp {
    int blocks = 0;
    int periods = 1;  ///< Stage::periods()
    double hours = 0;
    double water_factor = 0;  ///< hm³ per m³/s over the stage
    StageMap map;
    CouplingTable available_coupling;  ///< [sources × blocks], of generic constraints, per MW
    SharedArray<Tag> column_tags;
    SharedArray<Tag> row_tags;

    [[nodiscard]] std::size_t at(int entity, int block) const noexcept {
        return static_cast<std::size_t>(entity) * static_cast<std::size_t>(blocks) +
               static_cast<std::size_t>(block);
    }
    [[nodiscard]] int period_of(int block) const noexcept { return periods > 1 ? block : 0; }
    [[nodiscard]] std::size_t in_period(int entity, int period) const noexcept {
        return static_cast<std::size_t>(entity) * static_cast<std::size_t>(periods) +
               static_cast<std::size_t>(period);
    }
};

/// Builds the LP of a stage.
StageProblem build_stage_problem(const Problem& problem, int stage, const SpeedOptions& options);

/// "water balance"
std::string kind_name(Tag::Kind kind);

/// "water_balance FURNAS", "load_balance SUDESTE block 2".
std::string name_of(const Problem& problem, const StageProblem& stage, const Tag& tag);

}  // namespace lockstep::sddp
