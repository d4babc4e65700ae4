#pragma once

#include <optional>
#include <vector>

#include "lockstep/base/stopwatch.hpp"
#include "lockstep/runtime/rounds.hpp"
#include "lockstep/sddp/train.hpp"

#include "sddp/passes/bounds/inner_bound.hpp"
#include "sddp/passes/bounds/lower_bound.hpp"
#include "sddp/passes/bounds/stopping.hpp"
#include "sddp/passes/cut_selector.hpp"
#include "sddp/passes/engine.hpp"
#include "sddp/passes/forward_pass.hpp"

namespace lockstep::sddp {

/// One training run; a round is an iteration.
class TrainingRounds final : private runtime::Rounds {
public:
    TrainingRounds(Model& model,
                   const TrainOptions& options,
                   runtime::Team& team,
                   Observer& observer,
                   const runtime::EngineState* resume_from,
                   EarlierTraining earlier = {});
    TrainResult run();

private:
    /// What a rank tells the others after an iteration.
    struct Note {
        double elapsed = 0;
        RankReport report;
    };

    void begin(std::int64_t round) override;
    void work() override;
    void confirm() override;
    void commit() override;
    bool is_over() override;
    void drop() override;
    void repartition() override;

    template <typename Phase>
    bool phase(PhaseReport& report, Phase&& run);
    void begin_with(EarlierTraining& earlier);
    void make_room();
    void keep_states();
    void add_starts();
    void add_bounds();
    void add_inner_bound();
    void add_policy_cost();
    [[nodiscard]] double cost_of_policy();
    /// Cuts that an iteration makes after a node, at most.
    [[nodiscard]] int cuts_a_node() const noexcept {
        return trajectories_.starts_a_node() * most_cuts_a_point_;
    }
    [[nodiscard]] RankReport own_report() const;
    [[nodiscard]] Progress progress(double elapsed_seconds) const;
    [[nodiscard]] std::optional<StopReason> stop_after(double elapsed_seconds,
                                                       bool is_wanted) const;
    [[nodiscard]] bool keeps_checkpoints() const;
    [[nodiscard]] bool is_checkpoint_due(double elapsed_seconds) const;
    void checkpoint(double elapsed_seconds);
    void restore();
    [[nodiscard]] double elapsed() const { return earlier_seconds_ + clock_.seconds(); }

    const TrainOptions& options_;
    runtime::Team& team_;
    Observer& observer_;
    const runtime::EngineState* resume_from_;
    Engine engine_;
    Trajectories trajectories_;
    int most_cuts_a_point_ = 1;
    LowerBound lower_bound_;
    CutSelector selector_;
    InnerBound inner_bound_;
    TrainResult result_;

    int iteration_ = 0;  // the last that was begun
    IterationReport pending_;
    std::optional<Failure> pending_failure_;
    std::vector<CutPool::Mark> marks_;  // [nodes], before the iteration
    std::vector<CutPool::Mark> bounding_marks_;
    std::vector<CutPool::Mark> visited_marks_;
    bool is_shared_ = false;   // with the present ranks of the node
    std::vector<Note> notes_;  // [ranks]
    std::int64_t own_solves_ = 0;

    Stopwatch clock_;
    double earlier_seconds_ = 0;  // of the runs before this was resumed
    Stopwatch iteration_clock_;
    comm::Traffic traffic_before_;  // at the start of the iteration
    double io_seconds_ = 0;
    double last_checkpoint_ = 0;  // elapsed seconds then
};

}  // namespace lockstep::sddp
