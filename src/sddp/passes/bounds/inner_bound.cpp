#include "sddp/passes/bounds/inner_bound.hpp"

#include <algorithm>
#include <cmath>

#include "lockstep/base/index.hpp"

#include "sddp/passes/risk.hpp"

namespace lockstep::sddp {

namespace {

void replace_infinite(std::vector<double>& prices, double fallback) {
    for (auto& price : prices) {
        price = std::isinf(price) && fallback > 0 ? fallback : price;
    }
}

}  // namespace

InnerBound::InnerBound(const Engine& engine, const InnerBoundOptions& options)
    : options_(options),
      lowest_(at(engine.node_count())),
      lowest_value_(lowest_.size(), lp::infinity),
      lps_(lowest_.size()) {
    if (options.every == 0) {
        return;
    }

    prices_ = state_prices(engine.model, engine.setup.kind, engine.setup.tolerances);
    for (auto& price : prices_) {
        replace_infinite(price.more, options.fallback_price);
        replace_infinite(price.less, options.fallback_price);
    }
    for (int thread = 0; thread < engine.team.threads.size(); ++thread) {
        solvers_.push_back(lp::make_solver(engine.setup.kind, engine.setup.tolerances));
    }
}

double InnerBound::evaluate(Engine& engine, int iteration) {
    for (int node = 0; node < engine.graph().first(engine.graph().levels()); ++node) {
        engine.inner_values[at(node)].resize(at(engine.visited[at(node)].size()), lp::infinity);
        if (engine.visited[at(node)].size() > 0) {
            lowest_[at(node)] = lowest(engine, node);
        }
    }
    for (int stage = engine.stage_count() - 2; stage >= 0; --stage) {
        value_level(engine, stage, iteration);
    }
    return cost_of_root(engine);
}

// Decided states as low as their columns go, carried ones as low as any that was visited.
InnerBound::Point InnerBound::lowest(const Engine& engine, int node) const {
    const auto& stage = engine.model.lp(node);
    const auto& visited = engine.visited[at(node)].slopes();
    Point point{node, -1, visited.row(0)};
    for (int v = 1; v < visited.size(); ++v) {
        const auto row = visited.row(v);
        for (std::size_t i = 0; i < row.size(); ++i) {
            point.state[i] = std::min(point.state[i], row[i]);
        }
    }
    for (std::size_t i = 0; i < stage.decided.size(); ++i) {
        const int column = stage.decided[i].column;
        if (column >= 0 && !std::isinf(stage.model.column_lower[at(column)])) {
            point.state[i] = stage.model.column_lower[at(column)];
        }
    }
    return point;
}

std::vector<InnerBound::Point> InnerBound::points(const Engine& engine,
                                                  int stage,
                                                  int iteration) const {
    std::vector<Point> list;
    const auto& graph = engine.graph();
    for (int node = graph.first(stage); node < graph.first(stage) + graph.width(stage); ++node) {
        const auto& visited = engine.visited[at(node)];
        if (visited.size() > 0) {
            list.push_back(lowest_[at(node)]);
        }
        for (int v = 0; v < visited.size(); ++v) {
            if (visited.iteration(v) == iteration) {
                list.push_back({node, v, visited.slopes().row(v)});
            }
        }
    }
    return list;
}

Vertices InnerBound::vertices_after(const Engine& engine, int node) const {
    Vertices vertices;
    vertices.more = prices_[at(node)].more;
    vertices.less = prices_[at(node)].less;
    const auto& values = engine.inner_values[at(node)];
    for (std::size_t v = 0; v < values.size(); ++v) {
        if (!std::isinf(values[v])) {
            vertices.states.push_back(engine.visited[at(node)].slopes().row(static_cast<int>(v)));
            vertices.values.push_back(values[v]);
        }
    }
    if (!std::isinf(lowest_value_[at(node)])) {
        vertices.states.push_back(lowest_[at(node)].state);
        vertices.values.push_back(lowest_value_[at(node)]);
    }
    return vertices;
}

// LPs of a stage's nodes, and a basis of each from which all its units start.
void InnerBound::prepare(Engine& engine, int stage, std::span<const double> sample_state) {
    const auto& graph = engine.graph();
    auto& worker = engine.workers[0];
    for (int node = graph.first(stage); node < graph.first(stage) + graph.width(stage); ++node) {
        auto& here = lps_[at(node)];
        here = {};
        if (graph.is_leaf(node)) {
            continue;
        }
        here.lp = std::make_unique<InnerLp>(engine.model, node, vertices_after(engine, node));
        std::vector<double> cost(1);
        cost_outcomes(engine, node, sample_state, worker, cost);
        solvers_.front()->get_basis(here.start);
    }
}

void InnerBound::value_level(Engine& engine, int stage, int iteration) {
    const auto level = points(engine, stage, iteration);
    prepare(engine, stage + 1, level.front().state);
    auto& ranks = engine.team.ranks;
    const auto count = std::ssize(level);
    const auto mine = runtime::block_of(count, ranks.rank(), ranks.size());
    std::vector<double> own(at(mine.size()));
    std::vector<double> all(at(count));
    engine.run(mine.begin, mine.size(), [&](std::ptrdiff_t item, Worker& worker) {
        own[at(item)] = value_of(engine, level[at(mine.begin + item)], worker);
    });
    ranks.allgatherv(std::span<const double>(own),
                     std::span<double>(all),
                     comm::Layout::blocks(count, 1, ranks.size()));
    for (std::size_t p = 0; p < level.size(); ++p) {
        const auto node = at(level[p].node);
        (level[p].visited < 0 ? lowest_value_[node]
                              : engine.inner_values[node][at(level[p].visited)]) = all[p];
    }
}

double InnerBound::value_of(const Engine& engine, const Point& point, Worker& worker) {
    const auto& probability = engine.probabilities[at(point.node)];
    std::vector<double> cost(probability.size());
    std::size_t first = 0;
    for (const auto& arc : engine.graph().after(point.node)) {
        const auto outcomes = at(engine.model.outcomes(arc.to));
        cost_outcomes(
            engine, arc.to, point.state, worker, std::span(cost).subspan(first, outcomes));
        first += outcomes;
    }
    return risk_of(engine.model.risk_after(point.node), probability, cost);
}

// Of as many outcomes of a node as `cost` has, in their order: [$], infinity where there is no
// answer.
void InnerBound::cost_outcomes(const Engine& engine,
                               int node,
                               std::span<const double> state,
                               Worker& worker,
                               std::span<double> cost) {
    const auto& here = lps_[at(node)];
    auto& solver = *solvers_[at(worker.thread)];
    const auto incoming = state.first(engine.decided());
    const auto carried = state.subspan(engine.decided());
    std::vector<double> older(at(engine.states.older));
    engine.model.carry(node, carried, older);
    if (here.lp) {
        here.lp->load(solver);
        if (!here.start.column.empty()) {
            solver.set_basis(here.start);
        }
    } else {
        worker.solver.begin(engine.unit(node, nullptr, state));
    }
    for (std::size_t w = 0; w < cost.size(); ++w) {
        engine.model.realise(
            node, carried, engine.model.noise(node, static_cast<int>(w)), *worker.outcome);
        if (here.lp) {
            cost[w] = here.lp->solve(solver, incoming, older, *worker.outcome);
        } else {
            const auto status = worker.solver.solve(incoming, *worker.outcome);
            cost[w] = status == lp::Status::optimal ? worker.solver.objective() : lp::infinity;
        }
    }
}

double InnerBound::cost_of_root(Engine& engine) {
    const auto& state = engine.initial_state();
    prepare(engine, 0, state);
    const auto outcomes = at(engine.model.outcomes(0));
    std::vector<double> cost(outcomes);
    cost_outcomes(engine, 0, state, engine.workers[0], cost);
    return risk_of(engine.model.risk_at_root(), cost);
}

}  // namespace lockstep::sddp
