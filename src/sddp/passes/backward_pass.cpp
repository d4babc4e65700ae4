#include "sddp/passes/backward_pass.hpp"

#include <algorithm>

#include "lockstep/base/index.hpp"

#include "sddp/passes/risk.hpp"

namespace lockstep::sddp {

namespace {

/// New cuts of one level, as many slots a trial point as it gives cuts: intercept, then slopes;
/// behind them, where bounds are made apart, intercept and slopes by carried states of the bounding
/// cut.
class CutSlots {
public:
    CutSlots(const Engine& engine, int cuts_a_point, std::ptrdiff_t count)
        : cut_(engine.state_size() + 1),
          slot_(cut_ + (engine.bounds_apart() ? engine.carried() + 1 : 0)),
          width_(slot_ * at(cuts_a_point)),
          values_(width_ * static_cast<std::size_t>(count)) {}
    std::span<double> cut(std::ptrdiff_t item, std::size_t number) noexcept {
        return {slot(item, number), cut_};
    }
    std::span<double> bounding(std::ptrdiff_t item, std::size_t number) noexcept {
        return {slot(item, number) + cut_, slot_ - cut_};
    }
    [[nodiscard]] std::span<const double> all() const noexcept { return values_; }
    [[nodiscard]] std::span<double> all() noexcept { return values_; }
    [[nodiscard]] std::size_t width() const noexcept { return width_; }

private:
    double* slot(std::ptrdiff_t item, std::size_t number) noexcept {
        return values_.data() + static_cast<std::size_t>(item) * width_ + number * slot_;
    }
    std::size_t cut_;
    std::size_t slot_;
    std::size_t width_;  // of a trial point
    std::vector<double> values_;
};

/// Affine functions of some states: of each trial point of this rank one for each outcome that may
/// follow it, the value at the trial point and the slopes.
class Outcomes {
public:
    /// @param first  [trials + 1], number of a trial point's first outcome
    Outcomes(std::size_t slopes, const std::vector<std::size_t>& first)
        : first_(first), width_(slopes), values_(first.back()), slopes_(first.back() * slopes) {}
    double& value(std::ptrdiff_t trial, std::size_t outcome) noexcept {
        return values_[first_[at(trial)] + outcome];
    }
    [[nodiscard]] std::span<const double> values(std::ptrdiff_t trial) const noexcept {
        return std::span(values_).subspan(first_[at(trial)],
                                          first_[at(trial) + 1] - first_[at(trial)]);
    }
    std::span<double> slopes(std::ptrdiff_t trial, std::size_t outcome) noexcept {
        return {slopes_.data() + (first_[at(trial)] + outcome) * width_, width_};
    }
    /// Of one outcome: the value, then the slopes.
    void copy(std::ptrdiff_t trial, std::size_t outcome, std::span<double> into) {
        into[0] = value(trial, outcome);
        std::ranges::copy(slopes(trial, outcome), into.begin() + 1);
    }
    /// Means with `weight` over the outcomes: the value, then the slopes.
    void mean(std::ptrdiff_t trial, std::span<const double> weight, std::span<double> into) {
        std::fill(into.begin(), into.end(), 0.0);
        into[0] = weighted_sum(weight, values(trial));
        for (std::size_t w = 0; w < weight.size(); ++w) {
            const auto slope = slopes(trial, w);
            for (std::size_t j = 0; j < width_; ++j) {
                into[1 + j] += weight[w] * slope[j];
            }
        }
    }

private:
    std::vector<std::size_t> first_;
    std::size_t width_;
    std::vector<double> values_;
    std::vector<double> slopes_;
};

/// Costs and their slopes, and, where bounds are made apart, what bounds them by carried states.
struct Solved {
    Solved(const Engine& engine, const std::vector<std::size_t>& first)
        : costs(engine.state_size(), first),
          bounds(engine.carried(),
                 engine.bounds_apart() ? first : std::vector<std::size_t>(first.size(), 0)) {}
    Outcomes costs;
    Outcomes bounds;
};

// With few trial points the path through the openings is cut into parts, each a unit of its own, so
// that threads find work. A function of the problem and the options alone, like every unit.
int parts_of_path(int trials, int openings) {
    constexpr int enough_units = 8;
    constexpr int shortest_part = 2;
    return std::clamp(
        (enough_units + trials - 1) / trials, 1, std::max(1, openings / shortest_part));
}

/// A unit of work: a part of the path through the outcomes of a node that follows a trial point.
struct Unit {
    std::ptrdiff_t trial = 0;  ///< of this rank's
    int node = 0;
    std::size_t first_outcome = 0;  ///< number of the node's first, among all that may follow
    std::span<const int> path;
};

// The intercept from the value at a state.
void move_to_origin(std::span<double> cut, std::span<const double> state) {
    for (std::size_t j = 0; j < state.size(); ++j) {
        cut[0] -= cut[1 + j] * state[j];
    }
}

// Slopes by states that cuts after the node may not use.
void drop_slopes(const Model& model, int node, std::size_t first_state, std::span<double> slopes) {
    for (std::size_t j = 0; j < slopes.size(); ++j) {
        if (!model.is_in_cuts(node, static_cast<int>(first_state + j))) {
            slopes[j] = 0;
        }
    }
}

// From values and slopes at a state to a cut, and the one that bounds with the same slopes by the
// decided states.
void finish(const Engine& engine,
            int node,
            std::span<const double> state,
            std::span<double> cut,
            std::span<double> bounding) {
    drop_slopes(engine.model, node, 0, cut.subspan(1));
    move_to_origin(cut, state);
    if (!engine.bounds_apart()) {
        return;
    }
    drop_slopes(engine.model, node, engine.decided(), bounding.subspan(1));
    move_to_origin(bounding, state.subspan(engine.decided()));
    for (std::size_t s = 0; s < engine.decided(); ++s) {
        bounding[0] -= cut[1 + s] * state[s];
    }
}

// Equations (2) and (3): the cut after a node has risk-weighted means over the outcomes of all
// nodes that may follow.
void aggregate(const Engine& engine,
               int node,
               std::span<const double> state,
               std::ptrdiff_t trial,
               Solved& solved,
               Worker& worker,
               CutSlots& slots) {
    const auto& probability = engine.probabilities[at(node)];
    const auto weight = std::span<double>(worker.weight).first(probability.size());
    const auto offset = risk_weights(
        engine.model.risk_after(node), probability, solved.costs.values(trial), weight);
    const auto cut = slots.cut(trial, 0);
    const auto bounding = slots.bounding(trial, 0);
    solved.costs.mean(trial, weight, cut);
    cut[0] += offset;
    if (engine.bounds_apart()) {
        solved.bounds.mean(trial, weight, bounding);
        bounding[0] += offset;
    }
    finish(engine, node, state, cut, bounding);
}

// With a future cost for each outcome the LP weighs them itself.
void keep_apart(const Engine& engine,
                int node,
                std::span<const double> state,
                std::ptrdiff_t trial,
                Solved& solved,
                CutSlots& slots) {
    for (std::size_t w = 0; w < at(engine.cuts_a_point(node)); ++w) {
        const auto cut = slots.cut(trial, w);
        const auto bounding = slots.bounding(trial, w);
        solved.costs.copy(trial, w, cut);
        if (engine.bounds_apart()) {
            solved.bounds.copy(trial, w, bounding);
        }
        finish(engine, node, state, cut, bounding);
    }
}

void add_cuts(Engine& engine, int node, int iteration, int trial, CutSlots& slots) {
    const bool is_single = engine.model.lp(node).outcome_theta.empty();
    for (int w = 0; w < engine.cuts_a_point(node); ++w) {
        const int outcome = is_single ? -1 : w;
        const auto cut = slots.cut(trial, at(w));
        engine.pools[at(node)].add(cut[0], cut.subspan(1), iteration, trial, outcome);
        if (!engine.bounds_apart()) {
            continue;
        }
        const auto bounding = slots.bounding(trial, at(w));
        std::vector<double> slopes(cut.begin() + 1, cut.end());
        std::copy(bounding.begin() + 1, bounding.end(), slopes.end() - std::ssize(bounding) + 1);
        engine.bounding_pools[at(node)].add(bounding[0], slopes, iteration, trial, outcome);
    }
}

/// The backward pass from the nodes that follow those of a stage to its trial points.
class Sweep {
public:
    /// @param level  stage of the trial points
    Sweep(Engine& engine, int iteration, int level, Trajectories& trajectories)
        : engine_(engine),
          iteration_(iteration),
          level_(level),
          stage_(engine.graph().stage_after(level)),
          trajectories_(trajectories),
          own_(trajectories.own(level)),
          solved_(engine, list_units()) {
        const auto& graph = engine.graph();
        for (int m = graph.first(stage_); m < graph.first(stage_) + graph.width(stage_); ++m) {
            engine.refresh_working_set(m, iteration);
            engine.activity.begin(m, engine.pools[at(m)].size());
        }
    }

