#include "sddp/passes/bounds/recourse.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "lockstep/base/index.hpp"

namespace lockstep::sddp {

namespace {

/// Directions in which the columns of a node's LP may go without end, as an LP: its optimum at a
/// shift of the rows is the cheapest answer to that shift.
class Recourse {
public:
    Recourse(const Model& model,
             int node,
             const StatePrices& after,
             lp::SolverKind kind,
             const lp::SolverOptions& options)
        : stage_(model.lp(node)), solver_(lp::make_solver(kind, options)) {
        mark_changing(model, node);
        list_rows();
        solver_->load(build(after));
    }

    /// [$], infinity where there is no answer.
    double price(std::span<const Coupling> couplings, double sign) {
        if (couplings.empty()) {
            return 0;
        }
        move(couplings, sign);
        const bool is_answered = solver_->solve() == lp::Status::optimal;
        const double cost = solver_->objective() / stage_.objective_scale;
        move(couplings, 0);
        return is_answered ? std::max(0.0, cost) : lp::infinity;
    }

private:
    // Columns whose bounds an outcome changes count as limited.
    void mark_changing(const Model& model, int node) {
        changes_.assign(at(stage_.model.columns()), false);
        const auto outcome = model.make_outcome();
        const auto state = model.initial_state();
        model.realise(node,
                      std::span(state).subspan(at(model.states().decided)),
                      model.noise(node, 0),
                      *outcome);
        for (const auto& bound : outcome->bounds) {
            changes_[at(bound.column)] = true;
        }
        changes_[at(stage_.theta)] = true;  // states are priced instead
    }

    void list_rows() {
        for (int r = 0; r < stage_.model.rows(); ++r) {
            lower_.push_back(std::isinf(stage_.model.row_lower[at(r)]) ? -lp::infinity : 0);
            upper_.push_back(std::isinf(stage_.model.row_upper[at(r)]) ? lp::infinity : 0);
        }
    }

    // A column goes up at its cost, and down at another: states have different prices either way.
    [[nodiscard]] lp::Model build(const StatePrices& after) const {
        const auto& model = stage_.model;
        std::vector<double> more(at(model.columns()));
        std::vector<double> less(at(model.columns()));
        for (std::size_t i = 0; i < stage_.decided.size(); ++i) {
            if (const int column = stage_.decided[i].column; column >= 0) {
                const double weight = stage_.discount * stage_.objective_scale;
                more[at(column)] += weight * after.more[i];
                less[at(column)] += weight * after.less[i];
            }
        }
        lp::ModelBuilder builder;
        for (std::size_t r = 0; r < lower_.size(); ++r) {
            builder.add_row(lower_[r], upper_[r]);
        }
        for (int j = 0; j < model.columns(); ++j) {
            if (std::isinf(model.column_upper[at(j)])) {
                add(builder, j, 1, model.cost[at(j)] + more[at(j)]);
            }
            if (std::isinf(model.column_lower[at(j)])) {
                add(builder, j, -1, -model.cost[at(j)] + less[at(j)]);
            }
        }
        return builder.build();
    }

    void add(lp::ModelBuilder& builder, int column, double sign, double cost) const {
        if (changes_[at(column)] || std::isinf(cost)) {
            return;
        }
        const int direction = builder.add_column(cost, 0, lp::infinity);
        const auto& model = stage_.model;
        for (int e = model.column_start[at(column)]; e < model.column_start[at(column) + 1]; ++e) {
            builder.add_entry(model.row_index[at(e)], direction, sign * model.value[at(e)]);
        }
    }

    void move(std::span<const Coupling> couplings, double sign) {
        std::vector<std::pair<int, double>> amounts;
        for (const auto& [row, coefficient] : couplings) {
            const auto known = std::find_if(
                amounts.begin(), amounts.end(), [r = row](const auto& a) { return a.first == r; });
            if (known == amounts.end()) {
                amounts.emplace_back(row, sign * coefficient);
            } else {
                known->second += sign * coefficient;
            }
        }
        for (const auto& [row, amount] : amounts) {
            solver_->set_row_bounds(row, lower_[at(row)] + amount, upper_[at(row)] + amount);
        }
    }

