#include "support/linear/linear_model.hpp"

#include <algorithm>
#include <numeric>

#include "lockstep/base/index.hpp"

#include "sddp/stage/stage_solver.hpp"
#include "support/dice.hpp"

namespace lockstep::test {

namespace {

sddp::Graph graph_of(const LinearProblem& problem) {
    sddp::PolicyGraph graph;
    for (const auto& node : problem.nodes) {
        graph.nodes.push_back({static_cast<int>(graph.nodes.size()), node.stage, -1, {}});
    }
    graph.arcs = problem.arcs;
    graph.back_to = problem.back_to;
    return {graph, problem.nodes.back().stage + 1};
}

// Of the columns the widest bounds that they have under any outcome: what leaves a node is held
// within them.
NodeForm widest(const LinearNode& node) {
    auto form = node.outcomes.front().form;
    for (const auto& outcome : node.outcomes) {
        for (std::size_t j = 0; j < form.columns.size(); ++j) {
            const auto& other = outcome.form.columns[j];
            form.columns[j].lower = std::min(form.columns[j].lower, other.lower);
            form.columns[j].upper = std::max(form.columns[j].upper, other.upper);
        }
    }
    return form;
}

std::vector<int> moved_bounds(const LinearNode& node) {
    std::vector<int> moved;
    const auto& first = node.outcomes.front().form.columns;
    for (std::size_t j = 0; j < first.size(); ++j) {
        const bool stays = std::ranges::all_of(node.outcomes, [&](const LinearOutcome& outcome) {
            const auto& column = outcome.form.columns[j];
            return column.lower == first[j].lower && column.upper == first[j].upper;
        });
        if (!stays) {
            moved.push_back(static_cast<int>(j));
        }
    }
    return moved;
}

lp::Model lp_of(
    const NodeForm& form, double scale, double discount, double least_future, double most_future) {
    lp::ModelBuilder builder;
    for (const auto& column : form.columns) {
        builder.add_column(column.cost * scale, column.lower, column.upper);
    }
    builder.add_column(discount, least_future, most_future);
    for (const auto& row : form.rows) {
        const int number = builder.add_row(row.lower, row.upper);
        for (const auto& term : row.columns) {
            builder.add_entry(number, term.index, term.coefficient);
        }
    }
    return builder.build();
}

// What stands on the left with the incoming states moves the right-hand side.
sddp::CouplingTable couplings_of(const NodeForm& form, std::size_t states) {
    sddp::CouplingTable table;
    for (std::size_t i = 0; i < states; ++i) {
        table.first.push_back(static_cast<int>(table.entries.size()));
        for (std::size_t r = 0; r < form.rows.size(); ++r) {
            for (const auto& term : form.rows[r].incoming) {
                if (at(term.index) == i) {
                    table.entries.push_back({static_cast<int>(r), -term.coefficient});
                }
            }
        }
    }
    table.first.push_back(static_cast<int>(table.entries.size()));
    return table;
}

std::vector<std::string> numbered_names(char letter, std::size_t count) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) {
        names.push_back(numbered(letter, static_cast<int>(i)));
    }
    return names;
}

// A step of SplitMix64 [Steele2014].
std::uint64_t mix(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
}

// In [0, 1), for what is drawn at a stage of a trajectory.
double uniform(std::uint64_t kind, int iteration, int scenario, int stage) {
    auto state = kind;
    for (const int part : {iteration, scenario, stage}) {
        state = mix(state ^ static_cast<std::uint64_t>(part));
    }
    return static_cast<double>(state >> 11) * 0x1p-53;
}

}  // namespace

LinearModel::LinearModel(LinearProblem problem)
    : problem_(std::move(problem)), graph_(graph_of(problem_)) {
    std::size_t most = 0;
    for (int n = 0; n < graph_.nodes(); ++n) {
        const auto& node = problem_.nodes[at(n)];
        const auto form = widest(node);
        const bool ends = graph_.is_leaf(n);
        auto& here = lps_.emplace_back();
        here.stage = node.stage;
        here.objective_scale = here.theta_scale = 1 / problem_.unit;
        here.model = lp_of(form,
                           here.objective_scale,
                           node.discount,
                           ends ? 0 : problem_.floor * here.theta_scale,
                           ends ? 0 : lp::infinity);
        here.theta = static_cast<int>(form.columns.size());
        here.discount = node.discount;
        here.constant_cost = form.constant;
        for (const int column : form.out) {
            here.decided.push_back({column, 0});
        }
        here.decided.resize(problem_.initial_state.size());
        here.decided_coupling = couplings_of(form, problem_.initial_state.size());
        moved_bounds_.push_back(moved_bounds(node));
        most = std::max(most, node.outcomes.size());
    }
    numbers_.resize(most);
    std::iota(numbers_.begin(), numbers_.end(), 0.0);
}

std::vector<int> LinearModel::outcome_path(int node) const {
    std::vector<int> path(at(outcomes(node)));
    std::iota(path.begin(), path.end(), 0);
    return path;
}

void LinearModel::draw(sddp::Purpose purpose,
                       int iteration,
                       int scenario,
                       int /*scenarios*/,
                       int node,
                       std::span<double> noise) const {
    const double u =
        uniform(purpose == sddp::Purpose::training ? 1 : 2, iteration, scenario, lp(node).stage);
    noise[0] = std::floor(u * outcomes(node));
}

int LinearModel::next_node(int iteration, int scenario, int node) const {
    return graph_.next(node, uniform(3, iteration, scenario, lp(node).stage));
}

void LinearModel::realise(int node,
                          std::span<const double> /*carried*/,
                          std::span<const double> noise,
                          sddp::Outcome& out) const {
    const auto& outcomes = problem_.nodes[at(node)].outcomes;
    const auto& first = outcomes.front().form;
    const auto& form = outcomes[static_cast<std::size_t>(noise[0])].form;
    out.drawn.clear();
    out.rows.clear();
    out.bounds.clear();
    for (std::size_t r = 0; r < form.rows.size(); ++r) {
        const double shift = std::isinf(form.rows[r].lower)
                                 ? form.rows[r].upper - first.rows[r].upper
                                 : form.rows[r].lower - first.rows[r].lower;
        if (shift != 0) {
            out.rows.push_back({static_cast<int>(r), shift});
        }
    }
    for (const int j : moved_bounds_[at(node)]) {
        out.bounds.push_back({j, form.columns[at(j)].lower, form.columns[at(j)].upper});
    }
}

sddp::StageResult LinearModel::record(int node,
                                      const sddp::StageSolver& solver,
                                      std::span<const double> /*state*/,
                                      const sddp::Outcome& /*outcome*/,
                                      double discount) const {
    sddp::StageResult result;
    result.stage = graph_.stage(node);
    result.node = node;
    result.cost.future = solver.future_cost();
    result.cost.immediate = solver.objective() - result.cost.future;
    result.cost.discount = discount;
    return result;
}

std::vector<std::string> LinearModel::column_names(int node) const {
    return numbered_names('x', at(lp(node).model.columns()));
}

std::vector<std::string> LinearModel::row_names(int node) const {
    return numbered_names('r', at(lp(node).model.rows()));
}

}  // namespace lockstep::test
