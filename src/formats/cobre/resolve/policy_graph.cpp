#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "formats/cobre/resolve/resolve.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr const char* file = "stages.json";
constexpr double probability_tolerance = 1e-6;

/// From the nodes and transitions of a case to a graph; mistakes are reported.
class GraphResolver {
public:
    GraphResolver(const raw::PolicyGraph& raw, const Resolver& resolver)
        : raw_(raw), resolver_(resolver) {}

    sddp::PolicyGraph resolve() {
        add_nodes();
        for (const raw::Transition& transition : raw_.transitions) {
            add_arc(transition);
        }
        std::ranges::sort(
            graph_.arcs, {}, [](const auto& arc) { return std::pair(arc.from, arc.to); });
        check_repeats();
        normalise();
        check_stages();
        check_reach();
        return std::move(graph_);
    }

private:
    [[nodiscard]] Origin of_node(int number) const {
        const int id = graph_.nodes[at(number)].id;
        return line_of(file, line_.at(id), "node", id);
    }

    void add_nodes() {
        for (const raw::Node& node : *raw_.nodes) {
            const Origin origin = line_of(file, node.line, "node", node.id);
            const int stage = resolver_.find(resolver_.stages, node.stage_id, origin);
            if (!line_.emplace(node.id, node.line).second) {
                resolver_.error(ProblemKind::duplicate_id, origin, "node id is used twice");
            } else if (stage >= 0) {
                graph_.nodes.push_back(
                    {node.id, stage, node.scenario_id.value_or(-1), node.label.value_or("")});
            }
        }
        std::ranges::sort(
            graph_.nodes, {}, [](const auto& node) { return std::pair(node.stage, node.id); });
        for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
            number_.emplace(graph_.nodes[n].id, static_cast<int>(n));
        }
    }

    // -1 after a report; one of a node that was refused has been told of.
    [[nodiscard]] int find(int id, const Origin& origin) const {
        const auto found = number_.find(id);
        if (found == number_.end() && !line_.contains(id)) {
            resolver_.error(
                ProblemKind::invalid_reference, origin, fmt::format("node {} does not exist", id));
        }
        return found == number_.end() ? -1 : found->second;
    }

    void add_arc(const raw::Transition& transition) {
        const Origin origin =
            line_of(file, transition.line, "transition from node", transition.source_id);
        if (transition.annual_discount_rate_override) {
            resolver_.error(ProblemKind::business_rule_violation,
                            origin,
                            "\"annual_discount_rate_override\" is not allowed between nodes: give "
                            "it to the stage");
        }
        const int from = find(transition.source_id, origin);
        const int to = find(transition.target_id, origin);
        if (from < 0 || to < 0) {
            return;
        }
        if (graph_.nodes[at(to)].stage != graph_.nodes[at(from)].stage + 1) {
            resolver_.error(ProblemKind::business_rule_violation,
                            origin,
                            fmt::format("leads to node {}, which is not of the next stage",
                                        transition.target_id));
            return;
        }
        graph_.arcs.push_back({from, to, transition.probability});
    }

    void check_repeats() const {
        for (std::size_t a = 1; a < graph_.arcs.size(); ++a) {
            const auto& arc = graph_.arcs[a];
            if (arc.from == graph_.arcs[a - 1].from && arc.to == graph_.arcs[a - 1].to) {
                resolver_.error(
                    ProblemKind::duplicate_id,
                    of_node(arc.from),
                    fmt::format("has two transitions to node {}", graph_.nodes[at(arc.to)].id));
            }
        }
    }

    void normalise() {
        std::map<int, double> sum;
        for (const auto& arc : graph_.arcs) {
            sum[arc.from] += arc.probability;
        }
        for (const auto& [node, total] : sum) {
            if (std::abs(total - 1) > probability_tolerance) {
                resolver_.error(ProblemKind::invalid_value,
                                of_node(node),
                                fmt::format("probabilities sum to {}: must be 1", total));
            }
        }
        for (auto& arc : graph_.arcs) {
            arc.probability /= sum[arc.from];
        }
    }

    void check_stages() const {
        std::vector<int> nodes(at(resolver_.stage_count()));
        for (const auto& node : graph_.nodes) {
            ++nodes[at(node.stage)];
        }
        for (int t = 0; t < resolver_.stage_count(); ++t) {
            const int id = resolver_.calendar.stages[at(t)].id;
            if (nodes[at(t)] == 0) {
                resolver_.error(ProblemKind::business_rule_violation,
                                {file, fmt::format("stage {}", id)},
                                "no node is of this stage");
            } else if (t == 0 && nodes[0] > 1) {
                resolver_.error(
                    ProblemKind::business_rule_violation,
                    {file, fmt::format("stage {}", id)},
                    fmt::format("{} nodes are of the first stage: must be one", nodes[0]));
            }
        }
    }

    void check_reach() const {
        std::vector<bool> is_reached(graph_.nodes.size()), is_left(graph_.nodes.size());
        for (const auto& arc : graph_.arcs) {
            is_reached[at(arc.to)] = is_reached[at(arc.to)] || arc.probability > 0;
            is_left[at(arc.from)] = true;
        }
        for (int n = 0; n < static_cast<int>(graph_.nodes.size()); ++n) {
            const int stage = graph_.nodes[at(n)].stage;
            if (stage > 0 && !is_reached[at(n)]) {
                resolver_.error(ProblemKind::business_rule_violation,
                                of_node(n),
                                "no transition of a probability above 0 leads to it");
            }
            if (stage + 1 < resolver_.stage_count() && !is_left[at(n)]) {
                resolver_.error(ProblemKind::business_rule_violation,
                                of_node(n),
                                "no transition leaves it, and it is not of the last stage");
            }
        }
    }

    const raw::PolicyGraph& raw_;
    const Resolver& resolver_;
    std::map<int, int> line_;    // of a node's id
    std::map<int, int> number_;  // … of those that are in the graph
    sddp::PolicyGraph graph_;
};

