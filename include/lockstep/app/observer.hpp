#pragma once

#include <filesystem>
#include <string>

#include "lockstep/base/problems.hpp"
#include "lockstep/sddp/observer.hpp"
#include "lockstep/sddp/options.hpp"
#include "lockstep/sddp/train.hpp"

namespace lockstep::app {

/// What was read and what will be done with it.
struct RunStart {
    std::string case_name;
    std::filesystem::path case_directory;
    std::filesystem::path output_directory;
    int stages = 0;
    int hydros = 0;
    int thermals = 0;
    int buses = 0;
    int lines = 0;
    int sources = 0;
    int constraints = 0;
    int state_size = 0;
    bool trains = false;
    bool simulates = false;
    sddp::TrainOptions train;
    sddp::SimulateOptions simulate;
    int ranks = 1;
    int threads = 1;  ///< of each rank
    std::string backend;
};

/// Receives what a use case has to tell. The base class ignores everything.
///
/// Called on every rank; only rank 0 should speak. Calls come from the thread that called the use
/// case.
class RunObserver {
public:
    virtual ~RunObserver() = default;
    virtual void on_warning(const lockstep::Problem&) {}
    /// Something that happened under way and that the user should know: a rank was lost, a
    /// checkpoint could not be written, training goes on from one.
    virtual void on_notice(const std::string&) {}
    virtual void on_start(const RunStart&) {}
    virtual void on_iteration(const sddp::IterationReport&) {}
    virtual void on_training_end(const sddp::TrainResult&) {}
    virtual void on_simulation_progress(int /*done*/, int /*total*/) {}
    virtual void on_simulation_end(const sddp::SimulateResult&) {}
    /// Asked between iterations and between batches of scenarios, besides the signals.
    virtual bool stop_requested() { return false; }
};

}  // namespace lockstep::app
