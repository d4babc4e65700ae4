#include "sddp/lower_bound.hpp"

#include "sddp/activity.hpp"
#include "sddp/risk.hpp"

namespace lockstep::sddp {

LowerBound::LowerBound(const Engine& engine)
    : bases_(static_cast<std::size_t>(engine.problem.process.tree.count.front())),
      value_(bases_.size()) {}

std::optional<Failure> LowerBound::evaluate(Engine& engine, int iteration, double& bound) {
    const auto& problem = engine.problem;
    const auto hydros = static_cast<std::size_t>(problem.hydro_count());
    const std::span<const double> incoming = engine.initial_state();
    engine.refresh_working_set(0, iteration);
    ActivityMap active(engine.team.threads.size(), engine.pools.front().size());
    const auto count = static_cast<std::ptrdiff_t>(bases_.size());
    const auto failure = engine.run(0, count, [&](std::ptrdiff_t item, Worker& worker) {
        const auto opening = static_cast<int>(item);
        auto& basis = bases_[static_cast<std::size_t>(item)];
        worker.solver.begin(engine.unit(0, &basis, incoming));
        realise(problem,
                0,
                incoming.subspan(hydros),
                problem.process.tree.noise(0, opening),
                worker.realisation);
        const auto status = worker.solver.solve(incoming.first(hydros), worker.realisation);
        require_optimal(
            status, {"lower_bound", iteration, 0, 0, opening}, worker.solver, engine.setup);
        value_[static_cast<std::size_t>(item)] = worker.solver.objective();
        worker.solver.store_basis(basis);
        if (engine.stage_count() > 1)
            worker.solver.mark_active(active.of(worker.thread));
    });
    if (failure)
        return failure;
    active.merge_into(engine.pools.front(), iteration, engine.team.ranks);
    std::vector<double> weight(value_.size());
    risk_weights(problem.calendar.stages.front().risk, value_, weight);
    bound = weighted_sum(weight, value_);
    return std::nullopt;
}

}  // namespace lockstep::sddp
