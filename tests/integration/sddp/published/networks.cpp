#include "sddp/published/published_problem.hpp"

// Systems of other programs (oracle-problems.md, 4.5): the three buses of HydroPowerModels.jl, with
// its direct-current power flow, and the three days of gtopt.

namespace lockstep::test {

namespace {

constexpr double hm3_per_mwh = 0.0036;

struct Branch {
    int from, to;
    double reactance, most;
};

NodeForm three_buses_form(double inflow) {
    NodeForm form;
    const int volume = form.state(0, 0.54);
    const int turbined = form.column(0, 80);
    const int spilled = form.column(0, lp::infinity);
    form.equal(hm3_per_mwh * inflow,
               {{volume}, {turbined, hm3_per_mwh}, {spilled, hm3_per_mwh}},
               {{0, -1}});
    std::vector<Term> balance[] = {
        {{turbined}}, {{form.column(0, 100, 20)}}, {{form.column(0, 50, 100)}}};
    const int angle[] = {form.column(0, 0),
                         form.column(-lp::infinity, lp::infinity),
                         form.column(-lp::infinity, lp::infinity)};
    for (const auto& [from, to, reactance, most] :
         {Branch{0, 2, 1, 100}, Branch{2, 1, 0.5, 65}, Branch{0, 1, 1, 25}}) {
        const int flow = form.column(-most, most);
        form.equal(0, {{flow, reactance}, {angle[from], -100}, {angle[to], 100}});
        balance[from].push_back({flow, -1});
        balance[to].push_back({flow, 1});
    }
    for (int bus = 0; bus < 3; ++bus) {
        form.equal(bus == 2 ? 100 : 0, balance[bus]);
    }
    return form;
}

// Inflows of twelve months; the three outcomes have 0.3, 0.4 and 0.3.
constexpr double wet[] = {120, 105, 90, 75, 60, 45, 30, 45, 60, 75, 90, 105};
constexpr double usual[] = {80, 70, 60, 50, 40, 30, 20, 30, 40, 50, 60, 70};
constexpr double dry[] = {40, 35, 30, 25, 20, 15, 10, 15, 20, 25, 30, 35};

LinearProblem three_buses(bool is_random) {
    return linear_chain({0.18}, 12, [=](int t) {
        return is_random ? std::vector<LinearOutcome>{{0.3, three_buses_form(wet[t])},
                                                      {0.4, three_buses_form(usual[t])},
                                                      {0.3, three_buses_form(dry[t])}}
                         : std::vector<LinearOutcome>{{1, three_buses_form(usual[t])}};
    });
}

LinearProblem three_days() {
    return linear_chain({100}, 3, [](int) {
        NodeForm form;
        int before = -1;
        for (int hour = 0; hour < 24; ++hour) {
            const int stored = form.column(0, 150);
            const int released = form.column(0, 100);
            const int hydro = form.column(0, 25, 5);
            const int thermal = form.column(0, 500, 50);
            const int unserved = form.column(0, 100, 1000);
            form.equal(100, {{hydro}, {thermal}, {unserved}});
            form.at_most(0, {{hydro}, {released, -1}});
            std::vector<Term> balance{{stored}, {released}};
            if (before >= 0) {
                balance.push_back({before, -1});
            }
            form.equal(10, balance, hour == 0 ? std::vector<Term>{{0, -1}} : std::vector<Term>{});
            before = stored;
        }
        form.out = {before};
        return std::vector<LinearOutcome>{{1, form}};
    });
}

}  // namespace

std::vector<PublishedProblem> network_problems() {
    return {
        {"hydropowermodels_case3det", [] { return three_buses(false); }},
        {"hydropowermodels_case3", [] { return three_buses(true); }, false, 100, 1, false},
        {"gtopt_hydro_3phase", three_days},
    };
}

}  // namespace lockstep::test
