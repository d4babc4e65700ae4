#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lockstep/sddp/calendar.hpp"

namespace lockstep::sddp {

// A physical system with everything resolved: entity defaults, stage rows and block rows of the
// input are merged into one value for each (entity, stage, block). References are indices into the
// vectors of System, -1 for none. Entities keep the order of the state vector and of the noise.
// `id` is that of the input and is only written out again, `name` is for people.
//
// Units: power MW, flow m³/s, volume hm³, money $. Limits of a block hold at every moment of it; a
// flow of q m³/s over h hours moves 0.0036·q·h hm³. The equations are in docs/sddp-theory.md.

/// A step of the cost of energy that is not served.
struct DeficitSegment {
    double depth_mw = 0;  ///< +infinity for the last
    double cost = 0;      ///< [$/MWh]
};

/// Where power balances: generation + imports + deficit = load + exports + excess, block by block.
struct Bus {
    int id = 0;
    std::string name;
    std::vector<DeficitSegment> deficit;  ///< costs strictly increasing, last depth infinite
    ByBlock excess_cost;                  ///< [$/MWh]
    ByStage mean_load_mw;                 ///< 0 where the input has no row
    ByStage load_std_mw;                  ///< all 0: load is known
    ByBlock load_factor;                  ///< load of a block = max(0, mean + std·η)·factor
    bool is_stochastic = false;           ///< some load_std_mw > 0
};

/// A transport corridor between two buses; flows in both directions are separate variables.
struct Line {
    int id = 0;
    std::string name;
    int source = -1;            ///< bus
    int target = -1;            ///< bus, another one
    double losses_percent = 0;  ///< reported
    double loss_share = 0;      ///< of a flow, which does not arrive; in [0, 1)
    ByBlock exchange_cost;      ///< [$/MWh], either direction
    ByBlock direct_mw;          ///< capacity source → target; 0 while not in service
    ByBlock reverse_mw;         ///< … target → source
};

/// Mean generation of a stage that is decided before it, in a stage of the study or before all.
struct Delivery {
    int stage = 0;        ///< index; from the number of stages on it is after the study
    Date start{};         ///< of that stage
    Date end{};           ///< … exclusive
    int decided_in = -1;  ///< an earlier stage, -1 before the study
    double min_mw = 0;
    double max_mw = 0;        ///< >= min_mw
    double cost_per_mw = 0;   ///< [$/MW] of the whole delivery, in money of the deciding stage
    double committed_mw = 0;  ///< what was decided before the study
};

/// A thermal plant with one price a stage.
struct Thermal {
    int id = 0;
    std::string name;
    int bus = -1;
    ByStage cost;    ///< [$/MWh]
    ByBlock min_mw;  ///< hard; 0 while not in service
    ByBlock max_mw;  ///< >= min_mw; 0 while not in service
    /// In the order of both their stages; empty: generation is decided when it comes. What a stage
    /// delivers costs nothing there, and its limits are alike in all blocks.
    std::vector<Delivery> deliveries;
    /// Deliveries that may be pending at once: that of stage m is state m mod commitments.
    int commitments = 0;

