#include <cmath>

#include "sddp/published/published_problem.hpp"

// Production, investment and farming, as oracle-problems.md of the data states them (H4, H5, P1 to
// P4 and the first rows of its section 4.3). Origin: the examples and tests of SDDP.jl.

namespace lockstep::test {

namespace {

LinearProblem production() {
    auto problem = linear_chain({0, 0}, 3, [](int t) {
        const auto demands = t == 0 ? std::vector{0.0} : std::vector{2.0, 10.0};
        return equally_likely(demands, [](double demand) {
            NodeForm form;
            form.state(0, lp::infinity, 0.2);
            form.state(0, lp::infinity, 0.7);
            const int sold[] = {form.column(0, lp::infinity, -2.33),
                                form.column(0, lp::infinity, -2.54)};
            form.at_most(0, {{sold[0]}}, {{0, -1}});
            form.at_most(0, {{sold[1]}}, {{1, -1}});
            form.at_most(demand, {{sold[0]}, {sold[1]}});
            return form;
        });
    });
    problem.floor = -100;
    return problem;
}

// Bought in the first stage at 1, sold in the second up to a limit.
LinearProblem bought_and_sold(const std::vector<LinearOutcome>& second) {
    NodeForm first;
    first.state(0, lp::infinity, 1);
    auto problem = linear_chain({0}, 2, [&](int t) {
        return t == 0 ? std::vector<LinearOutcome>{{1, first}} : second;
    });
    problem.floor = -100;
    return problem;
}

NodeForm sale(double price, double limit) {
    NodeForm form;
    const int sold = form.column(0, limit, -price);
    form.at_most(0, {{sold}}, {{0, -1}});
    return form;
}

LinearProblem quick_start() {
    return bought_and_sold({{0.5, sale(2, 2)}, {0.5, sale(2, 3)}});
}

LinearProblem news_vendor() {
    return bought_and_sold({{0.4, sale(1.5, 10)}, {0.6, sale(1.5, 14)}});
}

struct Blocks {
    double demand[3];
};

NodeForm capacity_form(bool is_first, bool is_last, double penalty, const Blocks& blocks) {
    const double build[] = {16, 5, 32, 2};
    const double run[] = {25, 80, 6.5, 160};
    const double length[] = {1, 7000.0 / 8760, 1500.0 / 8760};
    NodeForm form;
    std::vector<Term> supply[3];
    for (int i = 0; i < 4; ++i) {
        const int capacity = form.state(0, lp::infinity);
        const int built = form.column(0, is_last ? 0 : lp::infinity, build[i]);
        form.equal(0, {{capacity}, {built, -1}}, {{i, -1}});
        std::vector<Term> use;
        for (int j = 0; j < 3; ++j) {
            use.push_back({form.column(0, lp::infinity, run[i] * length[j])});
            supply[j].push_back(use.back());
        }
        form.at_most(0, use, {{i, -1}});
    }
    const int unmet = form.column(0, lp::infinity, penalty);
    for (int j = 0; j < 3; ++j) {
        supply[j].push_back({unmet});
        form.at_least(is_first ? 0 : blocks.demand[j], supply[j]);
    }
    return form;
}

LinearProblem capacities(int stages, double penalty) {
    const Blocks usual{{3919, 7329 - 3919, 10315 - 7329}};
    const Blocks high{{7086, 9004 - 7086, 11169 - 9004}};
    return linear_chain({0, 0, 0, 0}, stages, [&](int t) {
        const bool is_last = t + 1 == stages;
        const auto form = [&](const Blocks& blocks) {
            return capacity_form(t == 0, is_last, penalty, blocks);
        };
        return t == 0 ? std::vector<LinearOutcome>{{1, form(usual)}}
                      : std::vector<LinearOutcome>{{0.9, form(usual)}, {0.1, form(high)}};
    });
}

NodeForm plants_form() {
    const double build[] = {10, 7, 16, 6};
    NodeForm form;
    std::vector<Term> total;
    std::vector<Term> cost;
    for (const double price : build) {
        const int built = form.state(0, lp::infinity, price);
        total.push_back({built});
        cost.push_back({built, price});
    }
    form.at_least(12, total);
    form.at_most(120, cost);
    return form;
}

NodeForm dispatch_form(double first_demand) {
    const double run[4][3] = {{40, 24, 4}, {45, 27, 4.5}, {32, 19.2, 3.2}, {55, 33, 5.5}};
    const double demand[] = {first_demand, 3, 2};
    NodeForm form;
    std::vector<Term> supply[3];
    for (int i = 0; i < 4; ++i) {
        std::vector<Term> use;
        for (int j = 0; j < 3; ++j) {
            use.push_back({form.column(0, lp::infinity, run[i][j])});
            supply[j].push_back(use.back());
        }
        form.at_most(0, use, {{i, -1}});
    }
    for (int j = 0; j < 3; ++j) {
        form.at_least(demand[j], supply[j]);
    }
    return form;
}

LinearProblem electric() {
    return linear_chain({0, 0, 0, 0}, 2, [](int t) {
        return t == 0
                   ? std::vector<LinearOutcome>{{1, plants_form()}}
                   : std::vector<LinearOutcome>{
                         {0.3, dispatch_form(3)}, {0.4, dispatch_form(5)}, {0.3, dispatch_form(7)}};
    });
}

NodeForm planting_form() {
    NodeForm form;
    std::vector<Term> area;
    for (const double price : {150.0, 230.0, 260.0}) {
        area.push_back({form.state(0, lp::infinity, price)});
    }
    form.at_most(500, area);
    return form;
}

NodeForm harvest_form(double factor) {
    NodeForm form;
    const int wheat_bought = form.column(0, lp::infinity, 238);
    const int wheat_sold = form.column(0, lp::infinity, -170);
    const int corn_bought = form.column(0, lp::infinity, 210);
    const int corn_sold = form.column(0, lp::infinity, -150);
    const int beet_within = form.column(0, 6000, -36);
    const int beet_above = form.column(0, lp::infinity, -10);
    form.at_least(200, {{wheat_bought}, {wheat_sold, -1}}, {{0, 2.5 * factor}});
    form.at_least(240, {{corn_bought}, {corn_sold, -1}}, {{1, 3 * factor}});
    form.at_least(0, {{beet_within, -1}, {beet_above, -1}}, {{2, 20 * factor}});
    return form;
}

LinearProblem farmer() {
    auto problem = linear_chain({0, 0, 0}, 2, [](int t) {
        return t == 0 ? std::vector<LinearOutcome>{{1, planting_form()}}
                      : equally_likely(std::vector{1.2, 1.0, 0.8}, harvest_form);
    });
    problem.floor = -1e6;
    return problem;
}

// Acres, then bales of three cuttings.
NodeForm fallow_form() {
    auto form = pass_through(4);
    form.columns[0] = {0, 60, 0};
    form.rows[0].lower = -lp::infinity;
    return form;
}

NodeForm cutting_form(int cutting, int weather) {
    const double yield[3][3] = {{30, 75, 37.5}, {15, 37.5, 18.25}, {7.5, 18.75, 9.325}};
    const double demand[] = {210, 210, 858};
    const double days[] = {60, 60, 245};
    const double feeding[3][3] = {{0, 1, 2}, {0, 0, 1}, {0, 0, 0}};
    NodeForm form;
    const int acres = form.state(0, 60, 50);
    form.equal(0, {{acres}}, {{0, -1}});
    std::vector<Term> fed;
    std::vector<Term> all_sold;
    std::vector<Term> stored;
    for (int c = 0; c < 3; ++c) {
        const int bales = form.state(0, lp::infinity);
        const int before = form.column(0, lp::infinity, 0.05 * days[cutting]);
        const int bought = form.column(0, lp::infinity, 5.0 + c);
        const int eaten = form.column(0, lp::infinity, feeding[c][cutting]);
        const int sold = form.column(0, lp::infinity, -(4.5 + c));
        const int lacking = form.column(0, lp::infinity, 1000);
        const int surplus = form.column(0, lp::infinity, 1000);
        form.equal(0, {{before}}, {{c + 1, -1}});
        form.equal(0,
                   {{bales},
                    {before, -1},
                    {bought, -1},
                    {eaten},
                    {sold},
                    {lacking, -1},
                    {surplus},
                    {acres, c == cutting ? -yield[cutting][weather] : 0}});
        form.at_most(0, {{sold}, {before, -1}});
        fed.push_back({eaten});
        all_sold.push_back({sold});
        stored.push_back({bales});
    }
    form.at_least(demand[cutting], fed);
    form.at_most(3000, all_sold);
    form.at_most(3000, stored);
    return form;
}

LinearProblem hay_farm() {
    auto problem = linear_markov(
        {60, 0, 0, 0},
        {1, 3, 3, 3},
        [](int, int, int j) { return j == 0 ? 0.14 : (j == 1 ? 0.69 : 0.17); },
        [](int t, int weather) {
            return std::vector<LinearOutcome>{
                {1, t == 0 ? fallow_form() : cutting_form(t - 1, weather)}};
        });
    problem.floor = -1e6;
    return problem;
}

NodeForm conditioners_form(double demand) {
    NodeForm form;
    const int stored = form.state(0, 100, 50);
    const int made = form.column(0, 200, 100);
    const int overtime = form.column(0, lp::infinity, 300);
    form.equal(-demand, {{stored}, {made, -1}, {overtime, -1}}, {{0, -1}});
    return form;
}

LinearProblem conditioners(double high, bool is_first_random, const sddp::RiskMeasure& at_root) {
    auto problem = linear_chain({0}, 3, [&](int t) {
        return t == 0 && !is_first_random
                   ? std::vector<LinearOutcome>{{1, conditioners_form(100)}}
                   : std::vector<LinearOutcome>{{1 - high, conditioners_form(100)},
                                                {high, conditioners_form(300)}};
    });
    problem.risk_at_root = at_root;
    return problem;
}

NodeForm expansion_form(int stage, double demand) {
    const double factor = std::pow(0.99, stage);
    NodeForm form;
    std::vector<Term> capacity;
    for (int i = 0; i < 5; ++i) {
        const int built = form.state(0, 1);
        const int added = form.column(0, 1, 1e4 * factor);
        form.equal(0, {{built}, {added, -1}}, {{i, -1}});
        if (i > 0) {
            form.at_most(0, {{form.out[at(i) - 1]}, {built, -1}});
        }
        capacity.push_back({built});
    }
    const int used = form.column(0, lp::infinity, 4 * factor);
    const int unmet = form.column(0, lp::infinity, 5e5);
    capacity.push_back({used, -1});
    form.at_least(0, capacity);
    form.at_least(demand, {{used}, {unmet}});
    return form;
}

LinearProblem expansion() {
    const std::vector<std::vector<double>> doubled{{5, 5, 5, 5, 5, 5, 5, 5},
                                                   {4, 3, 1, 3, 0, 9, 8, 17},
                                                   {0, 9, 4, 2, 19, 19, 13, 7},
                                                   {25, 11, 4, 14, 4, 6, 15, 12},
                                                   {6, 7, 5, 3, 8, 4, 17, 13}};
    return linear_chain({0, 0, 0, 0, 0}, 5, [&](int t) {
        return equally_likely(doubled[at(t)],
                              [t](double demand) { return expansion_form(t, demand / 2); });
    });
}

}  // namespace

std::vector<PublishedProblem> planning_problems() {
    const sddp::RiskMeasure mean;
    const sddp::RiskMeasure worst{1, 0, 1, 0, 0};
    return {
        {"fast_production", production},
        {"fast_quickstart", quick_start},
        {"sof_newsvendor", news_vendor, true},
        {"prob52_2stage", [] { return capacities(2, 1e6); }},
        {"prob52_3stage", [] { return capacities(3, 1e5); }},
        {"electric_3scen", electric},
        {"farmer", farmer, true},
        {"mccardle_farm", hay_farm, false, 200},
        {"air_conditioning", [=] { return conditioners(0.5, false, mean); }},
        {"air_conditioning_p06", [=] { return conditioners(0.6, false, mean); }},
        {"air_conditioning_root_expectation", [=] { return conditioners(0.5, true, mean); }},
        {"air_conditioning_root_worst", [=] { return conditioners(0.5, true, worst); }},
        {"generation_expansion_lp", expansion, false, 300, 1, false},
    };
}

}  // namespace lockstep::test
