#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/lp/model.hpp"
#include "lockstep/sddp/calendar.hpp"
#include "lockstep/sddp/policy_graph.hpp"

namespace lockstep::test {

/// A column of a node, or a state, times a coefficient.
struct Term {
    int index = 0;
    double coefficient = 1;
};

/// The LP of a node under one outcome: minimise cost·u + constant over lower <= u <= upper,
/// row by row lower <= columns·u + incoming·x <= upper, x being the state before the node.
struct NodeForm {
    struct Column {
        double lower = 0;
        double upper = lp::infinity;
        double cost = 0;
    };
    struct Row {
        double lower = 0;
        double upper = 0;
        std::vector<Term> columns;
        std::vector<Term> incoming;
    };
    std::vector<Column> columns;
    std::vector<Row> rows;
    std::vector<int> out;  ///< [states], the column that leaves the node; -1: it leaves as 0
    double constant = 0;

    /// @return number of the new column
    int column(double lower, double upper, double cost = 0);
    /// A column that is the next state.
    int state(double lower, double upper, double cost = 0);
    void equal(double value, std::vector<Term> columns, std::vector<Term> incoming = {});
    void at_most(double value, std::vector<Term> columns, std::vector<Term> incoming = {});
    void at_least(double value, std::vector<Term> columns, std::vector<Term> incoming = {});
};

struct LinearOutcome {
    double probability = 1;
    NodeForm form;
};

struct LinearNode {
    int stage = 0;
    std::vector<LinearOutcome> outcomes;
    sddp::RiskMeasure risk_after;
    double discount = 1;  ///< of what follows
};

/// A multistage linear problem on a policy graph; all data of a node may depend on its outcome.
///
/// Nodes are in order of their stages, the first of which has one.
struct LinearProblem {
    std::vector<double> initial_state;
    std::vector<LinearNode> nodes;
    std::vector<sddp::PolicyGraph::Arc> arcs;
    int back_to = -1;  ///< stage that follows the last one, as of sddp::PolicyGraph
    sddp::RiskMeasure risk_at_root;
    double floor = 0;  ///< what follows any node costs at least so much
    double unit = 1;   ///< of costs in the LPs, a power of two
};

/// `form` under each of some equally likely outcomes.
template <typename Noise, typename Form>
std::vector<LinearOutcome> equally_likely(const std::vector<Noise>& noises, const Form& form) {
    std::vector<LinearOutcome> outcomes;
    for (const auto& noise : noises) {
        outcomes.push_back({1.0 / static_cast<double>(noises.size()), form(noise)});
    }
    return outcomes;
}

/// A node a stage.
template <typename Outcomes>
LinearProblem linear_chain(std::vector<double> initial_state,
                           int stages,
                           const Outcomes& outcomes) {
    LinearProblem problem;
    problem.initial_state = std::move(initial_state);
    for (int t = 0; t < stages; ++t) {
        problem.nodes.push_back({t, outcomes(t), {}, 1});
        if (t > 0) {
            problem.arcs.push_back({t - 1, t, 1});
        }
    }
    return problem;
}

/// A node that leaves `states` states as they come.
NodeForm pass_through(std::size_t states);

/// Nodes 0 … widths[t] - 1 in stage t, and arcs between all of two stages that have a probability.
/// @param probability  (t, i, j) from node i of stage t to node j of the next
/// @param outcomes     (t, i)
template <typename Probability, typename Outcomes>
LinearProblem linear_markov(std::vector<double> initial_state,
                            const std::vector<int>& widths,
                            const Probability& probability,
                            const Outcomes& outcomes) {
    LinearProblem problem;
    problem.initial_state = std::move(initial_state);
    int first = 0;
    for (int t = 0; t < static_cast<int>(widths.size()); ++t) {
        const int width = widths[at(t)];
        for (int i = 0; i < width; ++i) {
            problem.nodes.push_back({t, outcomes(t, i), {}, 1});
        }
        const int next = t + 1 < static_cast<int>(widths.size()) ? widths[at(t) + 1] : 0;
        for (int i = 0; i < width; ++i) {
            for (int j = 0; j < next; ++j) {
                if (const double p = probability(t, i, j); p > 0) {
                    problem.arcs.push_back({first + i, first + width + j, p});
                }
            }
        }
        first += width;
    }
    return problem;
}

/// The problem as models can have it, whose outcomes are equally likely and move right-hand sides
/// and column bounds alone: a node where anything else depends on the outcome becomes a node an
/// outcome, and gets one before it if it is the root. The optimum is the same.
LinearProblem split_outcomes(const LinearProblem& problem);

/// The tree of all paths, with one outcome a node. The optimum is the same.
LinearProblem unrolled(const LinearProblem& problem);

}  // namespace lockstep::test
