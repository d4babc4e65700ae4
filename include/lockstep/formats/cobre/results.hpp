#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/io/json.hpp"
#include "lockstep/io/table.hpp"

namespace lockstep::formats::cobre {

// Output directories read back, for reports, summaries and comparisons.

/// A stage as metadata.json tells it.
struct StageLabel {
    int id = 0;                       ///< as in the input
    std::string start;                ///< "2026-01-01"
    std::string end;                  ///< exclusive
    double hours = 0;                 ///< sum over blocks
    std::vector<double> block_hours;  ///< [blocks]
};

/// What a finished run left, without its simulation tables.
struct Results {
    std::filesystem::path directory;
    std::optional<io::Json> training;    ///< training/metadata.json; none: no finished training
    std::optional<io::Json> simulation;  ///< simulation/metadata.json; none: no finished simulation
    io::Table convergence;  ///< training/convergence.parquet; no columns without training
    io::Table ranks;        ///< training/timing/ranks.parquet; no columns where there is none
    std::vector<StageLabel> stages;
};

/// Reads the metadata and the convergence table. A part counts only when its _SUCCESS is there.
/// @throws IoError     `directory` is missing, or holds neither a finished training nor a finished
/// simulation
/// @throws InputError  a file of a finished part is damaged
Results read_results(const std::filesystem::path& directory);

/// Distribution over scenarios, [stages] each. Percentiles interpolate linearly between the order
/// statistics (position p·(n - 1)).
struct Spread {
    std::vector<double> min, p10, median, p90, max, mean;
};

/// A spread that belongs to an entity.
struct EntitySpread {
    int id = 0;        ///< as in the input
    std::string name;  ///< "3" where the dictionary of entities is absent
    Spread spread;
};

/// A value of each stage under a name.
using NamedSeries = std::pair<std::string, std::vector<double>>;

/// Simulation tables folded over scenarios. Stage values of block tables are means over the blocks,
/// weighted by their hours.
struct SimulationSummary {
    int scenarios = 0;
    std::vector<StageLabel> stages;
    std::vector<double> scenario_cost;  ///< [scenarios], discounted [$], in scenario order
    Spread system_storage;              ///< sum over plants at the end of the stage [hm³]
    std::vector<EntitySpread> storage;  ///< [hydros], end of the stage [hm³]
    Spread stored_energy;               ///< sum over plants at the end of the stage [MWh]
    std::vector<NamedSeries>
        generation;  ///< "hydro", "thermal", "non_controllable", "deficit": mean [MW]
    std::vector<EntitySpread> spot_price;  ///< [buses], [$/MWh]
    std::vector<double> load;              ///< [stages], mean [MW]
    std::vector<double>
        deficit_probability;  ///< [stages], share of scenarios with a deficit over 1e-6 MW
    /// Mean of each additive column of simulation/costs by stage [$], undiscounted; columns that
    /// are 0 everywhere are left out. They add up to immediate_cost.
    std::vector<NamedSeries> cost;
};

/// Folds the tables of a finished simulation, one scenario in memory at a time; samples for
/// percentiles are kept within `memory_bytes` by reading the files of plants in several passes.
/// @throws IoError  no finished simulation, or a file of it is missing; InputError  a file is
/// damaged
SimulationSummary summarize_simulation(const Results& results,
                                       std::size_t memory_bytes = std::size_t{256} << 20);

/// Scenario ids of a finished simulation, ascending.
std::vector<int> simulated_scenarios(const Results& results);

/// Tables that simulation/ holds, in alphabetical order.
std::vector<std::string> simulation_table_names(const std::filesystem::path& directory);

/// A table of a finished simulation, read scenario by scenario: "costs", "hydros",
/// "violations/generic" … Of a table in parts one row group is in memory; scenarios are best read
/// in ascending order.
class SimulationTableReader {
public:
    SimulationTableReader(const Results& results, std::string table);
    ~SimulationTableReader();
    SimulationTableReader(SimulationTableReader&&) noexcept;
    SimulationTableReader& operator=(SimulationTableReader&&) noexcept;

    /// Rows of a scenario; none where the table has none of it.
    /// @throws IoError  missing; InputError  damaged
    [[nodiscard]] io::Table read(int scenario);
    /// Where a scenario's rows stand, for messages.
    [[nodiscard]] std::string file(int scenario) const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace lockstep::formats::cobre