    std::optional<Failure> solve() {
        return engine_.run(first_unit_, std::ssize(units_), [this](std::ptrdiff_t item, Worker& w) {
            solve_unit(units_[at(item)], w);
        });
    }

    void make_cuts() {
        CutSlots mine(engine_, cuts_a_point(), own_.size());
        engine_.team.threads.parallel_for(own_.size(), [&](std::ptrdiff_t trial, int thread) {
            const int node = node_before(trial);
            const auto state = trajectories_.state(level_, own_.begin + trial);
            if (engine_.model.lp(node).outcome_theta.empty()) {
                aggregate(engine_, node, state, trial, solved_, engine_.workers[thread], mine);
            } else {
                keep_apart(engine_, node, state, trial, solved_, mine);
            }
        });
        exchange(mine);
    }

private:
    [[nodiscard]] int cuts_a_point() const {
        const auto& graph = engine_.graph();
        int most = 1;
        for (int n = graph.first(level_); n < graph.first(level_) + graph.width(level_); ++n) {
            most = std::max(most, engine_.cuts_a_point(n));
        }
        return most;
    }
    [[nodiscard]] int node_before(std::ptrdiff_t trial) const noexcept {
        return trajectories_.node(level_, own_.begin + trial);
    }

    // Lists this rank's units.
    // @return  number of each trial point's first outcome, and of all
    std::vector<std::size_t> list_units() {
        std::vector<std::size_t> first{0};
        for (int point = 0; point < trajectories_.total(level_); ++point) {
            const bool is_own = point >= own_.begin && point < own_.end;
            first_unit_ += point < own_.begin ? count_units(point) : 0;
            if (is_own) {
                first.push_back(first.back() + add_units(point));
            }
        }
        return first;
    }
    [[nodiscard]] int parts(int node) const {
        return parts_of_path(trajectories_.total(level_),
                             static_cast<int>(engine_.opening_orders[at(node)].size()));
    }
    [[nodiscard]] std::ptrdiff_t count_units(int point) const {
        std::ptrdiff_t count = 0;
        for (const auto& arc : engine_.graph().after(trajectories_.node(level_, point))) {
            count += parts(arc.to);
        }
        return count;
    }
    std::size_t add_units(int point) {
        std::size_t outcomes = 0;
        for (const auto& arc : engine_.graph().after(trajectories_.node(level_, point))) {
            const std::span<const int> path = engine_.opening_orders[at(arc.to)];
            for (int p = 0; p < parts(arc.to); ++p) {
                const auto part = runtime::block_of(std::ssize(path), p, parts(arc.to));
                units_.push_back({point - own_.begin,
                                  arc.to,
                                  outcomes,
                                  path.subspan(at(part.begin), at(part.size()))});
            }
            outcomes += path.size();
        }
        return outcomes;
    }

