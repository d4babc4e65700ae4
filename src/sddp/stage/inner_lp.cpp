#include "sddp/stage/inner_lp.hpp"

#include <cmath>

#include "lockstep/base/index.hpp"

#include "sddp/stage/right_hand_sides.hpp"

namespace lockstep::sddp {

namespace {

// Rows of the states follow those of the stage, then the one of the weights.
void add_state_rows(const StageLp& stage, int states, lp::ModelBuilder& builder) {
    for (int i = 0; i < states; ++i) {
        const int row = builder.add_row(0, 0);
        if (at(i) >= stage.decided.size()) {
            continue;
        }
        const auto& slot = stage.decided[at(i)];
        if (slot.column >= 0) {
            builder.add_entry(row, slot.column, -1);
        }
    }
    builder.add_row(1, 1);
}

void add_vertices(const Vertices& vertices, int first, double weight, lp::ModelBuilder& builder) {
    const int states = static_cast<int>(vertices.more.size());
    for (std::size_t v = 0; v < vertices.values.size(); ++v) {
        const int column = builder.add_column(weight * vertices.values[v], 0, lp::infinity);
        for (int i = 0; i < states; ++i) {
            builder.add_entry(first + i, column, vertices.states[v][at(i)]);
        }
        builder.add_entry(first + states, column, 1);
    }
    for (int i = 0; i < states; ++i) {
        for (const double sign : {1.0, -1.0}) {
            const double price = sign > 0 ? vertices.more[at(i)] : vertices.less[at(i)];
            if (!std::isinf(price)) {
                const int column = builder.add_column(weight * price, 0, lp::infinity);
                builder.add_entry(first + i, column, sign);
            }
        }
    }
}

}  // namespace

InnerLp::InnerLp(const Model& model, int node, const Vertices& vertices)
    : stage_(model.lp(node)), states_(model.states()) {
    lp::ModelBuilder builder;
    builder.add(stage_.model);
    add_state_rows(stage_, states_.size(), builder);
    add_vertices(vertices, stage_.model.rows(), stage_.discount * stage_.objective_scale, builder);
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
        lower[at(stage_.model.rows() + state)] = upper[at(stage_.model.rows() + state)] = value;
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
