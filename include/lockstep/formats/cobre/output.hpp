#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/formats/cobre/case.hpp"
#include "lockstep/formats/records/column_description.hpp"
#include "lockstep/formats/records/run_record.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/sddp/problem.hpp"
#include "lockstep/sddp/stage_result.hpp"
#include "lockstep/sddp/train.hpp"

namespace lockstep::formats::cobre {

/// Circumstances of a run of this engine, for its metadata.json files.
struct RunInfo : RunRecord {
    std::string solver_version;
    std::string policy_mode = "fresh";                          ///< fresh, resume, load
    std::vector<std::pair<std::string, double>> setup_seconds;  ///< (phase, seconds), in order
};

/// Whether a part was done to its end: no signal, request or stage without a solution cut it short.
bool is_whole(const sddp::TrainResult& result);
bool is_whole(const sddp::SimulateResult& result);

/// Whether a stage weighs bad outcomes, so that a mean cost is no upper bound.
bool is_risk_averse(const sddp::Calendar& calendar);

/// Writes training/ below `output`, generic_constraints/ and hydro_models/ where the case has such
/// things, stochastic/ when it asks for it.
///
/// Every file is whole or absent; training/_SUCCESS goes first and comes back last, so that an
/// interrupted call never looks finished; _PARTIAL stands in its place where training ended before
/// its stopping rules held. One rank calls it.
/// @returns training/metadata.json as it was written
/// @throws IoError  a file cannot be written
io::Json write_training(const std::filesystem::path& output,
                        const CaseFacts& input,
                        const sddp::Problem& problem,
                        const sddp::TrainResult& result,
                        const RunInfo& run);

/// Writes stochastic/: the process in the schemas of scenarios/, so that copying the files there
/// reproduces the model. Part of write_training when config.json asks for it.
/// @throws IoError
void write_stochastic(const std::filesystem::path& output, const sddp::Problem& problem);

/// Removes what says that training/ below `output` holds a result.
/// @throws IoError
void clear_training(const std::filesystem::path& output);

/// Removes stochastic/ of an earlier run below `output`; files that no run writes stay, and the
/// folder with them.
/// @throws IoError
void clear_stochastic(const std::filesystem::path& output);

/// Removes the simulation tables of an earlier run below `output`, its _SUCCESS first. Files that
/// no simulation writes stay. One rank calls it before any rank adds scenarios.
/// @throws IoError
void clear_simulation(const std::filesystem::path& output);

/// How the tables of a simulation lie in files.
enum class SimulationLayout {
    parts,    ///< <table>/part-NNNNN.parquet, scenario after scenario
    folders,  ///< <table>/scenario_id=NNNN/data.parquet, as Cobre writes them
};

struct SimulationFiles {
    SimulationLayout layout = SimulationLayout::parts;
    int ranks = 1;  ///< that add scenarios
};

/// Streams simulated scenarios to the tables of simulation/, one scenario in memory at a time.
///
/// Each rank has a writer, adds the scenarios that it ran, ascending, and calls sync(). After a
/// barrier rank 0 finishes; should it be lost meanwhile, another one does. Once all know that it is
/// done, one calls tidy(). With several ranks a scenario may be added twice, by one or by two. Not
/// thread-safe.
class SimulationWriter {
public:
    /// @param problem  must outlive the writer
    SimulationWriter(std::filesystem::path output,
                     const sddp::Problem& problem,
                     const SimulationFiles& files = {});
    ~SimulationWriter();
    SimulationWriter(SimulationWriter&&) noexcept;
    SimulationWriter& operator=(SimulationWriter&&) noexcept;

    /// @throws IoError  a file cannot be written
    void add(const sddp::ScenarioResult& scenario);

    /// Waits until this machine's disk has what was added: once is much cheaper than file by file.
    /// @throws IoError
    void sync();

    /// Calls sync(), writes scenario_summary.parquet, metadata.json and, last, _SUCCESS, or
    /// _PARTIAL where not all scenarios were run.
    /// @returns simulation/metadata.json as it was written
    /// @throws IoError
    io::Json finish(const CaseFacts& input, const sddp::SimulateResult& result, const RunInfo& run);

    /// Removes what all ranks left for finish(), which must not be called any more.
    /// @throws IoError
    void tidy();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// Every column of every table that this library writes into an output directory.
std::vector<ColumnDescription> describe_columns();

}  // namespace lockstep::formats::cobre
