#include "support/linear/smps.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

#include "lockstep/base/index.hpp"

namespace lockstep::test {

namespace {

using Fields = std::vector<std::string>;

/// A line with the section that it stands in; section headers have no fields.
struct Line {
    std::string section;
    Fields header;  ///< of the section
    Fields fields;
};

Fields split(const std::string& text) {
    std::istringstream in(text);
    Fields fields;
    for (std::string field; in >> field;) {
        fields.push_back(field);
    }
    return fields;
}

std::vector<Line> read_lines(const std::filesystem::path& path) {
    std::ifstream in(path);
    if (!in) {
        throw std::runtime_error(path.string() + " cannot be read");
    }
    std::vector<Line> lines;
    Fields header;
    for (std::string text; std::getline(in, text);) {
        const auto fields = split(text);
        if (text.starts_with('*') || fields.empty()) {
            continue;
        }
        if (text.front() != ' ') {
            header = fields;
            continue;
        }
        lines.push_back({header.front(), header, fields});
    }
    return lines;
}

std::filesystem::path first_that_exists(const std::filesystem::path& base,
                                        const char* short_end,
                                        const char* long_end) {
    const auto path = base.string() + short_end;
    return std::filesystem::exists(path) ? path : base.string() + long_end;
}

struct Entry {
    int row = 0;
    int column = 0;
    double value = 0;
};

struct Core {
    std::map<std::string, int> row, column;  // numbers; the objective is row -1
    std::vector<char> kind;                  // [rows] L, G or E
    std::vector<double> side;                // [rows]
    std::vector<NodeForm::Column> columns;
    std::vector<Entry> entries;
};

void add_row(Core& core, const Fields& fields) {
    const bool is_objective = fields[0] == "N";
    core.row[fields[1]] = is_objective ? -1 : static_cast<int>(core.kind.size());
    if (!is_objective) {
        core.kind.push_back(fields[0].front());
        core.side.push_back(0);
    }
}

void add_column(Core& core, const Fields& fields) {
    if (fields[1] == "'MARKER'") {
        return;
    }
    const auto [place, is_new] =
        core.column.try_emplace(fields[0], static_cast<int>(core.columns.size()));
    if (is_new) {
        core.columns.emplace_back();
    }
    for (std::size_t i = 1; i + 1 < fields.size(); i += 2) {
        const int row = core.row.at(fields[i]);
        const double value = std::stod(fields[i + 1]);
        if (row < 0) {
            core.columns[at(place->second)].cost = value;
        } else {
            core.entries.push_back({row, place->second, value});
        }
    }
}

void set_bound(Core& core, const Fields& fields) {
    auto& column = core.columns[at(core.column.at(fields[2]))];
    if (fields[0] == "BV") {
        column.upper = 1;
    } else if (fields[0] == "UP") {
        column.upper = std::stod(fields[3]);
    } else {
        throw std::runtime_error("a bound " + fields[0] + " is not read");
    }
}

Core read_core(const std::filesystem::path& path) {
    Core core;
    for (const auto& [section, header, fields] : read_lines(path)) {
        if (section == "ROWS") {
            add_row(core, fields);
        } else if (section == "COLUMNS") {
            add_column(core, fields);
        } else if (section == "RHS") {
            for (std::size_t i = 1; i + 1 < fields.size(); i += 2) {
                core.side[at(core.row.at(fields[i]))] = std::stod(fields[i + 1]);
            }
        } else if (section == "BOUNDS") {
            set_bound(core, fields);
        } else {
            throw std::runtime_error(path.string() + ": section " + section + " is not read");
        }
    }
    return core;
}

struct Periods {
    std::map<std::string, int> number;  // by name
    std::vector<int> of_row, of_column;
    std::vector<int> state;  // [columns] number of the state, -1: none
    std::vector<int> last;   // [columns] last period that has a row with the column
    int states = 0;
};

void fill_from(std::vector<int>& of, int first, int period) {
    std::fill(of.begin() + first, of.end(), period);
}

Periods read_periods(const std::filesystem::path& path, const Core& core) {
    Periods periods;
    periods.of_row.assign(core.kind.size(), 0);
    periods.of_column.assign(core.columns.size(), 0);
    for (const auto& line : read_lines(path)) {
        const auto& fields = line.fields;
        const int period = static_cast<int>(periods.number.size());
        periods.number[fields[2]] = period;
        fill_from(periods.of_column, core.column.at(fields[0]), period);
        fill_from(periods.of_row, std::max(0, core.row.at(fields[1])), period);
    }
    periods.last = periods.of_column;
    for (const auto& entry : core.entries) {
        auto& last = periods.last[at(entry.column)];
        last = std::max(last, periods.of_row[at(entry.row)]);
    }
    for (std::size_t j = 0; j < core.columns.size(); ++j) {
        periods.state.push_back(periods.last[j] > periods.of_column[j] ? periods.states++ : -1);
    }
    return periods;
}

using Sides = std::vector<double>;  // [rows]

// The rows and columns of a period with the right-hand sides of an outcome.
NodeForm form_of(const Core& core, const Periods& periods, int period, const Sides& sides) {
    NodeForm form;
    form.out.assign(at(periods.states), -1);
    std::vector<int> number(core.columns.size(), -1);
    for (std::size_t j = 0; j < core.columns.size(); ++j) {
        const auto& column = core.columns[j];
        const int state = periods.state[j];
        if (periods.of_column[j] == period) {
            number[j] = form.column(column.lower, column.upper, column.cost);
        } else if (periods.of_column[j] < period && periods.last[j] > period) {
            number[j] = form.column(-lp::infinity, lp::infinity);
            form.equal(0, {{number[j]}}, {{state, -1}});
        }
        if (state >= 0) {
            form.out[at(state)] = number[j];
        }
    }
    std::vector<int> row(core.kind.size(), -1);
    for (std::size_t r = 0; r < core.kind.size(); ++r) {
        if (periods.of_row[r] == period) {
            row[r] = static_cast<int>(form.rows.size());
            form.rows.push_back({core.kind[r] == 'L' ? -lp::infinity : sides[r],
                                 core.kind[r] == 'G' ? lp::infinity : sides[r],
                                 {},
                                 {}});
        }
    }
    for (const auto& entry : core.entries) {
        if (row[at(entry.row)] < 0) {
            continue;
        }
        auto& here = form.rows[at(row[at(entry.row)])];
        if (periods.of_column[at(entry.column)] == period) {
            here.columns.push_back({number[at(entry.column)], entry.value});
        } else {
            here.incoming.push_back({periods.state[at(entry.column)], entry.value});
        }
    }
    return form;
}

/// A scenario: where it leaves another one, and its right-hand sides.
struct Scenario {
    std::string name;
    std::string parent;
    double probability = 0;
    int period = 0;
    Sides sides;
};

void change(const Core& core, const Fields& fields, bool adds, Sides& sides) {
    for (std::size_t i = 1; i + 1 < fields.size(); i += 2) {
        auto& side = sides[at(core.row.at(fields[i]))];
        const double value = std::stod(fields[i + 1]);
        side = adds ? side + value : value;
    }
}

std::vector<Scenario> read_scenarios(const Core& core,
                                     const Periods& periods,
                                     const std::vector<Line>& lines) {
    std::vector<Scenario> scenarios;
    for (const auto& [section, header, fields] : lines) {
        if (fields[0] == "SC") {
            scenarios.push_back({fields[1],
                                 fields[2],
                                 std::stod(fields[3]),
                                 periods.number.at(fields[4]),
                                 core.side});
        } else {
            change(core, fields, header.back() == "ADD", scenarios.back().sides);
        }
    }
    return scenarios;
}

// Nodes of the tree, period by period.
struct Tree {
    std::vector<std::vector<int>> node;       // [scenarios][periods]
    std::vector<std::vector<int>> by_period;  // the scenario that a node was made for
};

Tree tree_of(const std::vector<Scenario>& scenarios, int periods) {
    std::map<std::string, std::size_t> place;
    Tree tree;
    tree.by_period.resize(at(periods));
    for (std::size_t s = 0; s < scenarios.size(); ++s) {
        const auto parent = place.find(scenarios[s].parent);
        auto& mine = tree.node.emplace_back(at(periods));
        for (int p = 0; p < periods; ++p) {
            auto& made_for = tree.by_period[at(p)];
            const bool is_shared = p < scenarios[s].period;
            if (is_shared && parent != place.end()) {
                mine[at(p)] = tree.node[parent->second][at(p)];
            } else if (is_shared && s > 0) {
                mine[at(p)] = 0;  // of the root
            } else {
                mine[at(p)] = static_cast<int>(made_for.size());
                made_for.push_back(static_cast<int>(s));
            }
        }
        place[scenarios[s].name] = s;
    }
    return tree;
}

LinearProblem scenario_problem(const Core& core,
                               const Periods& periods,
                               const std::vector<Scenario>& scenarios) {
    const int count = static_cast<int>(periods.number.size());
    const auto tree = tree_of(scenarios, count);
    std::vector<std::vector<double>> weight(at(count));
    for (int p = 0; p < count; ++p) {
        weight[at(p)].resize(tree.by_period[at(p)].size());
        for (std::size_t s = 0; s < scenarios.size(); ++s) {
            weight[at(p)][at(tree.node[s][at(p)])] += scenarios[s].probability;
        }
    }
    LinearProblem problem;
    int first = 0;
    for (int p = 0; p < count; ++p) {
        const auto width = static_cast<int>(tree.by_period[at(p)].size());
        for (int n = 0; n < width; ++n) {
            const auto scenario = at(tree.by_period[at(p)][at(n)]);
            const auto& sides = p == 0 ? core.side : scenarios[scenario].sides;
            problem.nodes.push_back({p, {{1, form_of(core, periods, p, sides)}}, {}, 1});
            if (p > 0) {
                const auto before = tree.node[scenario][at(p) - 1];
                // Weights are divided by that of the root too: as written they need not sum to 1.
                const auto width_before = static_cast<int>(tree.by_period[at(p) - 1].size());
                const double whole = p == 1 ? 1 : weight[at(p) - 1][at(before)];
                problem.arcs.push_back(
                    {first - width_before + before, first + n, weight[at(p)][at(n)] / whole});
            }
        }
        first += width;
    }
    std::ranges::stable_sort(problem.arcs, {}, &sddp::PolicyGraph::Arc::from);
    return problem;
}

// Outcomes of two periods, the product of what each right-hand side may be.
LinearProblem independent_problem(const Core& core,
                                  const Periods& periods,
                                  const std::vector<Line>& lines) {
    std::map<int, std::vector<std::pair<double, double>>> choices;  // by row: value, probability
    for (const auto& line : lines) {
        choices[core.row.at(line.fields[1])].emplace_back(std::stod(line.fields[2]),
                                                          std::stod(line.fields[4]));
    }
    std::vector<std::pair<double, Sides>> outcomes{{1, core.side}};
    for (const auto& [row, values] : choices) {
        std::vector<std::pair<double, Sides>> more;
        for (const auto& [probability, sides] : outcomes) {
            for (const auto& [value, share] : values) {
                more.emplace_back(probability * share, sides);
                more.back().second[at(row)] = value;
            }
        }
        outcomes = std::move(more);
    }
    return linear_chain({}, 2, [&](int p) {
        std::vector<LinearOutcome> mine;
        for (const auto& [probability, sides] : outcomes) {
            mine.push_back({probability, form_of(core, periods, p, sides)});
        }
        return p == 0 ? std::vector<LinearOutcome>{{1, mine.front().form}} : mine;
    });
}

void allow_violations(LinearProblem& problem, double penalty) {
    for (auto& node : problem.nodes) {
        if (node.stage == 0) {
            continue;
        }
        auto& form = node.outcomes.front().form;
        for (auto& row : form.rows) {
            if (std::isfinite(row.lower)) {
                row.columns.push_back({form.column(0, lp::infinity, penalty), 1});
            }
            if (std::isfinite(row.upper)) {
                row.columns.push_back({form.column(0, lp::infinity, penalty), -1});
            }
        }
    }
}

}  // namespace

LinearProblem read_smps(const std::filesystem::path& base,
                        bool normalise,
                        double floor,
                        double penalty) {
    const auto core = read_core(base.string() + ".cor");
    const auto periods = read_periods(first_that_exists(base, ".tim", ".time"), core);
    const auto lines = read_lines(first_that_exists(base, ".sto", ".stoch"));
    LinearProblem problem;
    if (lines.front().section == "INDEP") {
        problem = independent_problem(core, periods, lines);
    } else {
        auto scenarios = read_scenarios(core, periods, lines);
        double sum = 0;
        for (const auto& scenario : scenarios) {
            sum += scenario.probability;
        }
        for (auto& scenario : scenarios) {
            scenario.probability /= normalise ? sum : 1;
        }
        problem = scenario_problem(core, periods, scenarios);
    }
    if (penalty > 0) {
        allow_violations(problem, penalty);
    }
    problem.initial_state.assign(at(periods.states), 0);
    problem.floor = floor;
    return problem;
}

}  // namespace lockstep::test
