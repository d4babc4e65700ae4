#include "sddp/passes/backward_pass.hpp"

#include <algorithm>

#include "lockstep/base/index.hpp"

#include "sddp/passes/risk.hpp"

namespace lockstep::sddp {

namespace {

/// New cuts of one stage, one slot a trial point: intercept, then slopes; behind them, where
/// bounds are made apart, intercept and slopes by carried states of the bounding cut.
class CutSlots {
public:
    CutSlots(const Engine& engine, std::ptrdiff_t count)
        : cut_(engine.state_size() + 1),
          width_(cut_ + (engine.bounds_apart() ? engine.carried() + 1 : 0)),
          values_(width_ * static_cast<std::size_t>(count)) {}
    std::span<double> cut(std::ptrdiff_t item) noexcept { return {slot(item), cut_}; }
    std::span<double> bounding(std::ptrdiff_t item) noexcept {
        return {slot(item) + cut_, width_ - cut_};
    }
    [[nodiscard]] std::span<const double> all() const noexcept { return values_; }
    [[nodiscard]] std::span<double> all() noexcept { return values_; }
    [[nodiscard]] std::size_t width() const noexcept { return width_; }

private:
    double* slot(std::ptrdiff_t item) noexcept {
        return values_.data() + static_cast<std::size_t>(item) * width_;
    }
    std::size_t cut_;
    std::size_t width_;
    std::vector<double> values_;
};

/// Affine functions of some states, one for each opening of a stage and each trial point of this
/// rank: the value at the trial point and the slopes.
class Outcomes {
public:
    Outcomes(std::size_t slopes, std::size_t openings, std::ptrdiff_t trials)
        : width_(slopes),
          openings_(openings),
          values_(openings * static_cast<std::size_t>(trials)),
          slopes_(values_.size() * slopes) {}
    double& value(std::ptrdiff_t trial, int opening) noexcept {
        return values_[index(trial, opening)];
    }
    [[nodiscard]] std::span<const double> values(std::ptrdiff_t trial) const noexcept {
        return {values_.data() + index(trial, 0), openings_};
    }
    std::span<double> slopes(std::ptrdiff_t trial, int opening) noexcept {
        return {slopes_.data() + index(trial, opening) * width_, width_};
    }
    /// Means with `weight` over the openings: the value, then the slopes.
    void mean(std::ptrdiff_t trial, std::span<const double> weight, std::span<double> into) {
        std::fill(into.begin(), into.end(), 0.0);
        into[0] = weighted_sum(weight, values(trial));
        for (std::size_t w = 0; w < openings_; ++w) {
            const auto slope = slopes(trial, static_cast<int>(w));
            for (std::size_t j = 0; j < width_; ++j) {
                into[1 + j] += weight[w] * slope[j];
            }
        }
    }

private:
    [[nodiscard]] std::size_t index(std::ptrdiff_t trial, int opening) const noexcept {
        return static_cast<std::size_t>(trial) * openings_ + at(opening);
    }
    std::size_t width_;
    std::size_t openings_;
    std::vector<double> values_;
    std::vector<double> slopes_;
};

/// Costs and their slopes, and, where bounds are made apart, what bounds them by carried states.
struct Solved {
    Solved(const Engine& engine, std::size_t openings, std::ptrdiff_t trials)
        : costs(engine.state_size(), openings, trials),
          bounds(engine.carried(), openings, engine.bounds_apart() ? trials : 0) {}
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

// Solves a part of the path through the openings of a stage at one state.
void solve_openings(Engine& engine,
                    UnitName name,
                    std::span<const double> incoming,
                    std::span<const int> openings,
                    const StoredBasis& basis,
                    Worker& worker,
                    std::span<std::uint64_t> active,
                    std::ptrdiff_t trial,
                    Solved& solved) {
    worker.solver.begin(engine.unit(name.stage, &basis, incoming));
    for (const int opening : openings) {
        name.opening = opening;
        const auto noise = engine.model.noise(name.stage, opening);
        const auto status = engine.solve(worker, name.stage, incoming, noise);
        require_optimal(status, name, worker.solver, engine.setup);
        solved.costs.value(trial, opening) = worker.solver.objective();
        worker.solver.gradient(solved.costs.slopes(trial, opening));
        if (engine.bounds_apart()) {
            solved.bounds.value(trial, opening) =
                worker.solver.bound(*worker.outcome, solved.bounds.slopes(trial, opening));
        }
        worker.solver.mark_active(active);
        engine.tally.add_backward(worker.thread, name.stage, opening, worker.solver.take_work());
    }
}

// The intercept from the value at a state.
void move_to_origin(std::span<double> cut, std::span<const double> state) {
    for (std::size_t j = 0; j < state.size(); ++j) {
        cut[0] -= cut[1 + j] * state[j];
    }
}

// Slopes by states that cuts of the pool before the stage may not use.
void drop_slopes(const Model& model, int stage, std::size_t first_state, std::span<double> slopes) {
    for (std::size_t j = 0; j < slopes.size(); ++j) {
        if (!model.is_in_cuts(stage, static_cast<int>(first_state + j))) {
            slopes[j] = 0;
        }
    }
}

// Equations (2) and (3): the cut of stage t - 1 has risk-weighted means over the openings of stage
// t. The bounding cut has the same slopes by the decided states.
void aggregate(const Engine& engine,
               int stage,
               std::span<const double> incoming,
               std::ptrdiff_t trial,
               Solved& solved,
               Worker& worker,
               CutSlots& slots) {
    const auto costs = solved.costs.values(trial);
    const auto weight = std::span<double>(worker.weight).first(costs.size());
    risk_weights(engine.model.risk(stage), costs, weight);
    const auto cut = slots.cut(trial);
    solved.costs.mean(trial, weight, cut);
    drop_slopes(engine.model, stage, 0, cut.subspan(1));
    move_to_origin(cut, incoming);
    if (!engine.bounds_apart()) {
        return;
    }
    const auto bounding = slots.bounding(trial);
    solved.bounds.mean(trial, weight, bounding);
    drop_slopes(engine.model, stage, engine.decided(), bounding.subspan(1));
    move_to_origin(bounding, incoming.subspan(engine.decided()));
    for (std::size_t s = 0; s < engine.decided(); ++s) {
        bounding[0] -= cut[1 + s] * incoming[s];
    }
}

void add_cuts(Engine& engine, int stage, int iteration, CutSlots& slots, int trials) {
    std::vector<double> slopes(engine.state_size());
    for (int m = 0; m < trials; ++m) {
        const auto cut = slots.cut(m);
        engine.pools[at(stage)].add(cut[0], cut.subspan(1), iteration, m);
        if (!engine.bounds_apart()) {
            continue;
        }
        const auto bounding = slots.bounding(m);
        std::copy(cut.begin() + 1, cut.end(), slopes.begin());
        std::copy(bounding.begin() + 1, bounding.end(), slopes.end() - std::ssize(bounding) + 1);
        engine.bounding_pools[at(stage)].add(bounding[0], slopes, iteration, m);
    }
}

void exchange_cuts(Engine& engine,
                   int stage,
                   int iteration,
                   const Trajectories& trajectories,
                   const CutSlots& slots) {
    auto& ranks = engine.team.ranks;
    CutSlots all(engine, trajectories.total());
    ranks.allgatherv(slots.all(),
                     all.all(),
                     trajectories.partition().layout(static_cast<std::int64_t>(slots.width())));
    add_cuts(engine, stage, iteration, all, trajectories.total());
    engine.cut_memory.publish();
}

/// The backward pass at one stage.
class Sweep {
public:
    Sweep(Engine& engine, int iteration, int stage, Trajectories& trajectories)
        : engine_(engine),
          iteration_(iteration),
          stage_(stage),
          trajectories_(trajectories),
          path_(engine.opening_orders[at(stage)]),
          parts_(parts_of_path(trajectories.total(), static_cast<int>(path_.size()))),
          solved_(engine, path_.size(), trajectories.count()) {
        engine.activity.begin(stage, engine.pools[at(stage)].size());
    }

