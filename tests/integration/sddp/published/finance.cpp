#include <algorithm>
#include <cmath>

#include "sddp/published/published_problem.hpp"

// Portfolios and prices, as oracle-problems.md of the data states them: P5 to P7 there. Origin: the
// examples of SDDP.jl.

namespace lockstep::test {

namespace {

constexpr double stock_return[] = {1.25, 1.06};
constexpr double bond_return[] = {1.14, 1.12};

NodeForm purchase_form() {
    NodeForm form;
    const int stock = form.state(0, lp::infinity);
    const int bond = form.state(0, lp::infinity);
    form.equal(55, {{stock}, {bond}});
    return form;
}

std::vector<Term> returns(int i) {
    return {{0, -stock_return[i]}, {1, -bond_return[i]}};
}

NodeForm rebalance_form(int i, double cash, double reward) {
    NodeForm form;
    const int stock = form.state(0, lp::infinity, -reward);
    const int bond = form.state(0, lp::infinity);
    form.equal(cash, {{stock}, {bond}}, returns(i));
    return form;
}

NodeForm settlement_form(int i) {
    NodeForm form;
    const int over = form.column(0, lp::infinity, -1);
    const int shortfall = form.column(0, lp::infinity, 4);
    form.equal(-80, {{over}, {shortfall, -1}}, returns(i));
    return form;
}

LinearProblem assets(bool has_cash_flow) {
    auto problem = linear_markov(
        {0, 0},
        {1, 2, 2, 2},
        [](int, int, int) { return 0.5; },
        [=](int t, int i) -> std::vector<LinearOutcome> {
            if (t == 0) {
                return {{1, purchase_form()}};
            }
            if (t == 3) {
                return {{1, settlement_form(i)}};
            }
            if (!has_cash_flow) {
                return {{1, rebalance_form(i, 0, 0)}};
            }
            return {{0.6, rebalance_form(i, -1, 0.02)}, {0.4, rebalance_form(i, 5, 0)}};
        });
    problem.floor = -1000;
    return problem;
}

LinearProblem averse_assets() {
    auto problem = assets(true);
    for (auto& node : problem.nodes) {
        if (node.stage == 2) {
            node.risk_after = {0.5, 0.5, 0, 0, 0};
        }
    }
    return problem;
}

// Steps of the price in eighths: -2, -1, 1 or 2 a stage, so that after t of them it has moved by at
// most 2t. Its walk is a Markov chain, with a node a price.
constexpr int most_step = 2;

double step_probability(int step) {
    return step != 0 && std::abs(step) <= most_step ? 0.25 : 0;
}

LinearProblem price_walk() {
    std::vector<double> supplies;
    for (int k = 0; k <= 10; ++k) {
        supplies.push_back(0.05 * k);
    }
    auto problem = linear_markov(
        {2},
        {1, 2 * most_step + 1, 4 * most_step + 1, 6 * most_step + 1},
        [](int t, int i, int j) {
            return step_probability((j - most_step * (t + 1)) - (i - most_step * t));
        },
        [&](int t, int i) -> std::vector<LinearOutcome> {
            if (t == 0) {
                return {{1, pass_through(1)}};
            }
            const double price = 1.5 + 0.125 * (i - most_step * t);
            return equally_likely(supplies, [price](double supply) {
                NodeForm form;
                const int stock = form.state(0, lp::infinity);
                const int sold = form.column(0, 1, -price);
                form.equal(supply, {{stock}, {sold}}, {{0, -1}});
                return form;
            });
        });
    problem.floor = -10;
    return problem;
}

}  // namespace

std::vector<PublishedProblem> finance_problems() {
    return {
        {"asset_management_simple", [] { return assets(false); }},
        {"asset_management_stagewise_eavar", averse_assets, true},
        {"newsvendor_objective_state", price_walk, true, 300, 4, false},
    };
}

}  // namespace lockstep::test