    const StageLp& stage_;
    std::unique_ptr<lp::Solver> solver_;
    std::vector<bool> changes_;  // [columns]
    std::vector<double> lower_, upper_;
};

// 0 · infinity counts as 0.
double times(double factor, double price) {
    return factor == 0 ? 0 : factor * price;
}

// Equation (11) with absolute values: by the carried states, from prices by what is drawn and by
// the older states.
void carry_prices(const Model& model,
                  int node,
                  const StatePrices& drawn,
                  const StatePrices& after,
                  std::span<double> more,
                  std::span<double> less) {
    const auto states = model.states();
    const auto inputs = drawn.more.size();
    std::vector<double> by_drawn(inputs);
    std::vector<double> by_older(at(states.older));
    std::vector<double> slopes(more.size());
    const auto add = [&](double price_more, double price_less) {
        model.carry_back(node, by_drawn, by_older, slopes);
        for (std::size_t j = 0; j < slopes.size(); ++j) {
            const double size = std::abs(slopes[j]);
            more[j] += times(size, slopes[j] > 0 ? price_more : price_less);
            less[j] += times(size, slopes[j] > 0 ? price_less : price_more);
        }
    };
    for (std::size_t i = 0; i < inputs; ++i) {
        by_drawn[i] = 1;
        add(drawn.more[i], drawn.less[i]);
        by_drawn[i] = 0;
    }
    const double discount = model.lp(node).discount;
    for (std::size_t k = 0; k < by_older.size(); ++k) {
        by_older[k] = 1;
        const auto state = at(states.decided + states.fresh) + k;
        add(times(discount, after.more[state]), times(discount, after.less[state]));
        by_older[k] = 0;
    }
}

// Of the states before a node, from those after it.
StatePrices prices_before(const Model& model,
                          int node,
                          const StatePrices& after,
                          lp::SolverKind kind,
                          const lp::SolverOptions& options) {
    const auto states = model.states();
    const auto& stage = model.lp(node);
    Recourse recourse(model, node, after, kind, options);
    StatePrices prices{std::vector<double>(at(states.size())),
                       std::vector<double>(at(states.size()))};
    for (int i = 0; i < states.decided; ++i) {
        prices.more[at(i)] = recourse.price(stage.decided_coupling.of(i), 1);
        prices.less[at(i)] = recourse.price(stage.decided_coupling.of(i), -1);
    }
    if (states.carried() == 0) {
        return prices;
    }
    StatePrices drawn;
    for (int i = 0; i < stage.drawn_coupling.inputs(); ++i) {
        const auto state = at(states.decided + i);
        const bool stays = i < states.fresh;
        drawn.more.push_back(recourse.price(stage.drawn_coupling.of(i), 1) +
                             (stays ? times(stage.discount, after.more[state]) : 0));
        drawn.less.push_back(recourse.price(stage.drawn_coupling.of(i), -1) +
                             (stays ? times(stage.discount, after.less[state]) : 0));
    }
    carry_prices(model,
                 node,
                 drawn,
                 after,
                 std::span(prices.more).subspan(at(states.decided)),
                 std::span(prices.less).subspan(at(states.decided)));
    return prices;
}

// The steepest that any cut of the boundary is.
StatePrices boundary_prices(const Model& model) {
    const auto states = at(model.states().size());
    StatePrices prices{std::vector<double>(states), std::vector<double>(states)};
    for (int cut = 0; cut < model.boundary().size(); ++cut) {
        const auto slopes = model.boundary().slopes.row(cut);
        for (std::size_t i = 0; i < states; ++i) {
            prices.more[i] = std::max(prices.more[i], slopes[i]);
            prices.less[i] = std::max(prices.less[i], -slopes[i]);
        }
    }
    return prices;
}

void raise(const StatePrices& to, StatePrices& prices) {
    for (std::size_t i = 0; i < prices.more.size(); ++i) {
        prices.more[i] = std::max(prices.more[i], to.more[i]);
        prices.less[i] = std::max(prices.less[i], to.less[i]);
    }
}

}  // namespace

std::vector<StatePrices> state_prices(const Model& model,
                                      lp::SolverKind kind,
                                      const lp::SolverOptions& options) {
    const auto& graph = model.graph();
    const auto states = at(model.states().size());
    std::vector<StatePrices> prices(at(graph.nodes()));
    std::vector<StatePrices> before(at(graph.nodes()));
    for (int node = graph.nodes() - 1; node >= 0; --node) {
        auto& here = prices[at(node)];
        here = graph.is_leaf(node)
                   ? boundary_prices(model)
                   : StatePrices{std::vector<double>(states), std::vector<double>(states)};
        for (const auto& arc : graph.after(node)) {
            raise(before[at(arc.to)], here);
        }
        before[at(node)] = prices_before(model, node, here, kind, options);
    }
    return prices;
}

}  // namespace lockstep::sddp
