#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/formats/cobre/results.hpp"

namespace lockstep::formats::cobre {

// The tables of a simulation folded over scenarios. Stage values of block tables are means over the
// blocks, weighted by their hours.

/// Distribution over scenarios, [stages] each. Percentiles interpolate linearly between the order
/// statistics (position p·(n - 1)).
struct Spread {
    std::vector<double> min, p10, median, p90, max, mean;
    std::vector<std::vector<double>> singles;  ///< [SimulationSummary::singles][stages]
};

/// A value of each stage under a name.
using NamedSeries = std::pair<std::string, std::vector<double>>;

struct EntitySummary {
    int id = 0;        ///< as in the input
    std::string name;  ///< "3" where the dictionary of entities is absent
};

struct HydroSummary : EntitySummary {
    Spread storage;               ///< end of the stage [hm³]
    Spread inflow;                ///< incremental [m³/s]
    Spread spillage;              ///< [m³/s]
    Spread generation;            ///< [MW]
    Spread water_value;           ///< what a further hm³ saves [$/hm³]: the column's negative
    double initial_storage = 0;   ///< before the first stage [hm³]
    std::vector<double> min_hm3;  ///< [stages]; empty where the dictionary of bounds is absent
    std::vector<double> max_hm3;  ///< likewise
};

struct ThermalSummary : EntitySummary {
    Spread generation;  ///< [MW]
};

struct LineSummary : EntitySummary {
    Spread flow;  ///< direct less reverse [MW]
};

struct BusSummary : EntitySummary {
    Spread price;                         ///< [$/MWh]
    Spread deficit;                       ///< [MW]
    std::vector<double> load;             ///< mean [MW]
    std::vector<NamedSeries> generation;  ///< as SimulationSummary::generation
};

struct SimulationSummary {
    int scenarios = 0;
    std::vector<StageLabel> stages;
    std::vector<double> scenario_cost;  ///< [scenarios], discounted [$], in scenario order
    /// [scenarios], mean 1, where paths were enumerated and are not equally likely; else empty.
    /// Means, quantiles and shares of scenarios below are by these weights.
    std::vector<double> scenario_weight;
    /// Ids of the scenarios of the least, the middle and the largest cost, whose paths the spreads
    /// have; the ends alone of two scenarios, none where all cost the same.
    std::vector<int> singles;
    std::vector<HydroSummary> hydros;
    std::vector<ThermalSummary> thermals;
    std::vector<LineSummary> lines;
    std::vector<BusSummary> buses;
    Spread system_storage;  ///< sum over plants at the end of the stage [hm³]
    Spread stored_energy;   ///< likewise [MWh]
    /// "hydro", "thermal", "non_controllable", "deficit": mean [MW]; those that there are.
    std::vector<NamedSeries> generation;
    std::vector<double> load;                 ///< mean [MW]
    std::vector<double> deficit_probability;  ///< share of scenarios with one over 1e-6 MW
    std::vector<double> deficit_depth;        ///< mean over those [MW], 0 without one
    std::vector<double> deficit_worst;        ///< [MW]
    /// Mean of each additive column of simulation/costs by stage [$], undiscounted; columns that
    /// are 0 everywhere are left out. They add up to immediate_cost.
    std::vector<NamedSeries> cost;
};

/// Values in ascending order and their weights.
class Distribution {
public:
    /// @param weight  [values], or empty: equal ones
    Distribution(std::span<const double> values, std::span<const double> weight);
    /// Of equal weights between the two values that it lies between, linear; else the least value
    /// up to which a share of the weight lies. 0 of no values.
    [[nodiscard]] double quantile(double share) const;

private:
    std::vector<double> values_;
    std::vector<double> cumulative_;  // [values], sums of weights; empty: equal ones
};

/// Folds the tables of a finished simulation, one scenario in memory at a time; samples for
/// percentiles are kept within `memory_bytes` by reading tables in several passes.
/// @throws IoError  no finished simulation, or a file of it is missing; InputError  a file is
/// damaged
SimulationSummary summarize_simulation(const Results& results,
                                       std::size_t memory_bytes = std::size_t{256} << 20);

/// What the cuts say of the cost after a stage along the storage of one plant, all else at the mean
/// of the simulation.
struct CostToGo {
    int stage = 0;                     ///< index
    std::vector<double> storage_hm3;   ///< [points], from the least to the most that is allowed
    std::vector<double> cost_dollars;  ///< [points]
};

/// Of each plant of the summary that can store, for up to four stages; none without a readable
/// policy of this case or without the dictionary of bounds.
std::vector<std::vector<CostToGo>> costs_to_go(const Results& results,
                                               const SimulationSummary& simulation);

}  // namespace lockstep::formats::cobre
