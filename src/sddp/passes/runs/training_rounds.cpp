#include "sddp/passes/runs/training_rounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include "lockstep/base/index.hpp"
#include "lockstep/runtime/sample_statistics.hpp"

#include "sddp/passes/backward_pass.hpp"
#include "sddp/passes/bounds/policy_cost.hpp"
#include "sddp/passes/bounds/stopping.hpp"
#include "sddp/passes/risk.hpp"
#include "sddp/passes/runs/option_checks.hpp"
#include "sddp/passes/runs/result_digest.hpp"
#include "sddp/passes/runs/simulation_start.hpp"
#include "sddp/passes/runs/training_snapshot.hpp"
#include "sddp/stage/scaling.hpp"

namespace lockstep::sddp {

namespace {

std::vector<CutPool::Mark> marks_of(const std::vector<CutPool>& pools) {
    std::vector<CutPool::Mark> marks;
    for (const auto& pool : pools) {
        marks.push_back(pool.mark());
    }
    return marks;
}

const TrainOptions& fitting(const Model& model, const TrainOptions& options) {
    require_fit(model, options);
    return options;
}

bool is_due(int first, int every, int iteration) {
    return every > 0 && iteration >= first && (iteration - first) % every == 0;
}

void rewind(std::vector<CutPool>& pools, const std::vector<CutPool::Mark>& marks) {
    for (std::size_t n = 0; n < marks.size(); ++n) {
        pools[n].rewind(marks[n]);
    }
}

}  // namespace

TrainingRounds::TrainingRounds(Model& model,
                               const TrainOptions& options,
                               runtime::Team& team,
                               Observer& observer,
                               const runtime::EngineState* resume_from,
                               EarlierTraining earlier)
    : options_(fitting(model, options)),
      team_(team),
      observer_(observer),
      resume_from_(resume_from),
      engine_(model,
              {options.solver, options.tolerances, options.speed, options.forward},
              team,
              options.keep_states || options.selection.needs_states() || options.inner.every > 0),
      trajectories_(engine_, options.enumerated ? 0 : options.forward_passes),
      lower_bound_(engine_),
      selector_(options.selection, engine_.node_count()),
      inner_bound_(engine_, options.inner) {
    engine_.inner_values.resize(options.inner.every > 0 ? at(engine_.node_count()) : 0);
    for (int node = 0; node < engine_.node_count(); ++node) {
        most_cuts_a_point_ = std::max(most_cuts_a_point_, engine_.cuts_a_point(node));
    }

    if (resume_from != nullptr) {
        return;
    }
    if (!earlier.policy.stages.empty()) {
        begin_with(earlier);
    }
    const auto pilot = engine_.pilot_bases();
    for (int node = 0; node < engine_.node_count(); ++node) {
        for (int number = 0; number < trajectories_.starts_a_node(); ++number) {
            trajectories_.start(node, number) = pilot[at(node)];
        }
    }
    engine_.take_work();
}

// Cuts of an earlier training are of no iteration that is still to come.
void TrainingRounds::begin_with(EarlierTraining& earlier) {
    result_.earlier_bounds = std::move(earlier.lower_bounds);
    iteration_ = result_.completed();
    for (auto* cuts : {&earlier.policy.stages, &earlier.policy.bounding}) {
        for (auto& stage : *cuts) {
            for (auto& iteration : stage.iteration) {
                iteration = std::clamp(iteration, 0, iteration_);
            }
        }
    }
    engine_.take(earlier.policy);
    engine_.take_bounds(earlier.policy);
}

TrainResult TrainingRounds::run() {
    if (resume_from_ != nullptr) {
        runtime::run_section(team_.ranks, team_.survival, [&] { restore(); });
    }
    runtime::run_rounds(team_, iteration_, *this);
    for (const auto& pool : engine_.pools) {
        result_.policy.stages.push_back(pool.to_policy());
    }
    for (const auto& pool : engine_.bounding_pools) {
        result_.policy.bounding.push_back(pool.to_policy());
    }
    if (options_.keep_states) {
        for (const auto& pool : engine_.visited) {
            auto rows = pool.to_policy();
            result_.policy.visited.push_back({rows.slopes, rows.iteration, rows.trajectory});
        }
    }
    add_starts();
    if (!result_.earlier_bounds.empty()) {
        result_.lower_bound = result_.earlier_bounds.back();
    }
    if (!result_.iterations.empty()) {
        result_.lower_bound = result_.iterations.back().lower_bound;
        result_.upper_bound = result_.iterations.back().upper_bound;
        result_.has_converged = has_converged(options_, progress(elapsed()));
    }
    for (int t = 0; t < engine_.stage_count(); ++t) {
        result_.scaling.push_back(scaling_of(engine_.model.lp(engine_.graph().first(t))));
    }
    if (engine_.graph().is_cyclic()) {
        result_.season_bounds = bounds_by_season(engine_);
    }
    result_.digest = digest_of(result_);
    result_.seconds = elapsed();
    return std::move(result_);
}

// As the next iteration would start.
void TrainingRounds::add_starts() {
    if (result_.iterations.empty()) {
        return;
    }
    const int last = result_.iterations.back().iteration;
    for (int node = 0; node < engine_.node_count(); ++node) {
        engine_.refresh_working_set(node, last + 1);
        SimulationStart start{engine_.working_sets[at(node)], {}};
        const int kept = std::min(trajectories_.starts_a_node(), most_start_bases);
        for (int number = 0; number < kept; ++number) {
            start.bases.push_back(trajectories_.start(node, number));
        }
        ByteWriter out;
        pack(start, out);
        result_.policy.starts.push_back(out.take());
    }
}

void TrainingRounds::begin(std::int64_t round) {
    iteration_ = static_cast<int>(round);
    marks_ = marks_of(engine_.pools);
    bounding_marks_ = marks_of(engine_.bounding_pools);
    visited_marks_ = marks_of(engine_.visited);
    iteration_clock_ = {};
    traffic_before_ = team_.ranks.traffic();
}

void TrainingRounds::drop() {
    rewind(engine_.pools, marks_);
    rewind(engine_.bounding_pools, bounding_marks_);
    rewind(engine_.visited, visited_marks_);
    for (std::size_t n = 0; n < engine_.inner_values.size(); ++n) {
        auto& values = engine_.inner_values[n];
        values.resize(std::min(values.size(), at(visited_marks_[n].size)));
    }
    selector_.forget();
    pending_failure_.reset();
    engine_.take_work();
}

void TrainingRounds::repartition() {
    is_shared_ = false;
    trajectories_.repartition(team_.ranks);
    selector_.forget();
}

template <typename Phase>
bool TrainingRounds::phase(PhaseReport& report, Phase&& run) {
    const Stopwatch clock;
    pending_failure_ = run();
    report = engine_.take_work();
    report.wall_seconds = clock.seconds();
    return !pending_failure_;
}

void TrainingRounds::work() {
    pending_ = {};
    engine_.tally.clear();
    make_room();
    for (int node = 0; node < engine_.node_count(); ++node) {
        engine_.refresh_working_set(node, iteration_);
    }
    const bool done =
        phase(pending_.forward, [&] { return forward_pass(engine_, iteration_, trajectories_); }) &&
        phase(pending_.backward,
              [&] { return backward_pass(engine_, iteration_, trajectories_); }) &&
        phase(pending_.bound,
              [&] { return lower_bound_.evaluate(engine_, iteration_, pending_.lower_bound); });
    own_solves_ = pending_.forward.solves + pending_.backward.solves + pending_.bound.solves;
    const std::array phases{&pending_.forward, &pending_.backward, &pending_.bound};
    exchange_counts(team_.ranks, phases);
    if (!done) {
        return;
    }
    pending_.work = engine_.tally.exchange(team_.ranks);
    engine_.activity.exchange(engine_.pools, iteration_, team_.ranks);
    keep_states();
    pending_.selection = selector_.select(engine_, iteration_);
    add_bounds();
    add_inner_bound();
    add_policy_cost();
}

void TrainingRounds::make_room() {
    const auto pools = engine_.growing_pools();
    if (is_shared_) {
        engine_.cut_memory.reserve(pools, cuts_a_node());
        engine_.visited_memory.reserve(engine_.growing_visited(), cuts_a_node());
    } else {
        engine_.place(Engine::Cuts::move, cuts_a_node());
    }
    is_shared_ = true;
    for (auto& pool : pools) {
        pool.reserve(cuts_a_node());
    }
    for (auto& pool : engine_.bounding_pools) {
        pool.reserve(cuts_a_node());
    }
    for (auto& pool : engine_.growing_visited()) {
        pool.reserve(cuts_a_node());
    }
}

void TrainingRounds::keep_states() {
    if (!engine_.keeps_states()) {
        return;
    }
    engine_.visited_memory.open();
    const auto width = engine_.state_size();
    for (int t = 0; t < engine_.graph().levels(); ++t) {
        const auto states = trajectories_.gather_states(team_.ranks, t);
        for (int point = 0; point < trajectories_.total(t); ++point) {
            engine_.visited[at(trajectories_.node(t, point))].add(
                0, std::span(states).subspan(at(point) * width, width), iteration_, point);
        }
    }
    engine_.visited_memory.close();
}

void TrainingRounds::add_bounds() {
    auto& now = pending_;
    now.iteration = iteration_;
    if (trajectories_.is_enumerated()) {
        now.is_upper_bound_exact = true;
        now.upper_bound = cost_of_policy();
    } else {
        const auto sample = runtime::sample_of(trajectories_.gather_costs(team_.ranks));
        now.upper_bound = sample.mean;
        now.upper_bound_std = sample.std;
        now.half_width_95 = sample.half_width_95;
    }
    now.gap = (now.upper_bound - now.lower_bound) / std::max(1.0, std::abs(now.lower_bound));
    for (std::size_t n = 0; n < engine_.pools.size(); ++n) {
        now.cuts_added += engine_.pools[n].size() - marks_[n].size;
        now.cuts_active += engine_.pools[n].selected_count();
    }
    now.mean_cuts_in_lp = static_cast<double>(now.backward.resident_cuts) /
                          static_cast<double>(std::max<std::int64_t>(now.backward.units, 1));
}

void TrainingRounds::add_inner_bound() {
    const auto& earlier = result_.iterations;
    pending_.inner_bound = earlier.empty() ? lp::infinity : earlier.back().inner_bound;
    if (!is_due(options_.inner.first, options_.inner.every, iteration_)) {
        return;
    }
    const Stopwatch clock;
    pending_.inner_bound =
        std::min(pending_.inner_bound, inner_bound_.evaluate(engine_, iteration_));
    engine_.take_work();
    pending_.inner_seconds = clock.seconds();
}

void TrainingRounds::add_policy_cost() {
    const auto& wanted = options_.policy_cost;
    if (!result_.iterations.empty()) {
        const auto& last = result_.iterations.back();
        pending_.policy_cost = last.policy_cost;
        pending_.policy_cost_half_width_95 = last.policy_cost_half_width_95;
    }
    if (!is_due(wanted.first, wanted.every, iteration_)) {
        return;
    }
    const Stopwatch clock;
    runtime::Sample estimate;
    pending_failure_ =
        estimate_policy_cost(engine_, iteration_, wanted.paths, trajectories_, estimate);
    engine_.take_work();
    pending_.policy_cost = estimate.mean;
    pending_.policy_cost_half_width_95 = estimate.half_width_95;
    pending_.policy_cost_seconds = clock.seconds();
}

// What the decisions of the forward pass cost: the risk measures over the tree, one in the other.
double TrainingRounds::cost_of_policy() {
    const auto& graph = engine_.graph();
    std::vector<double> value(trajectories_.costs().begin(), trajectories_.costs().end());
    for (int node = graph.nodes() - 1; node >= 0; --node) {
        if (graph.is_leaf(node)) {
            continue;
        }
        std::vector<double> after;
        for (const auto& arc : graph.after(node)) {
            after.push_back(value[at(arc.to)]);
        }
        value[at(node)] +=
            engine_.model.lp(node).discount *
            risk_of(engine_.model.risk_after(node), engine_.probabilities[at(node)], after);
    }
    return value.front();
}

RankReport TrainingRounds::own_report() const {
    RankReport report;
    static_cast<runtime::RankReport&>(report) = runtime::rank_report(
        team_.ranks.traffic(), traffic_before_, iteration_clock_.seconds(), io_seconds_);
    report.borrowed_bytes = engine_.borrowed_bytes();
    report.solves = own_solves_;
    report.trajectories = trajectories_.own(engine_.stage_count() - 1).size();
    report.forward_seconds = pending_.forward.wall_seconds;
    report.backward_seconds = pending_.backward.wall_seconds;
    report.bound_seconds = pending_.bound.wall_seconds;
    return report;
}

void TrainingRounds::confirm() {
    const Note mine{elapsed(), own_report()};
    notes_.resize(static_cast<std::size_t>(team_.ranks.size()));
    team_.ranks.allgatherv(std::span<const Note>(&mine, 1),
                           std::span<Note>(notes_),
                           comm::Layout::blocks(team_.ranks.size(), 1, team_.ranks.size()));
}

void TrainingRounds::commit() {
    if (pending_failure_) {
        result_.failure = std::move(pending_failure_);
        pending_failure_.reset();
        return;
    }
    trajectories_.commit();
    lower_bound_.commit();
    io_seconds_ = 0;  // it has been told
    pending_.wall_seconds = iteration_clock_.seconds();
    pending_.elapsed_seconds = notes_.front().elapsed;
    std::vector<double> seconds;
    for (const auto& note : notes_) {
        pending_.ranks.push_back(note.report);
        seconds.push_back(note.report.compute_seconds);
    }
    trajectories_.learn(seconds, team_.ranks.rank());
    result_.iterations.push_back(pending_);
    observer_.on_iteration(result_.iterations.back());
}

// Clocks and signals differ between ranks, and after a loss what each has done since: what one of
// them wants becomes everybody's.
bool TrainingRounds::is_over() {
    const auto elapsed_seconds = notes_.front().elapsed;
    std::array<std::int32_t, 2> wishes{observer_.stop_requested() ? 1 : 0,
                                       is_checkpoint_due(elapsed_seconds) ? 1 : 0};
    team_.ranks.allreduce(std::span<std::int32_t>(wishes), comm::ReduceOp::max);
    const auto stop = stop_after(elapsed_seconds, wishes[0] != 0);
    if (stop) {
        result_.stop = *stop;
    }
    if (wishes[1] != 0 || (stop && keeps_checkpoints())) {
        checkpoint(elapsed_seconds);
    }
    return stop.has_value();
}

Progress TrainingRounds::progress(double elapsed_seconds) const {
    // The costs of a passage are no sample of what comes for ever.
    bool is_neutral = engine_.model.risk_at_root().is_neutral() && !engine_.graph().is_cyclic();
    for (int node = 0; node < engine_.graph().first(engine_.graph().levels()); ++node) {
        is_neutral = is_neutral && engine_.model.risk_after(node).is_neutral();
    }
    return {result_.iterations,
            elapsed_seconds,
            is_neutral,
            static_cast<int>(result_.earlier_bounds.size())};
}

std::optional<StopReason> TrainingRounds::stop_after(double elapsed_seconds, bool is_wanted) const {
    if (result_.failure) {
        return result_.failure->status == lp::Status::infeasible ? StopReason::infeasible
                                                                 : StopReason::numerical;
    }
    if (result_.completed() > 0) {
        if (const auto stop = should_stop(options_, progress(elapsed_seconds))) {
            return stop;
        }
    }
    return is_wanted ? std::optional(StopReason::cancelled) : std::nullopt;
}

bool TrainingRounds::keeps_checkpoints() const {
    return (options_.checkpoint_iterations > 0 || options_.checkpoint_seconds > 0) &&
           !result_.iterations.empty() && !result_.failure;
}

// Counts what is final: a rank that has come back from the next iteration has begun that one too.
bool TrainingRounds::is_checkpoint_due(double elapsed_seconds) const {
    if (!keeps_checkpoints()) {
        return false;
    }
    const auto done = result_.iterations.back().iteration;
    const auto iterations = options_.checkpoint_iterations;
    const auto seconds = options_.checkpoint_seconds;
    const auto first = options_.checkpoint_first > 0 ? options_.checkpoint_first : iterations;
    return (iterations > 0 && done >= first && (done - first) % iterations == 0) ||
           (seconds > 0 && elapsed_seconds - last_checkpoint_ >= seconds);
}

void TrainingRounds::checkpoint(double elapsed_seconds) {
    const Stopwatch clock;
    observer_.on_checkpoint(
        TrainingSnapshot(engine_, trajectories_, lower_bound_, result_, elapsed_seconds));
    last_checkpoint_ = elapsed_seconds;
    io_seconds_ = clock.seconds();
}

// Begins anew where a rank was lost meanwhile.
void TrainingRounds::restore() {
    repartition();
    const auto kept = restore_state(*resume_from_, engine_, trajectories_, lower_bound_);
    engine_.cut_memory.grow(engine_.growing_pools(), cuts_a_node());
    engine_.visited_memory.place(team_.node(), engine_.growing_visited(), cuts_a_node());
    engine_.place(Engine::Cuts::stay);
    is_shared_ = true;
    result_.iterations = kept.iterations;
    result_.earlier_bounds = kept.earlier_bounds;
    iteration_ = resume_from_->iteration();
    earlier_seconds_ = last_checkpoint_ = kept.elapsed_seconds;
}

}  // namespace lockstep::sddp