int leaves(const sddp::PolicyGraph& graph, const Resolver& resolver) {
    return static_cast<int>(std::ranges::count_if(
        graph.nodes, [&](const auto& node) { return node.stage + 1 == resolver.stage_count(); }));
}

void check_enumeration(const char* path, const sddp::PolicyGraph& graph, const Resolver& resolver) {
    if (graph.is_chain()) {
        resolver.error(ProblemKind::business_rule_violation,
                       {"config.json", path},
                       "the selection method \"enumerated\" needs nodes in stages.json");
    } else if (!graph.is_tree()) {
        resolver.error(ProblemKind::business_rule_violation,
                       {"config.json", path},
                       "the selection method \"enumerated\" needs a tree: some node of stages.json "
                       "is reached in two ways");
    }
}

// Stage to which the last one leads back, -1 after a report.
int resolve_back_to(const raw::PolicyGraph& raw, const Resolver& resolver) {
    int back_to = -1;
    int count = 0;
    for (const raw::Transition& transition : raw.transitions) {
        const int target = resolver.stages.find(transition.target_id);
        const int source = resolver.stages.find(transition.source_id);
        if (target >= 0 && target <= source) {
            back_to = target;
            ++count;
        }
    }
    if (count != 1) {
        resolver.error(ProblemKind::business_rule_violation,
                       {file, "policy_graph"},
                       fmt::format("type \"cyclic\" needs one transition from the last stage to an "
                                   "earlier one: found {}",
                                   count));
    }
    return back_to;
}

void check_circle(const sddp::PolicyGraph& graph, const Resolver& resolver) {
    double factor = 1;
    for (int t = std::max(graph.back_to, 0); t < resolver.stage_count(); ++t) {
        factor *= resolver.calendar.stages[at(t)].discount_factor();
    }
    if (!(factor < 1)) {
        resolver.error(ProblemKind::business_rule_violation,
                       {file, "policy_graph"},
                       "type \"cyclic\" needs an annual_discount_rate above 0: costs for ever have "
                       "no sum without");
    }
}

}  // namespace

sddp::PolicyGraph resolve_policy_graph(const raw::Stages& stages, const Resolver& resolver) {
    const raw::PolicyGraph& raw = stages.policy_graph;
    const bool is_cyclic = raw.type == raw::GraphType::cyclic;
    if (raw.nodes && is_cyclic) {
        resolver.error(ProblemKind::not_supported,
                       {file, "policy_graph"},
                       "not supported yet: nodes in a policy graph of type \"cyclic\"");
    }
    if (raw.nodes) {
        return GraphResolver(raw, resolver).resolve();
    }
    sddp::PolicyGraph graph;
    if (is_cyclic) {
        graph.back_to = resolve_back_to(raw, resolver);
        check_circle(graph, resolver);
    }
    return graph;
}

void resolve_enumeration(const sddp::PolicyGraph& graph, const Resolver& resolver, Config& config) {
    if (config.train.enumerated) {
        check_enumeration("training.selection", graph, resolver);
        config.train.forward_passes = std::max(leaves(graph, resolver), 1);
    }
    if (config.simulate.enumerated) {
        check_enumeration("simulation.selection", graph, resolver);
        config.simulate.scenarios = std::max(leaves(graph, resolver), 1);
    }
    const bool has_gap_rule = std::ranges::any_of(config.train.stopping, [](const auto& rule) {
        return rule.kind == sddp::StoppingRule::Kind::gap;
    });
    if (has_gap_rule && !config.train.enumerated && config.train.inner.every == 0) {
        resolver.error(
            ProblemKind::business_rule_violation,
            {"config.json", "training.stopping_rules"},
            "the rule \"gap\" needs the selection method \"enumerated\" or upper_bound_evaluation: "
            "only then is there an upper bound that is exact");
    }
}

}  // namespace lockstep::formats::cobre
