#include "support/linear/linear_problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lockstep/base/index.hpp"

namespace lockstep::test {

namespace {

using Arc = sddp::PolicyGraph::Arc;

bool are_equal(const std::vector<Term>& a, const std::vector<Term>& b) {
    return std::ranges::equal(a, b, [](const Term& x, const Term& y) {
        return x.index == y.index && x.coefficient == y.coefficient;
    });
}

// Whether the row of another outcome is the same but for one shift of both sides.
bool is_shifted(const NodeForm::Row& a, const NodeForm::Row& b) {
    const double below = std::isinf(a.lower) ? 0 : b.lower - a.lower;
    const double above = std::isinf(a.upper) ? below : b.upper - a.upper;
    return std::isinf(a.lower) == std::isinf(b.lower) &&
           std::isinf(a.upper) == std::isinf(b.upper) && (std::isinf(a.lower) || below == above) &&
           are_equal(a.columns, b.columns) && are_equal(a.incoming, b.incoming);
}

bool has_same_matrix(const NodeForm& a, const NodeForm& b) {
    const auto same_cost = [](const NodeForm::Column& x, const NodeForm::Column& y) {
        return x.cost == y.cost;
    };
    return a.constant == b.constant && a.out == b.out &&
           std::ranges::equal(a.columns, b.columns, same_cost) &&
           std::ranges::equal(a.rows, b.rows, is_shifted);
}

bool needs_split(const LinearNode& node) {
    const auto& first = node.outcomes.front();
    return !std::ranges::all_of(node.outcomes, [&](const LinearOutcome& outcome) {
        return outcome.probability == first.probability &&
               has_same_matrix(first.form, outcome.form);
    });
}

LinearProblem with_node_before(const LinearProblem& problem) {
    LinearProblem out = problem;
    out.nodes.insert(
        out.nodes.begin(),
        {0, {{1, pass_through(problem.initial_state.size())}}, problem.risk_at_root, 1});
    for (std::size_t n = 1; n < out.nodes.size(); ++n) {
        ++out.nodes[n].stage;
    }
    for (auto& arc : out.arcs) {
        ++arc.from;
        ++arc.to;
    }
    out.arcs.insert(out.arcs.begin(), {0, 1, 1});
    return out;
}

LinearNode with_one(const LinearNode& node, std::size_t outcome) {
    return {node.stage, {{1, node.outcomes[outcome].form}}, node.risk_after, node.discount};
}

}  // namespace

int NodeForm::column(double lower, double upper, double cost) {
    columns.push_back({lower, upper, cost});
    return static_cast<int>(columns.size()) - 1;
}

int NodeForm::state(double lower, double upper, double cost) {
    out.push_back(column(lower, upper, cost));
    return out.back();
}

void NodeForm::equal(double value, std::vector<Term> terms, std::vector<Term> incoming) {
    rows.push_back({value, value, std::move(terms), std::move(incoming)});
}

void NodeForm::at_most(double value, std::vector<Term> terms, std::vector<Term> incoming) {
    rows.push_back({-lp::infinity, value, std::move(terms), std::move(incoming)});
}

void NodeForm::at_least(double value, std::vector<Term> terms, std::vector<Term> incoming) {
    rows.push_back({value, lp::infinity, std::move(terms), std::move(incoming)});
}

NodeForm pass_through(std::size_t states) {
    NodeForm form;
    for (int i = 0; i < static_cast<int>(states); ++i) {
        const int column = form.state(-lp::infinity, lp::infinity);
        form.equal(0, {{column, 1}}, {{i, -1}});
    }
    return form;
}

LinearProblem split_outcomes(const LinearProblem& problem) {
    if (needs_split(problem.nodes.front())) {
        return split_outcomes(with_node_before(problem));
    }
    LinearProblem out = problem;
    out.nodes.clear();
    out.arcs.clear();
    std::vector<std::vector<std::pair<int, double>>> parts;  // [nodes] number, probability
    for (const auto& node : problem.nodes) {
        auto& mine = parts.emplace_back();
        const bool apart = needs_split(node);
        for (std::size_t w = 0; w < (apart ? node.outcomes.size() : 1); ++w) {
            mine.emplace_back(static_cast<int>(out.nodes.size()),
                              apart ? node.outcomes[w].probability : 1);
            out.nodes.push_back(apart ? with_one(node, w) : node);
        }
    }
    for (const auto& arc : problem.arcs) {
        for (const auto& from : parts[at(arc.from)]) {
            for (const auto& to : parts[at(arc.to)]) {
                out.arcs.push_back({from.first, to.first, arc.probability * to.second});
            }
        }
    }
    std::ranges::sort(out.arcs, {}, [](const Arc& arc) { return std::pair(arc.from, arc.to); });
    return out;
}

LinearProblem unrolled(const LinearProblem& problem) {
    if (problem.nodes.front().outcomes.size() > 1) {
        return unrolled(with_node_before(problem));
    }
    LinearProblem out = problem;
    out.nodes = {problem.nodes.front()};
    out.arcs.clear();
    std::vector<int> origin{0};
    for (std::size_t n = 0; n < origin.size(); ++n) {
        for (const auto& arc : problem.arcs) {
            if (arc.from != origin[n]) {
                continue;
            }
            const auto& next = problem.nodes[at(arc.to)];
            for (std::size_t w = 0; w < next.outcomes.size(); ++w) {
                out.arcs.push_back({static_cast<int>(n),
                                    static_cast<int>(origin.size()),
                                    arc.probability * next.outcomes[w].probability});
                out.nodes.push_back(with_one(next, w));
                origin.push_back(arc.to);
            }
        }
    }
    return out;
}

}  // namespace lockstep::test
