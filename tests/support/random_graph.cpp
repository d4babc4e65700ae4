#include "support/random_graph.hpp"

#include <vector>

#include "lockstep/base/index.hpp"

#include "support/dice.hpp"

namespace lockstep::test {
namespace {

// Some opening of the node's stage.
std::vector<double> some_noise(const sddp::Problem& problem, int stage, Dice& dice) {
    const auto& tree = problem.process.tree;
    const auto noise = tree.noise(stage, dice.integer(0, tree.count[at(stage)] - 1));
    return {noise.begin(), noise.end()};
}

// What flows where it does not depend on the path, as a node of an own scenario has it.
void pin_inflow(sddp::Problem& problem, int stage, Dice& dice) {
    auto& pinned = problem.process.pinned_inflow.emplace_back();
    pinned.stage = stage;
    for (int h = 0; !problem.process.pinned_noise.back().empty() && h < problem.hydro_count();
         ++h) {
        pinned.flow_m3s.push_back(dice.uniform(5, 50));
    }
}

// Random probabilities that sum to 1.
std::vector<double> shares(std::size_t count, Dice& dice) {
    std::vector<double> shares;
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
        shares.push_back(dice.uniform(0.1, 1));
        sum += shares.back();
    }
    for (auto& share : shares) {
        share /= sum;
    }
    return shares;
}

// Of a wetter or drier, calmer or wilder regime.
sddp::Process::NodeNoise some_regime(const sddp::Problem& problem, Dice& dice) {
    sddp::Process::NodeNoise noise;
    for (int h = 0; h < problem.hydro_count(); ++h) {
        noise.factor.push_back(dice.uniform(0.2, 1.5));
        noise.shift.push_back(dice.uniform(-0.4, 0.8));
    }
    return noise;
}

void add_arcs(sddp::PolicyGraph& graph, int from, const std::vector<int>& to, Dice& dice) {
    const auto probability = shares(to.size(), dice);
    for (std::size_t i = 0; i < to.size(); ++i) {
        graph.arcs.push_back({from, to[i], probability[i]});
    }
}

}  // namespace

void add_random_graph(sddp::Problem& problem, std::uint64_t seed) {
    Dice dice(seed);
    auto& graph = problem.graph;
    graph = {};
    problem.process.pinned_noise.clear();
    problem.process.pinned_inflow.clear();
    const bool remembers = problem.process.inflow.lags > 0 && dice.chance(0.6);
    std::vector<int> before;
    for (int t = 0; t < problem.stage_count(); ++t) {
        std::vector<int> here;
        const int width = t == 0 ? 1 : dice.integer(1, 3);
        for (int i = 0; i < width; ++i) {
            here.push_back(static_cast<int>(graph.nodes.size()));
            graph.nodes.push_back({100 + here.back(), t, -1, {}});
            problem.process.pinned_noise.push_back(dice.chance(0.3) ? some_noise(problem, t, dice)
                                                                    : std::vector<double>{});
            if (remembers) {
                pin_inflow(problem, t, dice);
            }
        }
        for (const int node : before) {
            add_arcs(graph, node, here, dice);
        }
        before = here;
    }
    Dice regimes(seed + 1);
    problem.process.node_noise.resize(graph.nodes.size());
    for (auto& noise : problem.process.node_noise) {
        if (regimes.chance(0.4)) {
            noise = some_regime(problem, regimes);
        }
    }
}

void add_random_tree(sddp::Problem& problem, std::uint64_t seed) {
    Dice dice(seed);
    auto& graph = problem.graph;
    graph = {};
    problem.process.pinned_noise.clear();
    problem.process.pinned_inflow.clear();
    const bool remembers = problem.process.inflow.lags > 0 && dice.chance(0.6);
    std::vector<int> level;
    for (int t = 0; t < problem.stage_count(); ++t) {
        std::vector<int> next;
        for (std::size_t parent = 0; parent < (t == 0 ? 1 : level.size()); ++parent) {
            std::vector<int> children;
            const int width = t == 0 ? 1 : dice.integer(1, 3);
            for (int i = 0; i < width; ++i) {
                children.push_back(static_cast<int>(graph.nodes.size()));
                graph.nodes.push_back({children.back(), t, 0, {}});
                problem.process.pinned_noise.push_back(some_noise(problem, t, dice));
                if (remembers) {
                    pin_inflow(problem, t, dice);
                }
            }
            if (t > 0) {
                add_arcs(graph, level[parent], children, dice);
            }
            next.insert(next.end(), children.begin(), children.end());
        }
        level = next;
    }
}

}  // namespace lockstep::test
