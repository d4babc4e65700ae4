#include "sddp/passes/backward_pass.hpp"

#include <algorithm>

#include "lockstep/base/index.hpp"

#include "sddp/passes/risk.hpp"

namespace lockstep::sddp {

namespace {

/// New cuts of one stage, one slot a trial point: intercept, then slopes.
class CutSlots {
public:
    CutSlots(std::size_t state_size, std::ptrdiff_t count)
        : width_(state_size + 1), values_(width_ * static_cast<std::size_t>(count)) {}
    std::span<double> slot(std::ptrdiff_t item) noexcept {
        return {values_.data() + static_cast<std::size_t>(item) * width_, width_};
    }
    [[nodiscard]] std::span<const double> all() const noexcept { return values_; }
    [[nodiscard]] std::size_t width() const noexcept { return width_; }

private:
    std::size_t width_;
    std::vector<double> values_;
};

/// Costs and slopes of every opening of a stage at each trial point of this rank.
class Outcomes {
public:
    Outcomes(std::size_t state_size, std::size_t openings, std::ptrdiff_t trials)
        : width_(state_size),
          openings_(openings),
          costs_(openings * static_cast<std::size_t>(trials)),
          slopes_(costs_.size() * state_size) {}
    double& cost(std::ptrdiff_t trial, int opening) noexcept {
        return costs_[index(trial, opening)];
    }
    [[nodiscard]] std::span<const double> costs(std::ptrdiff_t trial) const noexcept {
        return {costs_.data() + index(trial, 0), openings_};
    }
    std::span<double> slopes(std::ptrdiff_t trial, int opening) noexcept {
        return {slopes_.data() + index(trial, opening) * width_, width_};
    }

private:
    [[nodiscard]] std::size_t index(std::ptrdiff_t trial, int opening) const noexcept {
        return static_cast<std::size_t>(trial) * openings_ + at(opening);
    }
    std::size_t width_;
    std::size_t openings_;
    std::vector<double> costs_;
    std::vector<double> slopes_;
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
                    Outcomes& outcomes) {
    const auto& problem = engine.problem;
    const auto hydros = at(problem.hydro_count());
    worker.solver.begin(engine.unit(name.stage, &basis, incoming));
    for (const int opening : openings) {
        name.opening = opening;
        realise(problem,
                name.stage,
                incoming.subspan(hydros),
                problem.process.tree.noise(name.stage, opening),
                worker.realisation);
        const auto status = worker.solver.solve(incoming.first(hydros), worker.realisation);
        require_optimal(status, name, worker.solver, engine.setup);
        outcomes.cost(trial, opening) = worker.solver.objective();
        worker.solver.gradient(outcomes.slopes(trial, opening));
        worker.solver.mark_active(active);
        engine.tally.add_backward(worker.thread, name.stage, opening, worker.solver.take_work());
    }
}

// The cut of stage t - 1: risk-weighted means over the openings of stage t. Slopes of a state
// family that cuts may not use are dropped, as the case asks.
void aggregate(const Engine& engine,
               int stage,
               std::span<const double> incoming,
               std::ptrdiff_t trial,
               Outcomes& outcomes,
               Worker& worker,
               std::span<double> cut) {
    const auto& problem = engine.problem;
    const auto& here = problem.calendar.stages[at(stage)];
    const auto costs = outcomes.costs(trial);
    const auto hydros = static_cast<std::ptrdiff_t>(problem.hydro_count());
    const auto weight = std::span<double>(worker.weight).first(costs.size());
    risk_weights(problem.calendar.stages[at(stage - 1)].risk, costs, weight);
    std::fill(cut.begin(), cut.end(), 0.0);
    cut[0] = weighted_sum(weight, costs);
    for (std::size_t w = 0; w < costs.size(); ++w) {
        const auto slopes = outcomes.slopes(trial, static_cast<int>(w));
        for (std::size_t j = 0; j < slopes.size(); ++j)
            cut[1 + j] += weight[w] * slopes[j];
    }
    if (!here.storage_in_cuts)
        std::fill(cut.begin() + 1, cut.begin() + 1 + hydros, 0.0);
    if (!here.lags_in_cuts)
        std::fill(cut.begin() + 1 + hydros, cut.end(), 0.0);
    for (std::size_t j = 0; j < incoming.size(); ++j)
        cut[0] -= cut[1 + j] * incoming[j];
}

void exchange_cuts(Engine& engine,
                   int stage,
                   int iteration,
                   const Trajectories& trajectories,
                   const CutSlots& slots) {
    auto& ranks = engine.team.ranks;
    CutSlots all(slots.width() - 1, trajectories.total());
    const auto room = all.slot(0);
    ranks.allgatherv(slots.all(),
                     std::span<double>(room.data(), all.all().size()),
                     trajectories.partition().layout(static_cast<std::int64_t>(slots.width())));
    auto& pool = engine.pools[at(stage)];
    for (int m = 0; m < trajectories.total(); ++m)
        pool.add(all.slot(m)[0], all.slot(m).subspan(1), iteration, m);
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
          outcomes_(engine.state_size(), path_.size(), trajectories.count()) {
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
                          outcomes_,
                          engine_.workers[thread],
                          slots.slot(trial));
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
                       outcomes_);
    }

    Engine& engine_;
    int iteration_;
    int stage_;
    Trajectories& trajectories_;
    std::span<const int> path_;
    int parts_;
    Outcomes outcomes_;
};

std::optional<Failure> sweep_back(Engine& engine, int iteration, Trajectories& trajectories) {
    CutSlots slots(engine.state_size(), trajectories.count());
    for (int t = engine.stage_count() - 1; t > 0; --t) {
        engine.refresh_working_set(t, iteration);
        Sweep sweep(engine, iteration, t, trajectories);
        if (auto failure = sweep.solve())
            return failure;
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
