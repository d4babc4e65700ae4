#include "cost_to_go.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lockstep/app/sddp/evaluate.hpp"
#include "lockstep/base/error.hpp"

namespace lockstep::python {

std::size_t CostToGo::place_of(int id) const {
    // Ids of stages mostly follow each other.
    const auto guess = static_cast<std::size_t>(id) - static_cast<std::size_t>(nodes.front().id);
    if (guess < nodes.size() && nodes[guess].id == id) {
        return guess;
    }
    const auto found = std::ranges::find(nodes, id, &PolicyNode::id);
    if (found == nodes.end()) {
        throw InputError(fmt::format("the policy has no stage {}; its stages are {} to {}",
                                     id,
                                     nodes.front().id,
                                     nodes.back().id));
    }
    return static_cast<std::size_t>(found - nodes.begin());
}

const PolicyNode& CostToGo::at(int id) const {
    const auto& node = nodes[place_of(id)];
    if (node.cuts.cuts() == 0) {
        throw InputError(fmt::format("the policy has no cuts after {}{}",
                                     node.name,
                                     node.is_last ? ", the last one: nothing comes after it" : ""));
    }
    return node;
}

std::vector<std::size_t> CostToGo::binding(const PolicyNode& node, const double* at_state) const {
    constexpr double rounding = 1e-9;
    const auto values = node.cuts.values(at_state);
    double cost = least_cost;
    for (const double value : values) {
        cost = std::max(cost, value);
    }
    const double slack = rounding * std::max(1.0, std::abs(cost));
    std::vector<std::size_t> cuts;
    for (std::size_t cut = 0; cut < values.size(); ++cut) {
        if (values[cut] >= cost - slack) {
            cuts.push_back(cut);
        }
    }
    return cuts;
}

CostToGo cost_to_go(const app::PolicyShape& shape) {
    CostToGo out;
    for (const auto& node : shape.nodes) {
        out.nodes.push_back(
            {node.node_id, node.stage_id, node.stage, node.is_last, CutMatrix(node)});
    }
    for (const auto& number : shape.state) {
        out.state.push_back({number.name, number.unit, number.value});
    }
    out.hydros = shape.hydros;
    out.least_cost = shape.least_cost;
    return out;
}

}  // namespace lockstep::python