    /// nullptr when nothing is delivered in a stage that was decided before it.
    [[nodiscard]] const Delivery* delivered_in(int stage) const noexcept;
    /// What is decided in a stage for later ones, -1 for before the study.
    [[nodiscard]] std::span<const Delivery> decided_in(int stage) const noexcept;
};

/// A source whose power is given: wind, solar, small plants.
struct NonControllable {
    int id = 0;
    std::string name;
    int bus = -1;
    bool allow_curtailment = true;  ///< else all that is available must be taken
    bool is_stochastic = false;     ///< has rows in non_controllable_stats: availability is drawn
    double max_generation_mw = 0;   ///< what a share of 1 means
    ByStage mean;                   ///< availability share, stochastic sources
    ByStage std;                    ///< of the share
    ByStage available_mw;           ///< known sources: availability before the factor
    ByStage in_service;             ///< 1 or 0
    ByBlock factor;                 ///< of a block, on the availability
    ByBlock curtailment_cost;       ///< [$/MWh]
};

/// Power that is bought from, or sold to, somebody outside the system at an agreed price.
struct Contract {
    int id = 0;
    std::string name;
    int bus = -1;
    bool is_import = true;  ///< power comes to the bus, else it leaves it
    ByBlock price;          ///< [$/MWh] either way; negative: revenue, as exports have
    ByBlock min_mw;         ///< hard; 0 while not in service
    ByBlock max_mw;         ///< >= min_mw; 0 while not in service
};

/// Pumps that lift water from one reservoir into another, at no cost but that of their power.
struct PumpingStation {
    int id = 0;
    std::string name;
    int bus = -1;          ///< feeds the pumps
    int source = -1;       ///< hydro
    int destination = -1;  ///< another hydro
    double consumption_mw_per_m3s = 0;
    ByBlock min_m3s;  ///< hard; 0 while not in service
    ByBlock max_m3s;  ///< >= min_m3s; 0 while not in service
};

/// Keeps energy: what is charged can be discharged later, less losses. Not a part of Cobre's model.
struct Battery {
    int id = 0;
    std::string name;
    int bus = -1;
    double charge_efficiency = 1;     ///< energy kept of what is taken from the bus, in (0, 1]
    double discharge_efficiency = 1;  ///< energy that reaches the bus of what was kept, in (0, 1]
    ByBlock max_charge_mw;            ///< at the bus; 0 while not in service
    ByBlock max_discharge_mw;         ///< at the bus; 0 while not in service
    ByStage min_energy_mwh;           ///< hard, at the end of a stage, of a block where blocks are
    ByStage max_energy_mwh;           ///< chronological
    double initial_energy_mwh = 0;    ///< at the start of the first stage
};

/// A turbine group: shares the plant's water, feeds its own bus.
struct UnitGroup {
    int id = 0;
    std::string name;
    int bus = -1;
    double declared_max_turbined_m3s =
        0;                      ///< of the entity: fixes the group's share in production planes
    ByBlock min_turbined_m3s;   ///< may be missed at Hydro::costs' turbined_below
    ByBlock max_turbined_m3s;   ///< hard
    ByBlock min_generation_mw;  ///< may be missed at generation_below
    ByBlock max_generation_mw;  ///< hard
};

/// A plane over the production function of a plant, where v⁰ and v are its storages at the
/// beginning and the end of the stage, q what it turbines and s what it spills: generation <=
/// intercept + volume·(v + v⁰)/2 + turbined·q + spilled·s   [MW; hm³; m³/s]
struct ProductionPlane {
    double intercept = 0;  ///< [MW]
    double volume = 0;     ///< [MW/hm³]
    double turbined = 0;   ///< [MW/(m³/s)]
    double spilled = 0;    ///< [MW/(m³/s)]; negative where spilling raises the tailrace
};

/// Net evaporation of a stage as a line in the mean storage: k0 + kv·(v + v⁰)/2 [m³/s, hm³].
struct Evaporation {
    double k0 = 0;         ///< [m³/s]
    double kv = 0;         ///< [m³/s per hm³]
    double limit_m3s = 0;  ///< |flow| <= limit
};

/// Costs of a stage; flows in [$/(m³/s·h)], generation in [$/MWh].
struct HydroCosts {
    double turbined = 0;  ///< of all water turbined
    double spillage = 0;  ///< usually small: of two optima the one that spills less
    double diversion = 0;
    double turbined_below = 0;  ///< missing a minimum: the slack's price
    double outflow_below = 0;
    double outflow_above = 0;  ///< exceeding the maximum outflow
    double generation_below = 0;
    double evaporation_above = 0;  ///< evaporating more than the model says (f⁻, "pos")
    double evaporation_below = 0;  ///< evaporating less (f⁺, "neg")
    double withdrawal_above = 0;   ///< withdrawing more than asked (w⁺, "pos")
    double withdrawal_below = 0;   ///< less (w⁻, "neg")
    double inflow_slack = 0;       ///< water made up where a drawn inflow is negative
    double storage_below = 0;      ///< [$/hm³] of storage that lacks to the target
    double filling_below = 0;      ///< [$/hm³], the same while the plant is filled
};

/// What a plant is in a stage.
enum class HydroPhase : std::uint8_t {
    operating,
    filling,    ///< behind the dam the water rises, no machine runs yet
    not_built,  ///< all water passes the site; the storage stands still
};

/// A hydro plant: a reservoir (one without useful volume is a run-of-river plant) and its turbines.
struct Hydro {
    int id = 0;
    std::string name;
    int downstream = -1;                ///< plant that gets what is turbined and spilled; no cycles
    int diversion_target = -1;          ///< plant that gets what is diverted
    double entity_min_storage_hm3 = 0;  ///< declared limits, for useful volumes and percentages
    double entity_max_storage_hm3 = 0;
    ByStage min_storage_hm3;   ///< hard
    ByStage max_storage_hm3;   ///< hard
    ByBlock max_turbined_m3s;  ///< plant limits; minima come from the groups
    ByBlock max_generation_mw;
    ByBlock min_outflow_m3s;  ///< may be missed at costs' outflow_below
    ByBlock max_outflow_m3s;  ///< +infinity for none
    ByBlock min_spillage_m3s;
    ByBlock max_spillage_m3s;  ///< +infinity for none
    ByBlock min_diversion_m3s;
    ByBlock max_diversion_m3s;        ///< 0 for none
    ByStage withdrawal_m3s;           ///< negative: return flow
    ByStage productivity;             ///< [MW/(m³/s)], constant-productivity stages
    ByStage equivalent_productivity;  ///< [MW/(m³/s)], for reported energies (all stages)
    /// The mean of the same over the storage band; NaN where it is not known, empty: nowhere.
    ByStage integrated_productivity;
    std::vector<std::vector<ProductionPlane>> planes;     ///< [stage]; empty: constant productivity
    std::vector<std::optional<Evaporation>> evaporation;  ///< [stage]
    SharedArray<HydroCosts> costs;                        ///< [stage]
    /// [stage][block], empty: those of the stage in all its blocks. Costs of what a block does, of
    /// evaporation where blocks are chronological; the others are those of the stage.
    std::vector<std::vector<HydroCosts>> block_costs;
    std::vector<UnitGroup> groups;   ///< >= 1
    double initial_storage_hm3 = 0;  ///< at the start of the first stage, within its limits
    /// [stage], empty: operating in all. Limits of a stage in which it does not operate are 0.
    std::vector<HydroPhase> phases;
    /// [stage], empty for none: storage that may be missed at a price.
    ByStage storage_target_hm3;
    /// [period of the study][periods later], empty for all at once: shares of what it turbines and
    /// spills in a period (Calendar::first_period) that reach the plant downstream.
    std::vector<std::vector<double>> arrival_shares;
    /// Water on its way to the plant [hm³] at the start of the study, by the period of arrival; as
    /// many periods ahead of the end of any stage are part of the state.
    std::vector<double> initial_transit_hm3;

