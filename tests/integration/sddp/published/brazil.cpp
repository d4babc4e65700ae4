#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "sddp/published/published_problem.hpp"
#include "support/places.hpp"

// The Brazilian system of four subsystems (oracle-problems.md, 4.4): published by Shapiro, Tekaya,
// da Costa and Soares in 2013, data of msppy.

namespace lockstep::test {

namespace {

using Table = std::vector<std::vector<double>>;

// Rows without their header and first field.
Table read_table(const std::string& name) {
    std::ifstream in(source_dir() / "tests" / "data" / "sddp" / "msppy_brazil" / (name + ".csv"));
    Table table;
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
        std::ranges::replace(line, ';', ',');
        std::erase(line, '\r');
        if (line.empty() || line.find("NA") != std::string::npos) {
            continue;  // of 1983 nothing is known
        }
        std::istringstream fields(line);
        std::string field;
        std::getline(fields, field, ',');
        auto& row = table.emplace_back();
        while (std::getline(fields, field, ',')) {
            row.push_back(std::stod(field));
        }
    }
    return table;
}

struct Brazil {
    static constexpr int systems = 4;
    static constexpr int years = 82;
    Table reservoirs = read_table("hydro");  // 4 storages, 4 inflows, 4 generations: bound, initial
    Table demand = read_table("demand");
    Table deficit = read_table("deficit");
    Table exchange = read_table("exchange");
    Table exchange_cost = read_table("exchange_cost");
    std::vector<Table> thermals, history;  // [systems]
    Brazil() {
        for (int s = 0; s < systems; ++s) {
            thermals.push_back(read_table("thermal_" + std::to_string(s)));
            history.push_back(read_table("hist_" + std::to_string(s)));
        }
    }
};

// Supply of each system but for exchanges; the water balances are made here.
std::vector<std::vector<Term>> add_plants(const Brazil& brazil,
                                          int month,
                                          const std::vector<double>& inflow,
                                          NodeForm& form) {
    std::vector<std::vector<Term>> supply(Brazil::systems + 1);
    for (int s = 0; s < Brazil::systems; ++s) {
        const int stored = form.state(0, brazil.reservoirs[at(s)][0]);
        const int spilled = form.column(0, lp::infinity, 0.001);
        const int hydro = form.column(0, brazil.reservoirs[at(s) + 8][0]);
        form.equal(inflow[at(s)], {{stored}, {spilled}, {hydro}}, {{s, -1}});
        supply[at(s)].push_back({hydro});
        for (const auto& thermal : brazil.thermals[at(s)]) {
            supply[at(s)].push_back({form.column(thermal[0], thermal[1], thermal[2])});
        }
        for (const auto& depth : brazil.deficit) {
            const double most = brazil.demand[at(month)][at(s)] * depth[1];
            supply[at(s)].push_back({form.column(0, most, depth[0])});
        }
    }
    return supply;
}

NodeForm month_form(const Brazil& brazil, int month, const std::vector<double>& inflow) {
    NodeForm form;
    auto supply = add_plants(brazil, month, inflow, form);
    for (int from = 0; from <= Brazil::systems; ++from) {
        for (int to = 0; to <= Brazil::systems; ++to) {
            const int flow = form.column(
                0, brazil.exchange[at(from)][at(to)], brazil.exchange_cost[at(from)][at(to)]);
            if (from != to) {
                supply[at(from)].push_back({flow, -1});
                supply[at(to)].push_back({flow, 1});
            }
        }
    }
    for (int s = 0; s <= Brazil::systems; ++s) {
        form.equal(s < Brazil::systems ? brazil.demand[at(month)][at(s)] : 0, supply[at(s)]);
    }
    return form;
}

LinearProblem brazilian_problem(int stages, const std::vector<double>& first_inflow) {
    const Brazil brazil;
    std::vector<double> initial;
    std::vector<double> inflow;
    for (int s = 0; s < Brazil::systems; ++s) {
        initial.push_back(brazil.reservoirs[at(s)][1]);
        inflow.push_back(brazil.reservoirs[at(s) + 4][1]);
    }
    auto problem = linear_chain(initial, stages, [&](int t) {
        std::vector<std::vector<double>> inflows{first_inflow.empty() ? inflow : first_inflow};
        if (t > 0) {
            inflows.clear();
            for (int year = 0; year < Brazil::years; ++year) {
                auto& one = inflows.emplace_back();
                for (int s = 0; s < Brazil::systems; ++s) {
                    one.push_back(brazil.history[at(s)][at(year)][at(t)]);
                }
            }
        }
        return equally_likely(
            inflows, [&](const std::vector<double>& one) { return month_form(brazil, t, one); });
    });
    problem.unit = 4096;
    for (auto& node : problem.nodes) {
        node.discount = 0.9906;
    }
    return problem;
}

PublishedProblem of_horizon(const std::string& id,
                            int stages,
                            const std::vector<double>& first_inflow,
                            bool has_small_tree) {
    return {
        id, [=] { return brazilian_problem(stages, first_inflow); }, false, 600, 1, has_small_tree};
}

}  // namespace

std::vector<PublishedProblem> brazilian_problems() {
    const std::vector<double> notebook{39717.5640, 6632.5141, 15897.1830, 2525.2938};
    return {
        of_horizon("msppy_brazil_T1", 1, {}, true),
        of_horizon("msppy_brazil_T2_csv", 2, {}, true),
        of_horizon("msppy_brazil_T2_notebook", 2, notebook, true),
        of_horizon("msppy_brazil_T3_csv", 3, {}, false),
        of_horizon("msppy_brazil_T3_notebook", 3, notebook, false),
    };
}

}  // namespace lockstep::test
