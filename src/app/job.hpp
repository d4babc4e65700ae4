#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "lockstep/app/run.hpp"
#include "lockstep/comm/communicator.hpp"
#include "lockstep/formats/cobre/output.hpp"
#include "lockstep/runtime/signals.hpp"
#include "lockstep/runtime/team.hpp"
#include "lockstep/sddp/train.hpp"

#include "app/prepare.hpp"

namespace lockstep::app {

/// One call of run_case or simulate_case: what the steps share.
///
/// Every step is collective and ends with all ranks agreeing that it went well. Rank 0 alone writes
/// shared files.
class Job {
public:
    /// Reads and checks the case.
    Job(const RunRequest& request, comm::Communicator& ranks, RunObserver& observer);

    [[nodiscard]] formats::cobre::Config& config() noexcept { return prepared_.input.config; }
    [[nodiscard]] const std::filesystem::path& output() const noexcept { return output_; }
    /// Where the case keeps its policy.
    [[nodiscard]] std::filesystem::path policy_directory() const;
    /// A signal or an observer has ended the work.
    [[nodiscard]] bool ended_early() const noexcept { return ended_early_; }

    /// Makes the output directory and takes away what an earlier run left of the parts that will be
    /// written.
    void clear_output(bool training);
    void tell_start(bool trains, bool simulates);

    /// Trains, writes training/ and the policy.
    /// @throws ModelError  a stage has no solution; what was done is written
    sddp::Policy train();
    sddp::Policy read_policy(const std::filesystem::path& directory);
    /// Simulates, writes simulation/.
    /// @throws ModelError  a stage has no solution; what was done is written
    void simulate(sddp::Policy policy);

    /// The end of the use case: reads the summary back from the files (rank 0 only).
    RunOutcome outcome();

private:
    void check_same_input();
    runtime::Survival survival();
    void section(const std::function<void()>& body);
    void on_root(const std::function<void()>& body);
    void write_metrics(const sddp::IterationReport& report);
    void write_training(const sddp::TrainResult& result);
    void write_policy(const sddp::TrainResult& result);
    [[noreturn]] void fail(const sddp::Failure& failure, const char* part);
    formats::cobre::RunInfo info_now();

    const RunRequest& request_;
    comm::Communicator& ranks_;
    RunObserver& observer_;
    runtime::SignalGuard signals_;
    runtime::ThreadTeam threads_;
    runtime::Team team_;
    std::filesystem::path output_;
    Problems problems_;
    Prepared prepared_;
    formats::cobre::RunInfo info_;
    bool ended_early_ = false;
    bool has_losses_ = false;
};

}  // namespace lockstep::app
