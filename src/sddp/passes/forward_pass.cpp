#include "sddp/passes/forward_pass.hpp"

#include "lockstep/base/index.hpp"

namespace lockstep::sddp {

namespace {

// Solves the node of a trajectory whose noise the worker has, and leaves it.
// @return  its cost, without the future's
double visit(Engine& engine,
             UnitName name,
             int node,
             std::span<const double> incoming,
             StoredBasis& found,
             std::span<double> outgoing,
             Worker& worker) {
    const auto status = engine.solve(worker, node, incoming, worker.noise);
    require_optimal(status, name, worker.solver, engine.setup);
    const auto cost = worker.solver.objective() - worker.solver.future_cost();
    worker.solver.store_basis(found);
    engine.tally.add_forward(worker.thread, name.stage, worker.solver.take_work());
    worker.solver.leave(*worker.outcome, outgoing);
    return cost;
}

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
        const int node = trajectories.node(t, trajectory);
        incoming = trajectories.enter(t, iteration, trajectory, incoming);
        worker.solver.begin(
            engine.forward_unit(node, &trajectories.start_of(t, trajectory), incoming));
        engine.model.draw(
            Purpose::training, iteration, scenario, trajectories.total(t), node, worker.noise);
        const auto outgoing = trajectories.state(t, trajectory);
        cost += weight * visit(engine,
                               {Phase::forward, iteration, t, scenario},
                               node,
                               incoming,
                               trajectories.found(t, trajectory),
                               outgoing,
                               worker);
        weight *= engine.model.lp(node).discount;
        incoming = outgoing;
    }
    trajectories.cost(trajectory) = cost;
}

std::optional<Failure> run_sampled(Engine& engine, int iteration, Trajectories& trajectories) {
    const auto own = trajectories.own(0);
    auto failure = engine.run(own.begin, own.size(), [&](std::ptrdiff_t item, Worker& worker) {
        run_trajectory(engine, iteration, own.begin + item, trajectories, worker);
    });
    if (!failure) {
        trajectories.share_found(engine.team.ranks, 0);
        trajectories.share_ends(engine.team.ranks);
    }
    return failure;
}

void run_node(Engine& engine, int iteration, int node, Trajectories& trajectories, Worker& worker) {
    const auto& graph = engine.graph();
    const int t = graph.stage(node);
    const int point = node - graph.first(t);
    const int before = graph.before(node);
    const std::span<const double> incoming =
        before < 0 ? std::span<const double>(engine.initial_state())
                   : trajectories.state(t - 1, before - graph.first(t - 1));
    worker.solver.begin(engine.forward_unit(node, &trajectories.start_of(t, point), incoming));
    std::ranges::copy(engine.model.noise(node, 0), worker.noise.begin());
    trajectories.cost(node) = visit(engine,
                                    {Phase::forward, iteration, t, point},
                                    node,
                                    incoming,
                                    trajectories.found(t, point),
                                    trajectories.state(t, point),
                                    worker);
}

// What the ranks have of a level becomes known to all.
template <typename T>
void share(comm::Communicator& ranks, const comm::Layout& layout, std::span<T> all) {
    const auto first = static_cast<std::size_t>(layout.offset(ranks.rank()));
    const auto count = static_cast<std::size_t>(layout.count(ranks.rank()));
    const std::vector<T> mine(all.begin() + static_cast<std::ptrdiff_t>(first),
                              all.begin() + static_cast<std::ptrdiff_t>(first + count));
    ranks.allgatherv(std::span<const T>(mine), all, layout);
}

void share_level(Engine& engine, int stage, Trajectories& trajectories) {
    auto& ranks = engine.team.ranks;
    const auto& partition = trajectories.partition(stage);
    share(ranks,
          partition.layout(static_cast<std::int64_t>(engine.state_size())),
          trajectories.states(stage));
    share(ranks,
          partition.layout(1),
          trajectories.costs().subspan(at(engine.graph().first(stage)),
                                       at(trajectories.total(stage))));
    trajectories.share_found(ranks, stage);
}

std::optional<Failure> run_enumerated(Engine& engine, int iteration, Trajectories& trajectories) {
    for (int t = 0; t < engine.stage_count(); ++t) {
        const auto own = trajectories.own(t);
        const int first = engine.graph().first(t) + static_cast<int>(own.begin);
        auto failure = engine.run(own.begin, own.size(), [&](std::ptrdiff_t item, Worker& worker) {
            run_node(engine, iteration, first + static_cast<int>(item), trajectories, worker);
        });
        if (failure) {
            return failure;
        }
        share_level(engine, t, trajectories);
    }
    return std::nullopt;
}

}  // namespace

std::optional<Failure> forward_pass(Engine& engine, int iteration, Trajectories& trajectories) {
    trajectories.choose_nodes(engine.model, iteration);
    return trajectories.is_enumerated() ? run_enumerated(engine, iteration, trajectories)
                                        : run_sampled(engine, iteration, trajectories);
}

}  // namespace lockstep::sddp
