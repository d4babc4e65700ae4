#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/sddp/policy_graph.hpp"

namespace lockstep::sddp {

/// A policy graph to walk on. Of a chain nodes are numbered as their stages.
class Graph {
public:
    Graph(const PolicyGraph& graph, int stages);

    [[nodiscard]] int nodes() const noexcept { return static_cast<int>(stage_.size()); }
    [[nodiscard]] int stages() const noexcept {
        return static_cast<int>(first_of_stage_.size()) - 1;
    }
    [[nodiscard]] int stage(int node) const noexcept { return stage_[at(node)]; }
    /// Whether the last stage is followed by an earlier one.
    [[nodiscard]] bool is_cyclic() const noexcept { return back_to_ >= 0; }
    /// Stage of what follows the nodes of a stage. @pre they are no leaves
    [[nodiscard]] int stage_after(int stage) const noexcept {
        return stage + 1 < stages() ? stage + 1 : back_to_;
    }
    /// How many stages have something after them: the first ones.
    [[nodiscard]] int levels() const noexcept { return stages() - (is_cyclic() ? 0 : 1); }
    [[nodiscard]] bool is_leaf(int node) const noexcept { return stage(node) >= levels(); }
    [[nodiscard]] bool is_tree() const noexcept { return arcs_.size() + 1 == stage_.size(); }

    /// Number of the first node of a stage, of the stage after the last how many nodes there are;
    /// and how many a stage has.
    [[nodiscard]] int first(int stage) const noexcept { return first_of_stage_[at(stage)]; }
    [[nodiscard]] int width(int stage) const noexcept {
        return first_of_stage_[at(stage) + 1] - first_of_stage_[at(stage)];
    }

    /// Arcs to what may follow a node.
    [[nodiscard]] std::span<const PolicyGraph::Arc> after(int node) const noexcept {
        const auto n = at(node);
        return std::span(arcs_).subspan(first_arc_[n], first_arc_[n + 1] - first_arc_[n]);
    }
    /// The lowest node before a node, -1 before the root.
    [[nodiscard]] int before(int node) const noexcept { return before_[at(node)]; }
    /// Which node follows where u, in [0, 1), falls into the probabilities; u = 0 gives the first.
    [[nodiscard]] int next(int node, double u) const noexcept;

private:
    std::vector<int> stage_;           // [nodes]
    std::vector<int> first_of_stage_;  // [stages + 1]
    std::vector<PolicyGraph::Arc> arcs_;
    std::vector<std::size_t> first_arc_;  // [nodes + 1]
    std::vector<int> before_;             // [nodes]
    int back_to_ = -1;                    // stage
};

}  // namespace lockstep::sddp