    /// Costs in a block; block -1: of the stage.
    [[nodiscard]] const HydroCosts& costs_in(int stage, int block) const noexcept {
        const auto t = static_cast<std::size_t>(stage);
        const bool differ = block >= 0 && !block_costs.empty() && !block_costs[t].empty();
        return differ ? block_costs[t][static_cast<std::size_t>(block)] : costs[t];
    }
    [[nodiscard]] int transit_periods() const noexcept {
        return static_cast<int>(initial_transit_hm3.size());
    }
    /// Share of what it releases in a period that reaches the plant downstream so much later.
    [[nodiscard]] double arrival_share(int period, int later) const noexcept {
        if (arrival_shares.empty()) {
            return later == 0 ? 1 : 0;
        }
        const auto& shares = arrival_shares[static_cast<std::size_t>(period)];
        const auto place = static_cast<std::size_t>(later);
        return place < shares.size() ? shares[place] : 0;
    }

    [[nodiscard]] HydroPhase phase(int stage) const noexcept {
        return phases.empty() ? HydroPhase::operating : phases[static_cast<std::size_t>(stage)];
    }
    [[nodiscard]] bool is_built(int stage) const noexcept {
        return phase(stage) != HydroPhase::not_built;
    }
};

/// What a term of a generic constraint stands for; storages [hm³], flows [m³/s], power [MW].
/// Without a block, the mean over the stage's hours.
enum class Quantity {
    hydro_storage_initial,
    hydro_storage_final,
    hydro_evaporation,  ///< net, negative where rain exceeds it
    hydro_inflow,       ///< incremental inflow + arriving turbined, spilled and diverted water
    hydro_turbined,
    hydro_spillage,
    hydro_diversion,
    hydro_outflow,  ///< turbined + spilled
    hydro_generation,
    thermal_generation,
    line_direct,
    line_reverse,
    bus_deficit,
    bus_excess,
    anticipated_decision,  ///< of a thermal plant in this stage for later ones, their mean
    contract_power,
    pumping_flow,
    hydro_withdrawal,   ///< what is really withdrawn
    source_generation,  ///< availability less what is curtailed
    source_curtailment,
    battery_charge,     ///< at the bus
    battery_discharge,  ///< at the bus
    battery_energy_initial,
    battery_energy_final,  ///< [MWh]
};

/// coefficient · quantity(entity) in the row's block, or in `block` when that is not -1.
struct ConstraintTerm {
    double coefficient = 0;
    Quantity quantity = Quantity::thermal_generation;
    int entity = -1;  ///< index into the vector that the quantity's name says
    int block = -1;
    int bus = -1;  ///< hydro_turbined, hydro_generation: only the part that feeds this bus
};

/// lower <= Σ terms <= upper in one stage, for one block or (block -1) for the stage.
struct ConstraintRow {
    int stage = 0;
    int block = -1;
    double lower = 0;  ///< -infinity for none
    double upper = 0;  ///< >= lower, +infinity for none
    std::vector<ConstraintTerm> terms;
};

/// A linear constraint of the user's, in as many rows as stages and blocks have bounds for it.
struct GenericConstraint {
    int id = 0;
    std::string name;
    bool has_slack = false;  ///< may be missed at `penalty`, on both sides
    double penalty = 0;      ///< [$ per unit and hour of the row]
    std::vector<ConstraintRow> rows;
};

/// All of it.
struct System {
    std::vector<Bus> buses;
    std::vector<Line> lines;
    std::vector<Thermal> thermals;
    std::vector<NonControllable> sources;
    std::vector<Hydro> hydros;
    std::vector<Contract> contracts;
    std::vector<PumpingStation> pumping_stations;
    std::vector<Battery> batteries;
    std::vector<GenericConstraint> constraints;

    /// Numbers of the state for water on its way, of all plants.
    [[nodiscard]] int transit_count() const noexcept;
    /// Commitments of all thermal plants in the state.
    [[nodiscard]] int commitment_count() const noexcept;
};

}  // namespace lockstep::sddp
