#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/formats/cobre/case.hpp"
#include "lockstep/formats/records/column_description.hpp"
#include "lockstep/sddp/problem.hpp"
#include "lockstep/sddp/stage_result.hpp"
#include "lockstep/sddp/train.hpp"

namespace lockstep::formats::cobre {

/// Circumstances of a run. They are written into metadata.json and are no part of any digest.
struct RunInfo {
    std::string started_at;  ///< ISO 8601, UTC: "2026-01-31T12:00:00Z"
    std::string completed_at;
    std::vector<std::string> hosts;  ///< distinct host names, of the lowest rank first
    std::string backend = "local";   ///< communicator: local, shm, tcp, mpi
    int ranks = 1;
    int threads_per_rank = 1;
    std::string mpi_library;          ///< "" without MPI
    std::int64_t borrowed_bytes = 0;  ///< of the case, that ranks read in memory of others
    std::string solver_version;
    std::string policy_mode = "fresh";                          ///< fresh, resume, load
    std::vector<std::pair<std::string, double>> setup_seconds;  ///< (phase, seconds), in order
    std::vector<std::pair<std::string, std::string>>
        settings;  ///< changes to config.json, as given
    std::vector<std::string> warnings;
};

/// Writes training/ below `output`, generic_constraints/ and hydro_models/ where the case has such
/// things, stochastic/ when it asks for it.
///
/// Every file is whole or absent; training/_SUCCESS goes first and comes back last, so that an
/// interrupted call never looks finished. One rank calls it.
/// @throws IoError  a file cannot be written
void write_training(const std::filesystem::path& output,
                    const Case& input,
                    const sddp::Problem& problem,
                    const sddp::TrainResult& result,
                    const RunInfo& run);

/// Writes stochastic/: the process in the schemas of scenarios/, so that copying the files there
/// reproduces the model. Part of write_training when config.json asks for it.
/// @throws IoError
void write_stochastic(const std::filesystem::path& output, const sddp::Problem& problem);

/// Removes stochastic/ of an earlier run below `output`; files that no run writes stay, and the
/// folder with them.
/// @throws IoError
void clear_stochastic(const std::filesystem::path& output);

/// Removes the simulation tables of an earlier run below `output`, its _SUCCESS first. Files that
/// no simulation writes stay. One rank calls it before any rank adds scenarios.
/// @throws IoError
void clear_simulation(const std::filesystem::path& output);

/// Streams simulated scenarios to simulation/<table>/scenario_id=NNNN/data.parquet, one scenario in
/// memory at a time.
///
/// Each rank has a writer, adds the scenarios that it ran and calls sync(). After a barrier rank 0
/// finishes. Not thread-safe.
class SimulationWriter {
public:
    /// @param problem  must outlive the writer
    SimulationWriter(std::filesystem::path output, const sddp::Problem& problem);
    ~SimulationWriter();
    SimulationWriter(SimulationWriter&&) noexcept;
    SimulationWriter& operator=(SimulationWriter&&) noexcept;

    /// @throws IoError  a file cannot be written
    void add(const sddp::ScenarioResult& scenario);

    /// Waits until this machine's disk has what was added: once is much cheaper than file by file.
    /// @throws IoError
    void sync();

    /// Calls sync(), writes scenario_summary.parquet, metadata.json and, last, _SUCCESS.
    /// @throws IoError
    void finish(const Case& input, const sddp::SimulateResult& result, const RunInfo& run);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// Every column of every table that this library writes into an output directory.
std::vector<ColumnDescription> describe_columns();

}  // namespace lockstep::formats::cobre
