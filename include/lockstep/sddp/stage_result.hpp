#pragma once

#include <vector>

namespace lockstep::sddp {

/// Undiscounted costs of a stage by origin [$]; the parts add up to `immediate`.
struct CostBreakdown {
    double thermal = 0;
    double anticipated = 0;  ///< of generation decided now for later stages
    double contract = 0;     ///< of power bought, less the revenue of power sold
    double deficit = 0;
    double excess = 0;
    double exchange = 0;
    double curtailment = 0;
    double spillage = 0;  ///< diversion included
    double turbined = 0;
    double outflow_below = 0;
    double outflow_above = 0;
    double turbined_below = 0;
    double generation_below = 0;
    double evaporation = 0;
    double withdrawal = 0;
    double inflow_slack = 0;
    double storage_below = 0;  ///< storage that lacks to its target
    double filling_below = 0;  ///< the same while a plant is filled
    double generic = 0;
    double immediate = 0;  ///< objective without the future cost
    double future = 0;     ///< discounted θ
    double discount = 1;   ///< cumulative discount factor of the stage
};

/// What happened in one stage of one scenario. Block arrays are [entity × blocks], block innermost.
struct StageResult {
    int stage = 0;  ///< index
    int node = 0;   ///< of the policy graph
    int blocks = 0;
    int periods = 1;  ///< Stage::periods()
    CostBreakdown cost;

    struct Hydro {  // [hydros]
        std::vector<double> storage_initial_hm3, storage_final_hm3;
        std::vector<double> storage_between_hm3;     ///< [hydros × (periods - 1)]
        std::vector<double> incremental_inflow_m3s;  ///< realised z
        std::vector<double> withdrawal_above_m3s, withdrawal_below_m3s;
        std::vector<double> inflow_slack_m3s;
        std::vector<double> storage_below_hm3;  ///< lacking to the target
        // [hydros × periods]
        std::vector<double> evaporation_m3s;
        std::vector<double> evaporation_above_m3s, evaporation_below_m3s;
        std::vector<double> water_value_per_hm3;  ///< dual of the water balance, d cost/d water
        // [hydros × blocks]
        std::vector<double> turbined_m3s, spillage_m3s, diverted_m3s, generation_mw;
        /// Upstream releases and diversions into the plant, and what passes sites without a dam.
        std::vector<double> arriving_m3s;
        std::vector<double> turbined_slack_m3s, outflow_slack_below_m3s, outflow_slack_above_m3s;
        std::vector<double> generation_slack_mw;
        std::vector<double> spillage_cost;  ///< [$]
    } hydro;

    /// Part of a plant on one bus; plant-major, in order of Hydro::groups' buses.
    struct Cell {
        std::vector<int> hydro, bus;                      ///< [cells]
        std::vector<double> turbined_m3s, generation_mw;  ///< [cells × blocks]
    } cell;

    std::vector<double> thermal_mw;    ///< [thermals × blocks]
    std::vector<double> transit_hm3;   ///< [transits], on its way to plants after the stage
    std::vector<double> committed_mw;  ///< [thermals], delivered now and decided before; else 0
    std::vector<double> decided_mw;    ///< [thermals], mean of what is decided now; else 0
    std::vector<double> pending_mw;    ///< [commitments], after the stage
    std::vector<double> direct_mw, reverse_mw;                 ///< [lines × blocks]
    std::vector<double> load_mw, deficit_mw, excess_mw;        ///< [buses × blocks]
    std::vector<double> spot_price;                            ///< [buses × blocks], [$/MWh]
    std::vector<double> available_mw, curtailed_mw;            ///< [sources × blocks]
    std::vector<double> contract_mw;                           ///< [contracts × blocks]
    std::vector<double> charge_mw, discharge_mw;               ///< [batteries × blocks]
    std::vector<double> energy_initial_mwh, energy_final_mwh;  ///< [batteries]
    std::vector<double> pumped_m3s;                            ///< [pumping stations × blocks]
    std::vector<double> incoming_lags_m3s;                     ///< [lags × hydros]

    struct Slack {
        int constraint = 0;
        int block = -1;
        /// What the row lacks or exceeds; where it has slack on both sides, negative above.
        double value = 0;
        double cost = 0;
        bool has_slack = true;  ///< otherwise value and cost are 0
    };
    std::vector<Slack> generic;  ///< rows of generic constraints, in row order
};

/// One simulated trajectory.
struct ScenarioResult {
    int scenario = 0;
    double total_cost = 0;  ///< Σ discount·immediate [$]
    std::vector<StageResult> stages;
};

}  // namespace lockstep::sddp
