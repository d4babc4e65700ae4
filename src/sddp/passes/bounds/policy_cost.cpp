#include "sddp/passes/bounds/policy_cost.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/runtime/random.hpp"

#include "sddp/passes/risk.hpp"

namespace lockstep::sddp {

namespace {

/// All outcomes that may follow a state, solved.
struct Branches {
    std::vector<double> cost;    // with the future's, [$]
    std::vector<double> future;  // what the LP took it for, at the node after [$]
    std::vector<int> node;
    std::vector<std::vector<double>> left;  // states

    void clear() {
        cost.clear();
        future.clear();
        node.clear();
        left.clear();
    }
};

/// A measure and what it is of.
struct Weighed {
    double value = 0;            // [$]
    std::vector<double> weight;  // [outcomes]
};

Weighed weigh(const RiskMeasure& measure,
              std::span<const double> probability,
              std::span<const double> cost) {
    Weighed all{0, std::vector<double>(cost.size())};
    const auto offset = risk_weights(measure, probability, cost, all.weight);
    all.value = weighted_sum(all.weight, cost) + offset;
    return all;
}

std::size_t pick(std::span<const double> weight, double u) {
    double sum = 0;
    for (std::size_t w = 0; w < weight.size(); ++w) {
        sum += weight[w];
        if (u < sum) {
            return w;
        }
    }
    // The sum may be a rounding below 1.
    return at(std::max_element(weight.begin(), weight.end()) - weight.begin());
}

void solve_node(Engine& engine,
                UnitName name,
                int node,
                std::span<const double> state,
                const StoredBasis& basis,
                Worker& worker,
                Branches& branches) {
    const auto first = branches.cost.size();
    const auto& order = engine.opening_orders[at(node)];
    branches.cost.resize(first + order.size());
    branches.future.resize(branches.cost.size());
    branches.node.resize(branches.cost.size(), node);
    branches.left.resize(branches.cost.size(), std::vector<double>(engine.state_size()));
    worker.solver.begin(engine.unit(node, &basis, state));
    const double discount = engine.model.lp(node).discount;
    for (const int opening : order) {
        const auto status = engine.solve(worker, node, state, engine.model.noise(node, opening));
        name.opening = opening;
        require_optimal(status, name, worker.solver, engine.setup);
        const auto w = first + at(opening);
        branches.cost[w] = worker.solver.objective();
        branches.future[w] = worker.solver.future_cost() / discount;
        worker.solver.leave(*worker.outcome, branches.left[w]);
    }
}

/// One path after the root.
class Path {
public:
    Path(Engine& engine, int iteration, int number, Trajectories& trajectories, Worker& worker)
        : engine_(engine),
          iteration_(iteration),
          number_(number),
          trajectories_(trajectories),
          worker_(worker) {}

    /// By how much the measures exceed what the LPs took them for, discounted to the root [$].
    double excess(const Branches& root, std::span<const double> weight) {
        auto w = pick(weight, draw(0));
        int node = root.node[w];
        double future = root.future[w];
        auto state = root.left[w];
        double discount = 1;
        double excess = 0;
        while (!engine_.graph().is_leaf(node)) {
            discount *= engine_.model.lp(node).discount;
            solve_after(node, state);
            const auto all = weigh(
                engine_.model.risk_after(node), engine_.probabilities[at(node)], branches_.cost);
            excess += discount * (all.value - future);
            w = pick(all.weight, draw(engine_.graph().stage(node) + 1));
            node = branches_.node[w];
            future = branches_.future[w];
            state = branches_.left[w];
        }
        return excess;
    }

private:
    [[nodiscard]] double draw(int stage) const {
        static const runtime::Random random(0, "sddp.policy_cost");
        return random.uniform01(static_cast<std::uint64_t>(iteration_),
                                static_cast<std::uint32_t>(number_),
                                static_cast<std::uint32_t>(stage));
    }

    void solve_after(int node, std::span<const double> state) {
        branches_.clear();
        const auto start = number_ % trajectories_.starts_a_node();
        for (const auto& arc : engine_.graph().after(node)) {
            solve_node(engine_,
                       {Phase::policy_cost, iteration_, engine_.graph().stage(arc.to), number_},
                       arc.to,
                       state,
                       trajectories_.start(arc.to, start),
                       worker_,
                       branches_);
        }
    }

    Engine& engine_;
    int iteration_;
    int number_;
    Trajectories& trajectories_;
    Worker& worker_;
    Branches branches_;
};

}  // namespace

std::optional<Failure> estimate_policy_cost(Engine& engine,
                                            int iteration,
                                            int paths,
                                            Trajectories& trajectories,
                                            runtime::Sample& estimate) {
    auto& ranks = engine.team.ranks;
    for (int node = 0; node < engine.node_count(); ++node) {
        engine.refresh_working_set(node, iteration + 1);
    }
    // Every rank solves the root's outcomes, from which all paths start.
    Branches root;
    auto failure = engine.run(ranks.rank(), 1, [&](std::ptrdiff_t, Worker& worker) {
        solve_node(engine,
                   {Phase::policy_cost, iteration, 0, 0},
                   0,
                   engine.initial_state(),
                   trajectories.start(0, 0),
                   worker,
                   root);
    });
    if (failure) {
        return failure;
    }
    const std::vector<double> alike(root.cost.size(), 1.0 / static_cast<double>(root.cost.size()));
    const auto first = weigh(engine.model.risk_at_root(), alike, root.cost);
    const auto mine = runtime::block_of(paths, ranks.rank(), ranks.size());
    std::vector<double> own(at(mine.size()));
    failure = engine.run(mine.begin, mine.size(), [&](std::ptrdiff_t item, Worker& worker) {
        const int number = static_cast<int>(mine.begin + item);
        own[at(item)] =
            first.value +
            Path(engine, iteration, number, trajectories, worker).excess(root, first.weight);
    });
    if (failure) {
        return failure;
    }
    std::vector<double> all(at(paths));
    ranks.allgatherv(std::span<const double>(own),
                     std::span<double>(all),
                     comm::Layout::blocks(paths, 1, ranks.size()));
    estimate = runtime::sample_of(all);
    return std::nullopt;
}

}  // namespace lockstep::sddp