    void solve_unit(const Unit& unit, Worker& worker) {
        const auto point = own_.begin + unit.trial;
        const auto state = trajectories_.state(level_, point);
        worker.solver.begin(
            engine_.unit(unit.node, &trajectories_.start_after(unit.node, point), state));
        for (const int opening : unit.path) {
            solve_opening(unit, opening, state, worker);
        }
    }
    void solve_opening(const Unit& unit,
                       int opening,
                       std::span<const double> state,
                       Worker& worker) {
        const auto outcome = unit.first_outcome + at(opening);
        const auto trial = static_cast<int>(own_.begin + unit.trial);
        const auto status =
            engine_.solve(worker, unit.node, state, engine_.model.noise(unit.node, opening));
        require_optimal(status,
                        {Phase::backward, iteration_, stage_, trial, opening},
                        worker.solver,
                        engine_.setup);
        solved_.costs.value(unit.trial, outcome) = worker.solver.objective();
        worker.solver.gradient(solved_.costs.slopes(unit.trial, outcome));
        if (engine_.bounds_apart()) {
            solved_.bounds.value(unit.trial, outcome) =
                worker.solver.bound(*worker.outcome, solved_.bounds.slopes(unit.trial, outcome));
        }
        worker.solver.mark_active(engine_.activity.of(unit.node, worker.thread));
        engine_.tally.add_backward(worker.thread, stage_, opening, worker.solver.take_work());
    }

    void exchange(const CutSlots& mine) {
        const int trials = trajectories_.total(level_);
        CutSlots all(engine_, cuts_a_point(), trials);
        engine_.team.ranks.allgatherv(
            mine.all(),
            all.all(),
            trajectories_.partition(level_).layout(static_cast<std::int64_t>(mine.width())));
        for (int point = 0; point < trials; ++point) {
            add_cuts(engine_, trajectories_.node(level_, point), iteration_, point, all);
        }
        engine_.cut_memory.publish();
    }

    Engine& engine_;
    int iteration_;
    int level_;  // stage of the trial points
    int stage_;  // of what follows them
    Trajectories& trajectories_;
    runtime::BlockRange own_;
    std::vector<Unit> units_;
    std::ptrdiff_t first_unit_ = 0;  // as numbered over all ranks
    Solved solved_;
};

std::optional<Failure> sweep_back(Engine& engine, int iteration, Trajectories& trajectories) {
    for (int level = engine.graph().levels() - 1; level >= 0; --level) {
        Sweep sweep(engine, iteration, level, trajectories);
        if (auto failure = sweep.solve()) {
            return failure;
        }
        sweep.make_cuts();
    }
    return std::nullopt;
}

}  // namespace

std::optional<Failure> backward_pass(Engine& engine, int iteration, Trajectories& trajectories) {
    engine.cut_memory.open();
    auto failure = sweep_back(engine, iteration, trajectories);
    engine.cut_memory.close();
    return failure;
}

}  // namespace lockstep::sddp
