#include "sddp/model/graph.hpp"

namespace lockstep::sddp {

namespace {

PolicyGraph chain(int stages) {
    PolicyGraph graph;
    for (int t = 0; t < stages; ++t) {
        graph.nodes.push_back({t, t, -1, {}});
        if (t > 0) {
            graph.arcs.push_back({t - 1, t, 1});
        }
    }
    return graph;
}

}  // namespace

Graph::Graph(const PolicyGraph& graph, int stages) {
    const auto all = graph.is_chain() ? chain(stages) : graph;
    arcs_ = all.arcs;
    back_to_ = graph.back_to;
    if (is_cyclic()) {
        arcs_.push_back({stages - 1, back_to_, 1});
    }
    for (const auto& node : all.nodes) {
        stage_.push_back(node.stage);
    }
    first_of_stage_.assign(at(stages) + 1, 0);
    for (const int stage : stage_) {
        ++first_of_stage_[at(stage) + 1];
    }
    for (std::size_t t = 1; t < first_of_stage_.size(); ++t) {
        first_of_stage_[t] += first_of_stage_[t - 1];
    }
    before_.assign(stage_.size(), -1);
    first_arc_.assign(stage_.size() + 1, 0);
    for (const auto& arc : arcs_) {
        ++first_arc_[at(arc.from) + 1];
        if (before_[at(arc.to)] < 0 && arc.from < arc.to) {
            before_[at(arc.to)] = arc.from;
        }
    }
    for (std::size_t n = 1; n < first_arc_.size(); ++n) {
        first_arc_[n] += first_arc_[n - 1];
    }
}

int Graph::next(int node, double u) const noexcept {
    const auto arcs = after(node);
    double sum = 0;
    for (const auto& arc : arcs) {
        sum += arc.probability;
        if (u < sum) {
            return arc.to;
        }
    }
    return arcs.back().to;  // the sum may be a rounding below 1
}

}  // namespace lockstep::sddp