    std::optional<Failure> solve() {
        return engine_.run(
            trajectories_.first() * parts_,
            trajectories_.count() * parts_,
            [this](std::ptrdiff_t item, Worker& worker) { solve_part(item, worker); });
    }

    void aggregate_into(CutSlots& slots) {
        engine_.team.threads.parallel_for(
            trajectories_.count(), [&](std::ptrdiff_t trial, int thread) {
                aggregate(engine_,
                          stage_,
                          trajectories_.state(stage_ - 1, trajectories_.first() + trial),
                          trial,
                          solved_,
                          engine_.workers[thread],
                          slots);
            });
    }

    void exchange(const CutSlots& slots) {
        exchange_cuts(engine_, stage_ - 1, iteration_, trajectories_, slots);
    }

private:
    void solve_part(std::ptrdiff_t item, Worker& worker) {
        const auto trial = item / parts_;
        const auto part = runtime::block_of(
            static_cast<std::ptrdiff_t>(path_.size()), static_cast<int>(item % parts_), parts_);
        const auto trajectory = trajectories_.first() + trial;
        solve_openings(engine_,
                       {Phase::backward, iteration_, stage_, static_cast<int>(trajectory)},
                       trajectories_.state(stage_ - 1, trajectory),
                       path_.subspan(static_cast<std::size_t>(part.begin),
                                     static_cast<std::size_t>(part.size())),
                       trajectories_.found(stage_, trajectory),
                       worker,
                       engine_.activity.of(stage_, worker.thread),
                       trial,
                       solved_);
    }

    Engine& engine_;
    int iteration_;
    int stage_;
    Trajectories& trajectories_;
    std::span<const int> path_;
    int parts_;
    Solved solved_;
};

std::optional<Failure> sweep_back(Engine& engine, int iteration, Trajectories& trajectories) {
    CutSlots slots(engine, trajectories.count());
    for (int t = engine.stage_count() - 1; t > 0; --t) {
        engine.refresh_working_set(t, iteration);
        Sweep sweep(engine, iteration, t, trajectories);
        if (auto failure = sweep.solve()) {
            return failure;
        }
        sweep.aggregate_into(slots);
        sweep.exchange(slots);
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
