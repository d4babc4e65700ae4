#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/formats/cobre/result_records.hpp"
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
    std::filesystem::path policy;                ///< where its cuts are, or would be
    std::optional<TrainingRecord> training;      ///< none: no finished training
    std::optional<SimulationRecord> simulation;  ///< none: no finished simulation
    std::vector<IterationRecord> iterations;     ///< of the training
    std::vector<EvaluationRecord> inner_bounds;  ///< of the training, where it evaluated any
    std::vector<EvaluationRecord> policy_costs;  ///< as well
    std::vector<RankRecord> ranks;               ///< of the training; older results have none
    std::optional<ProvenanceRecord> provenance;  ///< of the training's models
    std::vector<StageLabel> stages;
    /// Files of each simulation table, as simulation/metadata.json promises them.
    std::vector<std::pair<std::string, int>> table_files;
};

/// Reads metadata and the tables of the training. A part counts only when its _SUCCESS or _PARTIAL
/// is there.
/// @throws IoError     `directory` is missing, or holds neither a finished training nor a finished
/// simulation
/// @throws InputError  a file of a finished part is damaged
Results read_results(const std::filesystem::path& directory);

/// training/convergence.parquet as it is, for comparing.
/// @throws IoError, InputError
io::Table read_convergence(const std::filesystem::path& directory);

/// The name of a plant from training/dictionaries/entities.csv, "" where that does not have it.
std::string hydro_name(const std::filesystem::path& directory, int id);

/// A variable of the state, for which cuts have a slope.
struct StateVariable {
    int hydro_id = 0;
    /// 0: the storage; 1 …: the inflow of so many stages before; -1: no variable of a plant
    int lag = 0;
};

/// The state that a policy folder is of, in the order of its cuts' slopes.
/// @throws IoError, InputError
std::vector<StateVariable> read_state(const std::filesystem::path& policy);

/// A file of a policy's cuts as a table: a row a cut, its slopes in one column.
/// @throws IoError, InputError
io::Table read_cut_table(const std::filesystem::path& file);

/// Scenario ids of a finished simulation, ascending.
std::vector<int> simulated_scenarios(const Results& results);

/// Tables that simulation/ holds, in alphabetical order.
std::vector<std::string> simulation_table_names(const std::filesystem::path& directory);

/// A table of a simulation whole: all scenarios of "hydros", "violations/generic" …
/// @throws IoError  missing; InputError  damaged, or its files do not fit together
io::Table read_simulation_table(const std::filesystem::path& directory, const std::string& table);

/// A table of a finished simulation, read scenario by scenario: "costs", "hydros",
/// "violations/generic" … Of a table in parts one row group is in memory; scenarios are best read
/// in ascending order.
class SimulationTableReader {
public:
    /// @param columns  those that are read of a table in parts, beside scenario_id; empty: all
    SimulationTableReader(const Results& results,
                          std::string table,
                          std::vector<std::string> columns = {});
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
