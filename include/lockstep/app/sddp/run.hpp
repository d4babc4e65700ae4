#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "lockstep/app/observer.hpp"
#include "lockstep/app/run_request.hpp"
#include "lockstep/app/sddp/summary.hpp"
#include "lockstep/comm/communicator.hpp"
#include "lockstep/lp/solver.hpp"
#include "lockstep/sddp/options.hpp"

namespace lockstep::app {

/// What is asked of a case: what every run has, and what this engine adds. What is not given is as
/// config.json says.
struct CaseRequest {
    RunRequest run;                        ///< input: the case directory
    std::optional<lp::SolverKind> solver;  ///< instead of the default
    /// Short cuts, instead of config.json's: the same values either way.
    std::optional<bool> lazy_cuts;
    std::optional<bool> ordered_openings;
    std::optional<bool> warm_start;
    std::optional<bool> substitute_evaporation;
    bool scenario_folders = false;  ///< simulation tables in a folder a scenario, as Cobre has them
    /// What is simulated: "history", the years of the record, or a folder with external scenarios,
    /// each once unless a number of scenarios is asked for; empty: as config.json says. Not for
    /// training.
    std::string scenarios_from;
};

struct CaseOutcome {
    RunOutcome run;
    Summary summary;  ///< on the first rank
};

/// Reads a case, trains a policy, simulates it, as config.json says, and writes everything.
///
/// SIGINT and SIGTERM end the work after the current iteration or batch with everything written.
/// A stage without a solution ends it too: what was done until then is written, with the LP in
/// training/infeasible-<stage>.mps, or unsolved-<stage>.mps when a solution may exist.
/// Collective: every rank calls it with equal arguments; rank 0 writes what is shared. When a rank
/// is lost the others do again what was under way, as on_loss allows; the result is the same bits.
/// @throws InputError  the case has errors (all are listed), or another run is writing the output;
///         ModelError  a stage has no solution; IoError  a file is missing or cannot be written;
///         CommError  another rank failed
CaseOutcome run_case(const CaseRequest& request, comm::Communicator& ranks, Observer& observer);

/// A policy of an earlier run, and on how many scenarios to try it.
struct SimulateRequest {
    CaseRequest of;
    std::filesystem::path policy;  ///< empty: the policy folder of the output directory
    std::optional<int> scenarios;  ///< instead of config.json's
};

/// Simulates a case under a policy on disk; the training part of the output directory stays.
/// Otherwise as run_case.
/// @throws InputError  the policy is not of this case: which stage or state differs
CaseOutcome simulate_case(const SimulateRequest& request,
                          comm::Communicator& ranks,
                          Observer& observer);

}  // namespace lockstep::app
