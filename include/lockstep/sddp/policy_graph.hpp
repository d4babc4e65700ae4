#pragma once

#include <string>
#include <vector>

namespace lockstep::sddp {

/// How a study goes on from stage to stage: a tree or a graph without cycles whose arcs lead to the
/// next stage. Without nodes: one a stage, in a chain.
///
/// What its maker promises: nodes are in order of their stages, of which the first has one node;
/// arcs are in order of `from`, then of `to`, and their probabilities sum to 1 at every node before
/// the last stage; every node is reached.
/// @par Source  policy graphs: [Dowson2020]
struct PolicyGraph {
    struct Node {
        int id = 0;         ///< as in the input
        int stage = 0;      ///< index
        int scenario = -1;  ///< column of the external scenarios; -1: the openings of the stage
        std::string label;  ///< for people
        friend bool operator==(const Node&, const Node&) = default;
    };
    struct Arc {
        int from = 0, to = 0;  ///< nodes
        double probability = 1;
        friend bool operator==(const Arc&, const Arc&) = default;
    };
    std::vector<Node> nodes;
    std::vector<Arc> arcs;
    /// Of a chain: the stage with which the study goes on after its last one, for ever; -1: it
    /// ends.
    int back_to = -1;

    [[nodiscard]] bool is_chain() const noexcept { return nodes.empty(); }
    [[nodiscard]] bool is_cyclic() const noexcept { return back_to >= 0; }
    /// Whether no node is reached in two ways.
    [[nodiscard]] bool is_tree() const noexcept {
        return (is_chain() && !is_cyclic()) || arcs.size() + 1 == nodes.size();
    }
    friend bool operator==(const PolicyGraph&, const PolicyGraph&) = default;
};

}  // namespace lockstep::sddp
