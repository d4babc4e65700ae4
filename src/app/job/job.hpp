#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/app/observer.hpp"
#include "lockstep/app/run_request.hpp"
#include "lockstep/base/digest.hpp"
#include "lockstep/base/problems.hpp"
#include "lockstep/comm/communicator.hpp"
#include "lockstep/formats/records/output_metadata.hpp"
#include "lockstep/runtime/signals.hpp"
#include "lockstep/runtime/team.hpp"

#include "app/job/checkpoints.hpp"
#include "app/job/output_lock.hpp"

namespace lockstep::app {

/// One run of an engine: team, threads, signals, losses, the output directory, and what only the
/// first rank does. It knows no engine.
///
/// Every step is collective and ends with all ranks agreeing that it went well; a step during which
/// a rank is lost is done again by the others. In order: read_input, claim_output (or
/// work_without_output), start, the engine's work, finish.
class Job {
public:
    Job(const RunRequest& request,
        std::string engine,
        comm::Communicator& ranks,
        Observer& observer);

    [[nodiscard]] const RunRequest& request() const noexcept { return request_; }
    [[nodiscard]] comm::Communicator& ranks() noexcept { return ranks_; }
    [[nodiscard]] runtime::Team& team() noexcept { return team_; }
    [[nodiscard]] Observer& observer() noexcept { return observer_; }
    [[nodiscard]] const std::filesystem::path& output() const noexcept { return output_; }
    /// Circumstances, `completed_at` being now.
    [[nodiscard]] formats::RunRecord record() const;

    /// Runs `read` on every rank until all have done it, throws all errors that it has found, and
    /// makes sure that all ranks have read the same.
    /// @param read  fills the problems; returns the digest of all bytes read
    /// @throws InputError  all mistakes; IoError  missing files
    void read_input(const std::function<Digest(Problems&)>& read);

    /// Adds a warning to those of the input, until start().
    void warn(const Problem& warning);

    /// Does `body` on every rank, again from its start when a rank is lost meanwhile.
    void section(const std::function<void()>& body);
    /// The same on the first rank alone; all learn of its failure.
    void on_root(const std::function<void()>& body);
    /// Adds what `place` moves into memory of the node.
    /// @param place  returns bytes that this rank reads in memory of others; collective
    void place_in_node_memory(const std::function<std::int64_t(runtime::Team&)>& place);

    /// Takes the output directory for this run and makes it ready: until then nothing there has
    /// changed, and a signal ends all ranks at once; from here on the work ends in good order.
    /// Leftovers of ranks that were killed go, and metadata.json loses the parts that will
    /// be made anew.
    /// @param folders  that may hold leftovers, beside the checkpoints
    /// @param parts    names of those that this run makes
    /// @param clear    takes away what an earlier run left of them
    /// @throws InputError  another run is writing there; IoError  it cannot be written
    void claim_output(std::vector<std::filesystem::path> folders,
                      const std::vector<std::string>& parts,
                      const std::function<void()>& clear);

    /// Instead, where nothing is to be written.
    void work_without_output();
    [[nodiscard]] bool has_output() const noexcept { return is_claimed_; }

    /// Tells the observer what begins.
    void start(RunFacts facts);

    /// Checkpoints of this run; `options` is a digest of what decides results beside the input.
    /// @param step  what is counted between them: "iteration", "round"
    Checkpoints checkpoints(Digest input, Digest options, std::string step);

    /// A step is done: tells the observer, writes the metrics. Not collective.
    void tell(const Progress& progress);
    void tell(const PhaseEnd& end);
    /// Whether a signal or the observer wants the work to end.
    [[nodiscard]] bool stop_requested();
    /// The engine has ended the work because it was asked to.
    void note_early_end() noexcept { has_ended_early_ = true; }
    [[nodiscard]] bool has_ended_early() const noexcept { return has_ended_early_; }

    /// Notes a part that was written, for metadata.json. Every rank calls it: any may be the first
    /// one in the end. Parts that this run does not make stay as the directory's metadata.json has
    /// them.
    void add_part(formats::OutputPart part);

    /// Writes metadata.json, where there is an output, gives it free, and says which signal ended
    /// the run.
    RunOutcome finish();

private:
    runtime::Survival survival();
    void check_same_input();
    void write_metrics(const Progress& progress);
    void remove_leftovers() const;
    void write_metadata() const;

    const RunRequest& request_;
    comm::Communicator& ranks_;
    Observer& observer_;
    std::optional<runtime::SignalGuard> signals_;  // while the engine works
    runtime::ThreadTeam threads_;
    runtime::Team team_;
    std::filesystem::path output_;
    std::vector<std::filesystem::path> folders_;
    OutputLock lock_;
    Problems problems_;
    Digest input_digest_{};
    formats::OutputMetadata metadata_;
    bool is_claimed_ = false;
    bool has_ended_early_ = false;
    bool has_losses_ = false;
    bool has_metrics_trouble_ = false;
};

}  // namespace lockstep::app
