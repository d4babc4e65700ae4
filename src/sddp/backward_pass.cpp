#include "sddp/backward_pass.hpp"

#include <chrono>

#include "sddp/activity.hpp"
#include "sddp/risk.hpp"

namespace lockstep::sddp {

namespace {

std::size_t at(int index) {
    return static_cast<std::size_t>(index);
}

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

// Solves every opening of stage t at one state; costs and slopes land by opening.
void solve_openings(Engine& engine,
                    const UnitName& name,
                    std::span<const double> incoming,
                    StoredBasis& basis,
                    Worker& worker,
                    std::span<std::uint64_t> active) {
    const auto& problem = engine.problem;
    const auto hydros = at(problem.hydro_count());
    const auto width = engine.state_size();
    worker.solver.begin(engine.unit(name.stage, &basis, incoming));
    for (const int opening : engine.opening_orders[at(name.stage)]) {
        realise(problem,
                name.stage,
                incoming.subspan(hydros),
                problem.process.tree.noise(name.stage, opening),
                worker.realisation);
        auto here = name;
        here.opening = opening;
        require_optimal(worker.solver.solve(incoming.first(hydros), worker.realisation),
                        here,
                        worker.solver,
                        engine.setup);
        worker.value[at(opening)] = worker.solver.objective();
        worker.solver.gradient(
            std::span<double>(worker.slopes).subspan(at(opening) * width, width));
        worker.solver.mark_active(active);
    }
}

// The cut of stage t - 1: risk-weighted means over the openings of stage t. Slopes of a state
// family that cuts may not use are dropped, as the case asks.
void aggregate(const Engine& engine,
               int stage,
               std::span<const double> incoming,
               Worker& worker,
               std::span<double> cut) {
    const auto& problem = engine.problem;
    const auto& here = problem.calendar.stages[at(stage)];
    const auto openings = at(problem.process.tree.count[at(stage)]);
    const auto hydros = at(problem.hydro_count());
    const auto width = engine.state_size();
    const auto value = std::span<const double>(worker.value).first(openings);
    const auto weight = std::span<double>(worker.weight).first(openings);
    risk_weights(problem.calendar.stages[at(stage - 1)].risk, value, weight);
    std::fill(cut.begin(), cut.end(), 0.0);
    cut[0] = weighted_sum(weight, value);
    for (std::size_t w = 0; w < openings; ++w)
        for (std::size_t j = 0; j < width; ++j)
            cut[1 + j] += weight[w] * worker.slopes[w * width + j];
    if (!here.storage_in_cuts)
        std::fill(cut.begin() + 1, cut.begin() + 1 + static_cast<std::ptrdiff_t>(hydros), 0.0);
    if (!here.lags_in_cuts)
        std::fill(cut.begin() + 1 + static_cast<std::ptrdiff_t>(hydros), cut.end(), 0.0);
    for (std::size_t j = 0; j < width; ++j)
        cut[0] -= cut[1 + j] * incoming[j];
}

void exchange(Engine& engine,
              int stage,
              int iteration,
              const Trajectories& trajectories,
              const CutSlots& slots) {
    auto& ranks = engine.team.ranks;
    CutSlots all(slots.width() - 1, trajectories.total());
    const auto room = all.slot(0);
    ranks.allgatherv(
        slots.all(),
        std::span<double>(room.data(), all.all().size()),
        comm::Layout::blocks(
            trajectories.total(), static_cast<std::int64_t>(slots.width()), ranks.size()));
    auto& pool = engine.pools[at(stage)];
    for (int m = 0; m < trajectories.total(); ++m)
        pool.add(all.slot(m)[0], all.slot(m).subspan(1), iteration, m);
}

}  // namespace

std::optional<Failure> backward_pass(Engine& engine,
                                     int iteration,
                                     Trajectories& trajectories,
                                     double& communication_seconds) {
    CutSlots slots(engine.state_size(), trajectories.count());
    for (int t = engine.stage_count() - 1; t > 0; --t) {
        engine.refresh_working_set(t, iteration);
        ActivityMap active(engine.team.threads.size(), engine.pools[at(t)].size());
        const auto failure = engine.run(
            trajectories.first(), trajectories.count(), [&](std::ptrdiff_t item, Worker& worker) {
                const auto scenario = static_cast<int>(trajectories.first() + item);
                const std::span<const double> incoming = trajectories.state(t - 1, item);
                solve_openings(engine,
                               {"backward", iteration, t, scenario},
                               incoming,
                               trajectories.basis(t, item),
                               worker,
                               active.of(worker.thread));
                aggregate(engine, t, incoming, worker, slots.slot(item));
            });
        if (failure)
            return failure;
        const auto start = std::chrono::steady_clock::now();
        active.merge_into(engine.pools[at(t)], iteration, engine.team.ranks);
        exchange(engine, t - 1, iteration, trajectories, slots);
        communication_seconds +=
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    return std::nullopt;
}

}  // namespace lockstep::sddp
