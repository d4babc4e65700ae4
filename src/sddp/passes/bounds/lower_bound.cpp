#include "sddp/passes/bounds/lower_bound.hpp"

#include "lockstep/base/index.hpp"

#include "sddp/passes/risk.hpp"
#include "sddp/passes/runs/basis_bytes.hpp"

namespace lockstep::sddp {

LowerBound::LowerBound(const Engine& engine)
    : starts_(static_cast<std::size_t>(engine.model.outcomes(0))),
      found_(starts_.size()),
      value_(starts_.size()) {}

std::optional<Failure> LowerBound::evaluate(Engine& engine, int iteration, double& bound) {
    const std::span<const double> incoming = engine.initial_state();
    engine.refresh_working_set(0, iteration);
    engine.activity.begin(0, engine.pools.front().size());
    auto& ranks = engine.team.ranks;
    const auto count = static_cast<std::ptrdiff_t>(value_.size());
    const auto mine = runtime::block_of(count, ranks.rank(), ranks.size());
    std::vector<double> own(static_cast<std::size_t>(mine.size()));
    const auto failure =
        engine.run(mine.begin, mine.size(), [&](std::ptrdiff_t item, Worker& worker) {
            const auto opening = static_cast<std::size_t>(mine.begin + item);
            worker.solver.begin(engine.bounding_unit(0, &starts_[opening], incoming));
            const auto noise = engine.model.noise(0, static_cast<int>(opening));
            const auto status = engine.solve(worker, 0, incoming, noise);
            require_optimal(status,
                            {Phase::lower_bound, iteration, 0, 0, static_cast<int>(opening)},
                            worker.solver,
                            engine.setup);
            own[at(item)] = worker.solver.objective();
            worker.solver.store_basis(found_[opening]);
            if (engine.stage_count() > 1) {
                worker.solver.mark_active(engine.activity.of(0, worker.thread));
            }
        });
    if (failure) {
        return failure;
    }
    const auto layout = comm::Layout::blocks(count, 1, ranks.size());
    ranks.allgatherv(std::span<const double>(own), std::span<double>(value_), layout);
    gather_bases(ranks, layout, found_);
    bound = risk_of(engine.model.risk_at_root(), value_);
    return std::nullopt;
}

// Every rank finds all: they are few.
std::vector<double> bounds_by_season(Engine& engine) {
    const std::span<const double> state = engine.initial_state();
    auto& worker = engine.workers[0];
    std::vector<double> bounds;
    for (int node = 0; node < engine.node_count(); ++node) {
        std::vector<double> value(at(engine.model.outcomes(node)));
        worker.solver.begin(engine.bounding_unit(node, nullptr, state));
        for (std::size_t w = 0; w < value.size(); ++w) {
            const auto noise = engine.model.noise(node, static_cast<int>(w));
            const auto status = engine.solve(worker, node, state, noise);
            value[w] = status == lp::Status::optimal ? worker.solver.objective() : lp::infinity;
        }
        bounds.push_back(risk_of(engine.model.risk_at_root(), value));
    }
    engine.take_work();
    return bounds;
}

}  // namespace lockstep::sddp
