#include "sddp/forward_pass.hpp"

namespace lockstep::sddp {

Trajectories::Trajectories(const Engine& engine, int trajectories)
    : total_(trajectories),
      block_(runtime::block_of(trajectories, engine.team.ranks.rank(), engine.team.ranks.size())),
      state_size_(engine.state_size()),
      states_(static_cast<std::size_t>(engine.stage_count()) * static_cast<std::size_t>(count()) *
              state_size_),
      costs_(static_cast<std::size_t>(count())),
      bases_(static_cast<std::size_t>(engine.stage_count()) * static_cast<std::size_t>(count())) {}

std::vector<double> Trajectories::gather_costs(comm::Communicator& ranks) const {
    std::vector<double> all(static_cast<std::size_t>(total_));
    ranks.allgatherv(std::span<const double>(costs_),
                     std::span<double>(all),
                     comm::Layout::blocks(total_, 1, ranks.size()));
    return all;
}

std::optional<Failure> forward_pass(Engine& engine, int iteration, Trajectories& trajectories) {
    const auto& problem = engine.problem;
    const auto hydros = static_cast<std::size_t>(problem.hydro_count());
    return engine.run(
        trajectories.first(), trajectories.count(), [&](std::ptrdiff_t item, Worker& worker) {
            const auto scenario = static_cast<int>(trajectories.first() + item);
            std::span<const double> incoming = engine.initial_state();
            double weight = 1;
            double cost = 0;
            for (int t = 0; t < engine.stage_count(); ++t) {
                auto& basis = trajectories.basis(t, item);
                worker.solver.begin(engine.unit(t, &basis, incoming));
                problem.process.training->draw(
                    iteration, scenario, trajectories.total(), t, worker.noise);
                realise(problem, t, incoming.subspan(hydros), worker.noise, worker.realisation);
                const auto status = worker.solver.solve(incoming.first(hydros), worker.realisation);
                require_optimal(
                    status, {"forward", iteration, t, scenario}, worker.solver, engine.setup);
                cost += weight * (worker.solver.objective() - worker.solver.future_cost());
                weight *= engine.stages[static_cast<std::size_t>(t)].discount;
                worker.solver.store_basis(basis);
                const auto outgoing = trajectories.state(t, item);
                worker.solver.outgoing_storage(outgoing.first(hydros));
                shift_lags(
                    incoming.subspan(hydros), worker.realisation.inflow, outgoing.subspan(hydros));
                incoming = outgoing;
            }
            trajectories.cost(item) = cost;
        });
}

}  // namespace lockstep::sddp
