#include "sddp/passes/forward_pass.hpp"

#include <utility>

#include "lockstep/base/index.hpp"

namespace lockstep::sddp {

namespace {

void run_trajectory(Engine& engine,
                    int iteration,
                    std::ptrdiff_t trajectory,
                    Trajectories& trajectories,
                    Worker& worker) {
    const auto scenario = static_cast<int>(trajectory);
    std::span<const double> incoming = engine.initial_state();
    double weight = 1;
    double cost = 0;
    for (int t = 0; t < engine.stage_count(); ++t) {
        worker.solver.begin(engine.unit(t, &trajectories.start(t, trajectory), incoming));
        engine.model.draw(
            Purpose::training, iteration, scenario, trajectories.total(), t, worker.noise);
        const auto status = engine.solve(worker, t, incoming, worker.noise);
        require_optimal(
            status, {Phase::forward, iteration, t, scenario}, worker.solver, engine.setup);
        cost += weight * (worker.solver.objective() - worker.solver.future_cost());
        weight *= engine.model.lp(t).discount;
        worker.solver.store_basis(trajectories.found(t, trajectory));
        engine.tally.add_forward(worker.thread, t, worker.solver.take_work());
        const auto outgoing = trajectories.state(t, trajectory);
        worker.solver.leave(*worker.outcome, outgoing);
        incoming = outgoing;
    }
    trajectories.cost(trajectory) = cost;
}

}  // namespace

Trajectories::Trajectories(const Engine& engine, int trajectories)
    : total_(trajectories),
      stages_(static_cast<std::size_t>(engine.stage_count())),
      state_size_(engine.state_size()),
      partition_(trajectories, engine.team.ranks.size()),
      starts_(stages_ * static_cast<std::size_t>(trajectories)),
      found_(starts_.size()) {
    repartition(partition_, engine.team.ranks.rank());
}

void Trajectories::repartition(runtime::WorkPartition partition, int rank) {
    partition_ = std::move(partition);
    block_ = partition_.of(rank);
    states_.resize(stages_ * static_cast<std::size_t>(count()) * state_size_);
    costs_.resize(static_cast<std::size_t>(count()));
}

std::vector<double> Trajectories::gather_costs(comm::Communicator& ranks) const {
    std::vector<double> all(static_cast<std::size_t>(total_));
    ranks.allgatherv(std::span<const double>(costs_), std::span<double>(all), partition_.layout(1));
    return all;
}

std::optional<Failure> forward_pass(Engine& engine, int iteration, Trajectories& trajectories) {
    auto failure = engine.run(
        trajectories.first(), trajectories.count(), [&](std::ptrdiff_t item, Worker& worker) {
            run_trajectory(engine, iteration, trajectories.first() + item, trajectories, worker);
        });
    if (!failure) {
        trajectories.share_found(engine.team.ranks);
    }
    return failure;
}

}  // namespace lockstep::sddp
