#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "lockstep/app/sddp/run.hpp"
#include "lockstep/formats/cobre/output.hpp"
#include "lockstep/sddp/train.hpp"

#include "app/job/job.hpp"
#include "app/sddp/prepare.hpp"

namespace lockstep::app {

/// One call of run_case or simulate_case: what the job does not know. Steps are collective, as the
/// job's are.
class CaseRun {
public:
    /// Reads and checks the case.
    CaseRun(const CaseRequest& request, comm::Communicator& ranks, Observer& observer);

    [[nodiscard]] formats::cobre::Config& config() noexcept { return prepared_.input.config; }
    /// Where the case keeps its policy.
    [[nodiscard]] std::filesystem::path policy_directory() const;
    [[nodiscard]] bool has_ended_early() const noexcept { return job_.has_ended_early(); }

    /// @throws InputError  it is not of this case
    sddp::Policy read_policy(const std::filesystem::path& directory);
    /// Finds the checkpoint to go on from, if that is asked for.
    /// @throws InputError  it is of another case, option or program
    void find_checkpoint();
    /// Reads the policy that training is to begin with, if it is to and is not to go on from a
    /// checkpoint.
    /// @return whether as many iterations as allowed are done already: it is the result
    /// @throws InputError  it is not of this case
    bool read_earlier_training();
    /// What read_earlier_training() read.
    sddp::Policy take_earlier_policy() { return std::move(earlier_.policy); }
    /// Takes the output for the parts that will be made.
    void claim_output(bool trains, bool simulates);

    /// Trains, writes training/ and the policy.
    /// @throws ModelError  a stage has no solution; what was done is written
    sddp::Policy train();
    /// Simulates, writes simulation/.
    /// @throws ModelError  a stage has no solution; what was done is written
    void simulate(sddp::Policy policy);

    CaseOutcome outcome();

private:
    void write_training(const sddp::TrainResult& result);
    void write_policy(const sddp::TrainResult& result);
    [[noreturn]] void fail(const sddp::Failure& failure, const char* part);
    [[nodiscard]] formats::cobre::RunInfo info() const;
    [[nodiscard]] RunFacts facts(bool trains, bool simulates) const;

    const CaseRequest& request_;
    Job job_;
    Prepared prepared_;
    std::unique_ptr<Checkpoints> checkpoints_;
    std::unique_ptr<runtime::EngineState> resume_from_;
    sddp::EarlierTraining earlier_;
    std::string solver_version_;
    std::string policy_mode_ = "fresh";
    Summary summary_;
    bool has_trained_ = false;
    bool has_simulated_ = false;
};

}  // namespace lockstep::app
