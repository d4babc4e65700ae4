#include <cmath>

#include "sddp/published/published_problem.hpp"

// Reservoirs and stocks, as oracle-problems.md of the data states them: H1 to H11 there. Origin:
// the examples and tests of SDDP.jl, with the FAST and StochDynamicProgramming examples among them.

namespace lockstep::test {

namespace {

struct Hydro {
    double inflow = 0;
    double price = 1;  // factor of the fuel
};

NodeForm hydro_thermal_form(int stage, const Hydro& noise) {
    NodeForm form;
    const int volume = form.state(0, 200);
    const int hydro = form.column(0, lp::infinity);
    const int spill = form.column(0, lp::infinity);
    const int thermal = form.column(0, lp::infinity, 50.0 * (stage + 1) * noise.price);
    form.equal(150, {{hydro}, {thermal}});
    form.equal(noise.inflow, {{volume}, {hydro}, {spill}}, {{0, -1}});
    return form;
}

LinearProblem hydro_thermal() {
    return linear_chain({200}, 3, [](int t) {
        return equally_likely(std::vector<Hydro>{{0}, {50}, {100}},
                              [t](const Hydro& noise) { return hydro_thermal_form(t, noise); });
    });
}

LinearProblem hydro_markov() {
    const auto outcomes = [](int t, int i) {
        const double wet = i == 0 ? 1.0 / 2 : 1.0 / 6;
        return std::vector<LinearOutcome>{{2.0 / 3 - wet, hydro_thermal_form(t, {0, 1.5})},
                                          {1.0 / 3, hydro_thermal_form(t, {50, 1})},
                                          {wet, hydro_thermal_form(t, {100, 0.75})}};
    };
    const auto probability = [](int, int i, int j) { return i == j ? 0.75 : 0.25; };
    return linear_markov({200}, {1, 2, 2}, probability, outcomes);
}

LinearProblem fast_hydro(int stages) {
    return linear_chain({0}, stages, [](int t) {
        const std::vector<double> rains = t == 0 ? std::vector{6.0} : std::vector{2.0, 10.0};
        return equally_likely(rains, [](double rain) {
            NodeForm form;
            const int level = form.state(0, 8);
            const int release = form.column(0, lp::infinity);
            const int thermal = form.column(0, lp::infinity, 5);
            form.at_least(6, {{thermal}, {release}});
            form.at_most(rain, {{level}, {release}}, {{0, -1}});
            return form;
        });
    });
}

LinearProblem stock() {
    std::vector<double> noises;
    for (int k = 0; k < 10; ++k) {
        noises.push_back(k / 30.0);
    }
    auto problem = linear_chain({0.5}, 5, [&](int t) {
        return equally_likely(noises, [t](double noise) {
            NodeForm form;
            const int level = form.state(0, 1);
            const int control = form.column(0, 0.5, std::sin(3.0 * (t + 1)) - 1);
            form.equal(noise, {{level}, {control}}, {{0, -1}});
            return form;
        });
    });
    problem.floor = -5;
    return problem;
}

LinearProblem three_stocks() {
    std::vector<std::vector<double>> noises;
    for (const double a : {0.0, 0.15, 0.3}) {
        for (const double b : {0.0, 0.15, 0.3}) {
            for (const double c : {0.0, 0.15, 0.3}) {
                noises.push_back({a, b, c});
            }
        }
    }
    auto problem = linear_chain({0.5, 0.5, 0.5}, 5, [&](int t) {
        return equally_likely(noises, [t](const std::vector<double>& noise) {
            NodeForm form;
            std::vector<Term> controls;
            for (int i = 0; i < 3; ++i) {
                const int level = form.state(0, 1);
                const int control = form.column(0, 0.5, std::sin(3.0 * (t + 1)) - 1);
                form.equal(-noise[at(i)], {{level}, {control, -1}}, {{i, -1}});
                controls.push_back({control});
            }
            form.at_most(1.5, controls);
            return form;
        });
    });
    problem.floor = -20;
    return problem;
}

struct Week {
    double inflow = 0, demand = 0;
};

NodeForm demand_form(const Week& week, double spill_cost, double thermal_cost) {
    NodeForm form;
    const int volume = form.state(5, 15);
    const int hydro = form.column(0, lp::infinity);
    const int spill = form.column(0, lp::infinity, spill_cost);
    const int thermal = form.column(0, lp::infinity, thermal_cost);
    form.equal(week.demand, {{hydro}, {thermal}});
    form.equal(week.inflow, {{volume}, {hydro}, {spill}}, {{0, -1}});
    return form;
}

LinearProblem hydro_demand(int stages) {
    return linear_chain({10}, stages, [](int) {
        return equally_likely(std::vector<Week>{{0, 7.5}, {5, 5}, {10, 2.5}},
                              [](const Week& week) { return demand_form(week, 10, 1); });
    });
}

// Thermal power of a week costs its number; after the third the first follows.
LinearProblem three_weeks() {
    auto problem = linear_chain({10}, 3, [](int t) {
        return equally_likely(std::vector<Week>{{0, 7.5}, {3, 5}, {10, 2.5}},
                              [t](const Week& week) { return demand_form(week, 1, t + 1); });
    });
    problem.back_to = 0;
    problem.nodes.back().discount = 0.95;
    return problem;
}

// Some cycles are unrolled: costs are 0 or more, so the optimum of so many rounds comes to that of
// the cycle from below, and what is left falls with the probability to go on.
LinearProblem discounted(LinearProblem problem, double probability) {
    for (auto& node : problem.nodes) {
        node.discount = probability;
    }
    return problem;
}

// A state that stays at 1 and costs so much a stage.
LinearProblem constant(double cost, int stages) {
    return linear_chain({1}, stages, [cost](int) {
        NodeForm form;
        const int state = form.state(0, lp::infinity, cost);
        form.equal(0, {{state}}, {{0, -1}});
        return std::vector<LinearOutcome>{{1, form}};
    });
}

struct Rain {
    double first = 0, second = 0;
};

NodeForm valley_form(double price, const Rain& rain) {
    struct Point {
        double flow, power;
    };
    NodeForm form;
    const double rains[] = {rain.first, rain.second};
    std::vector<Term> released;  // from the reservoir above
    for (int r = 0; r < 2; ++r) {
        const int volume = form.state(0, 200);
        const int spill = form.column(0, lp::infinity, 1000);
        const int inflow = form.column(0, rains[r]);
        std::vector<Term> balance{{volume}, {spill}, {inflow, -1}};
        std::vector<Term> weights;
        std::vector<Term> out{{spill, -1}};
        for (const auto& [flow, power] : {Point{50, 55}, Point{60, 65}, Point{70, 70}}) {
            const int weight = form.column(0, lp::infinity, -price * power);
            weights.push_back({weight});
            balance.push_back({weight, flow});
            out.push_back({weight, -flow});
        }
        balance.insert(balance.end(), released.begin(), released.end());
        released = out;
        form.at_most(1, weights);
        form.equal(0, balance, {{r, -1}});
    }
    return form;
}

struct Valley {
    bool is_random = false;
    bool is_markov = false;
    sddp::RiskMeasure risk;
};

LinearProblem valley(const Valley& kind) {
    const auto outcomes = [&](int t, int i) {
        const double price[3][2] = {{1, 1}, {2, 1}, {3, 4}};
        const auto rains = t > 0 && kind.is_random ? std::vector<Rain>{{0, 0}, {20, 0}, {50, 20}}
                                                   : std::vector<Rain>{{0, 0}};
        return equally_likely(rains,
                              [&](const Rain& rain) { return valley_form(price[t][i], rain); });
    };
    const auto probability = [&](int t, int i, int j) {
        const double to_first = t == 1 && i == 1 ? 0.3 : 0.6;
        return j == 0 ? to_first : 1 - to_first;
    };
    auto problem = kind.is_markov
                       ? linear_markov({200, 200}, {1, 2, 2}, probability, outcomes)
                       : linear_chain({200, 200}, 3, [&](int t) { return outcomes(t, 0); });
    for (auto& node : problem.nodes) {
        node.risk_after = kind.risk;
    }
    problem.floor = -2000;
    return problem;
}

LinearProblem two_objectives(double lambda) {
    std::vector<double> inflows;
    for (int k = 0; k <= 10; ++k) {
        inflows.push_back(5 * k);
    }
    return linear_chain({50}, 3, [&](int) {
        return equally_likely(inflows, [&](double inflow) {
            NodeForm form;
            const int volume = form.state(0, 200);
            const int turbined = form.column(0, 150);
            const int spill = form.column(0, lp::infinity);
            const int cheap = form.column(0, 100, lambda);
            const int dear = form.column(0, 100, 10 * lambda);
            const int shortage = form.column(0, lp::infinity, 1 - lambda);
            form.equal(150, {{cheap}, {dear}, {turbined}});
            form.equal(inflow, {{volume}, {turbined}, {spill}}, {{0, -1}});
            form.at_least(40, {{shortage}, {volume}});
            form.at_least(60, {{shortage}, {volume, 2}});
            form.at_least(80, {{shortage}, {volume, 4}});
            return form;
        });
    });
}

PublishedProblem two_objectives_problem(const std::string& lambda) {
    return {"biobjective_hydro_" + lambda, [lambda] { return two_objectives(std::stod(lambda)); }};
}

}  // namespace

std::vector<PublishedProblem> hydro_problems() {
    const sddp::RiskMeasure half_tail{0.66, 0.5, 0, 0, 0};
    const sddp::RiskMeasure half_worst{1, 0, 0.5, 0, 0};
    // With this radius the set of probabilities is all of them but for a rounding.
    const sddp::RiskMeasure worst{1, 0, 1, 0, 0};
    const auto valley_of = [](const std::string& id, const Valley& kind) {
        return PublishedProblem{id, [kind] { return valley(kind); }, true};
    };
    auto as_minimum = valley_of("hydro_valley_worst_05_00", {true, true, half_worst});
    as_minimum.is_maximum = false;
    return {
        {"hydro3_first_steps", hydro_thermal},
        {"hydro3_markov", hydro_markov},
        {"fast_hydro_2", [] { return fast_hydro(2); }},
        {"fast_hydro_3", [] { return fast_hydro(3); }},
        {"fast_hydro_5", [] { return fast_hydro(5); }},
        {"stock_5", stock, false, 300, 1, false},
        {"multistock_5", three_stocks, false, 300, 4, false},
        {"hydro_demand_finite_1", [] { return hydro_demand(1); }},
        {"hydro_demand_finite_2", [] { return hydro_demand(2); }},
        {"hydro_demand_finite_4", [] { return hydro_demand(4); }},
        {"hydro_demand_finite_20", [] { return hydro_demand(20); }, false, 200, 4, false},
        {"hydro_demand_cyclic_09",
         [] { return discounted(hydro_demand(140), 0.9); },
         false,
         300,
         1,
         false},
        {"hydro_unicyclic_095", three_weeks, false, 2000, 4, false},
        {"trivial_cyclic_09", [] { return discounted(constant(2, 180), 0.9); }},
        {"no_strong_duality", [] { return discounted(constant(1, 30), 0.5); }},
        valley_of("hydro_valley_det", {}),
        valley_of("hydro_valley_stagewise", {true, false, {}}),
        valley_of("hydro_valley_markov", {false, true, {}}),
        valley_of("hydro_valley_markov_stagewise", {true, true, {}}),
        valley_of("hydro_valley_eavar_05_066", {true, true, half_tail}),
        as_minimum,
        valley_of("hydro_valley_chi2_sqrt23", {true, false, worst}),
        two_objectives_problem("0"),
        two_objectives_problem("0.1"),
        two_objectives_problem("0.25"),
        two_objectives_problem("0.5"),
        two_objectives_problem("0.75"),
        two_objectives_problem("0.9"),
        two_objectives_problem("1.0"),
    };
}

}  // namespace lockstep::test
