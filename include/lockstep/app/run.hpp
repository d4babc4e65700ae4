#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "lockstep/app/observer.hpp"
#include "lockstep/app/summary.hpp"
#include "lockstep/comm/communicator.hpp"
#include "lockstep/formats/cobre/case.hpp"
#include "lockstep/lp/solver.hpp"
#include "lockstep/sddp/options.hpp"

namespace lockstep::app {

/// What to run and how; nothing here but `settings` changes a result.
struct RunRequest {
    std::filesystem::path case_directory;
    std::filesystem::path output_directory;  ///< empty: case_directory/output
    int threads = 0;                         ///< of each rank; 0: as many as the process may use
    std::vector<formats::Setting> settings;
    std::optional<lp::SolverKind> solver;  ///< instead of the default
    sddp::SpeedOptions speed;
    bool resume =
        false;  ///< go on from the newest checkpoint of the output directory, if there is one
    std::optional<int> checkpoint_iterations;  ///< instead of config.json's; 0: no checkpoints
    std::optional<double> checkpoint_minutes;  ///< and whenever the last is so long ago
    /// Written whole after every iteration, for Prometheus; empty: no such file.
    std::filesystem::path metrics_file;
    bool continue_after_loss = true;  ///< survivors of a lost rank go on where the backend can
};

/// How a run that wrote its output ended.
struct RunOutcome {
    Summary summary;
    int signal = 0;  ///< SIGINT or SIGTERM when one ended the work early on any rank, else 0
};

/// Reads a case, trains a policy, simulates it, as config.json says, and writes everything.
///
/// SIGINT and SIGTERM end the work after the current iteration or batch with everything written.
/// A stage without a solution ends it too: what was done until then is written, with the LP in
/// training/infeasible-<stage>.mps.
/// Collective: every rank calls it with equal arguments; rank 0 writes what is shared. When a rank
/// is lost the others do again what was under way, as continue_after_loss allows; the result is the
/// same bits.
/// @throws InputError  the case has errors (all are listed); ModelError  a stage has no solution;
///         IoError  a file is missing or cannot be written; CommError  another rank failed
RunOutcome run_case(const RunRequest& request, comm::Communicator& ranks, RunObserver& observer);

/// A policy of an earlier run, and on how many scenarios to try it.
struct SimulateRequest {
    RunRequest run;
    std::filesystem::path policy;  ///< empty: the policy folder of the output directory
    std::optional<int> scenarios;  ///< instead of config.json's
};

/// Simulates a case under a policy on disk; the training part of the output directory stays.
/// Otherwise as run_case.
/// @throws InputError  the policy is not of this case: which stage or state differs
RunOutcome simulate_case(const SimulateRequest& request,
                         comm::Communicator& ranks,
                         RunObserver& observer);

}  // namespace lockstep::app
