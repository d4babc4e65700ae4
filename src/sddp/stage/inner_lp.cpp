#include "sddp/stage/inner_lp.hpp"

#include <cmath>

#include "lockstep/base/index.hpp"

#include "sddp/stage/right_hand_sides.hpp"

namespace lockstep::sddp {

namespace {

// Rows of the states that have a price follow those of the stage: a state that costs nothing either
// way may be anything.
std::vector<int> add_state_rows(const StageLp& stage,
                                const Vertices& vertices,
                                lp::ModelBuilder& builder) {
    std::vector<int> rows;
    for (std::size_t i = 0; i < vertices.more.size(); ++i) {
        const bool is_free = vertices.more[i] == 0 && vertices.less[i] == 0;
        rows.push_back(is_free ? -1 : builder.add_row(0, 0));
        if (!is_free && i < stage.decided.size() && stage.decided[i].column >= 0) {
            builder.add_entry(rows.back(), stage.decided[i].column, -1);
        }
    }
    return rows;
}

void add_vertices(const Vertices& vertices,
                  const std::vector<int>& rows,
                  double weight,
                  lp::ModelBuilder& builder) {
    const int sum = builder.add_row(1, 1);
    for (std::size_t v = 0; v < vertices.values.size(); ++v) {
        const int column = builder.add_column(weight * vertices.values[v], 0, lp::infinity);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (rows[i] >= 0) {
                builder.add_entry(rows[i], column, vertices.states[v][i]);
            }
        }
        builder.add_entry(sum, column, 1);
    }
}

void add_strays(const Vertices& vertices,
                const std::vector<int>& rows,
                double weight,
                lp::ModelBuilder& builder) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (const double sign : {1.0, -1.0}) {
            const double price = sign > 0 ? vertices.more[i] : vertices.less[i];
            if (rows[i] >= 0 && !std::isinf(price)) {
                builder.add_entry(
                    rows[i], builder.add_column(weight * price, 0, lp::infinity), sign);
            }
        }
    }
}

}  // namespace

InnerLp::InnerLp(const Model& model, int node, const Vertices& vertices)
    : stage_(model.lp(node)), states_(model.states()) {
    lp::ModelBuilder builder;
    builder.add(stage_.model);
    row_of_state_ = add_state_rows(stage_, vertices, builder);
    const double weight = stage_.discount * stage_.objective_scale;
    add_vertices(vertices, row_of_state_, weight, builder);
    add_strays(vertices, row_of_state_, weight, builder);
    lp_ = builder.build();
    // The vertices cost instead.
    lp_.column_lower[at(stage_.theta)] = lp_.column_upper[at(stage_.theta)] = 0;
}

double InnerLp::solve(lp::Solver& solver,
                      std::span<const double> incoming,
                      std::span<const double> older,
                      const Outcome& outcome) const {
    std::vector<double> lower(lp_.row_lower.begin(), lp_.row_lower.end());
    std::vector<double> upper(lp_.row_upper.begin(), lp_.row_upper.end());
    set_stage_sides(stage_, incoming, outcome, lower, upper);
    const auto fix = [&](int state, double value) {
        if (const int row = row_of_state_[at(state)]; row >= 0) {
            lower[at(row)] = upper[at(row)] = value;
        }
    };
    for (int i = 0; i < states_.decided; ++i) {
        const auto& slot = stage_.decided[at(i)];
        fix(i, slot.column < 0 ? slot.constant : 0);
    }
    for (int i = 0; i < states_.fresh; ++i) {
        fix(states_.decided + i, outcome.drawn[at(i)]);
    }
    for (std::size_t i = 0; i < older.size(); ++i) {
        fix(states_.decided + states_.fresh + static_cast<int>(i), older[i]);
    }
    solver.set_row_bounds(0, lower, upper);
    for (const auto& bound : outcome.bounds) {
        solver.set_column_bounds(bound.column, bound.lower, bound.upper);
    }
    return solver.solve() == lp::Status::optimal
               ? solver.objective() / stage_.objective_scale + stage_.constant_cost
               : lp::infinity;
}

}  // namespace lockstep::sddp
