#include "lockstep/app/sddp/options.hpp"

#include "lockstep/app/run_options.hpp"

namespace lockstep::app {

namespace {

using Text = std::string_view;
using Type = Option::Type;

constexpr Text comparison_group = "For comparison: short cuts off, same values";
constexpr Text grid_group = "The cost to go along reservoirs";

BoundOption<CaseRequest> short_cut(Text name,
                                   std::optional<bool> CaseRequest::*member,
                                   Text about) {
    return {{.name = name,
             .group = comparison_group,
             .about = about,
             .fallback = "as config.json says",
             .type = Type::off_switch},
            [member](CaseRequest& r, Text text) { r.*member = text == "true"; }};
}

template <typename Request>
OptionTable<Request> of_case(const OptionTable<CaseRequest>& table) {
    return options_of_part<Request>(table, [](Request& r) -> CaseRequest& { return r.of; });
}

OptionTable<CaseRequest> of_run(const OptionTable<RunRequest>& table) {
    return options_of_part<CaseRequest>(table, [](CaseRequest& r) -> RunRequest& { return r.run; });
}

using Q = PolicyQuestion;

OptionTable<Q> state_options() {
    return {{{.name = "case",
              .value = "DIR",
              .about = "Case directory",
              .fallback = "as the output of the run tells",
              .type = Type::place},
             [](Q& q, Text text) { q.place.case_directory = text; }},
            {{.name = "set",
              .value = "KEY=VALUE",
              .about = "Change a value of config.json; may be repeated, the last of a key counts",
              .type = Type::pair,
              .is_repeated = true},
             [](Q& q, Text text) { q.place.settings.push_back(setting_of(text)); }},
            {{.name = "stage",
              .value = "ID",
              .about = "Stage at whose end the state is, by its id",
              .fallback = "the first",
              .type = Type::whole},
             [](Q& q, Text text) { q.state.stage = static_cast<int>(whole_of(text)); }},
            {{.name = "node",
              .value = "ID",
              .about = "Node of the policy graph, where the case has one",
              .fallback = "the first",
              .type = Type::whole},
             [](Q& q, Text text) { q.state.node = static_cast<int>(whole_of(text)); }},
            {{.name = "state",
              .value = "STATE",
              .about =
                  "NAME=VALUE,… or a JSON file with an object of them: a plant's name or id is its "
                  "storage in hm3, or in % of what lies between its limits; inflow_lag(PLANT,1) an "
                  "inflow in m3/s, transit(PLANT,1), commitment(THERMAL,0), energy(BATTERY) the "
                  "others",
              .fallback = "as before the first stage"},
             [](Q& q, Text text) { q.state.values = text; }}};
}

OptionTable<Q> grid_options() {
    return {{{.name = "grid",
              .group = grid_group,
              .value = "PLANT[,PLANT]",
              .about = "One or two plants whose storage is varied, by name or id"},
             [](Q& q, Text text) {
                 const auto plants = parts_of(text);
                 q.grid.assign(plants.begin(), plants.end());
             }},
            {{.name = "points",
              .group = grid_group,
              .value = "N",
              .about = "On each axis",
              .fallback = "25",
              .type = Type::whole,
              .least = 2,
              .most = 1000},
             [](Q& q, Text text) { q.points = static_cast<int>(whole_of(text)); }},
            {{.name = "table",
              .group = grid_group,
              .value = "FILE",
              .about = "Where the numbers go, .csv or .parquet",
              .fallback = "CSV on the screen",
              .type = Type::place},
             [](Q& q, Text text) { q.table = text; }},
            {{.name = "plot",
              .group = grid_group,
              .value = "FILE",
              .about = "Where a picture goes, .html or .svg",
              .type = Type::place},
             [](Q& q, Text text) { q.plot = text; }}};
}

}  // namespace

OptionTable<RunRequest> case_settings() {
    return setting_options(
        "Change a value of config.json; may be repeated, the last of a key counts");
}

OptionTable<CaseRequest> case_options() {
    auto table = of_run(output_options());
    append(table, of_run(case_settings()));
    table.push_back({{.name = "solver",
                      .value = "NAME",
                      .about = "LP solver: clp or highs",
                      .fallback = "clp",
                      .type = Type::choice,
                      .choices = {"clp", "highs"}},
                     [](CaseRequest& r, Text text) {
                         r.solver = text == "clp" ? lp::SolverKind::clp : lp::SolverKind::highs;
                     }});
    table.push_back(short_cut("lazy_cuts", &CaseRequest::lazy_cuts, "All cuts in every LP"));
    table.push_back(short_cut(
        "opening_order", &CaseRequest::ordered_openings, "Openings in the order of the tree"));
    table.push_back(short_cut("warm_start", &CaseRequest::warm_start, "No stored bases"));
    table.push_back(short_cut("evaporation_substitution",
                              &CaseRequest::substitute_evaporation,
                              "Evaporation stays in the LP"));
    table.push_back({{.name = "scenario_folders",
                      .about = "Simulation tables in a folder a scenario, as Cobre has them",
                      .type = Type::flag},
                     [](CaseRequest& r, Text text) { r.scenario_folders = text == "true"; }});
    return table;
}

OptionTable<CaseRequest> run_case_options() {
    auto table = case_options();
    append(table, of_run(checkpoint_options()));
    append(table, of_run(rank_options()));
    return table;
}

OptionTable<SimulateRequest> simulate_case_options() {
    auto table = of_case<SimulateRequest>(case_options());
    append(table, of_case<SimulateRequest>(of_run(rank_options())));
    table.push_back({{.name = "policy",
                      .value = "DIR",
                      .about = "Policy folder",
                      .fallback = "OUTPUT/policy",
                      .type = Type::place},
                     [](SimulateRequest& r, Text text) { r.policy = text; }});
    table.push_back(
        {{.name = "scenarios",
          .value = "N",
          .about = "How many scenarios",
          .fallback = "as config.json says",
          .type = Type::whole,
          .least = 1,
          .most = 1e8,
          .letter = 'n'},
         [](SimulateRequest& r, Text text) { r.scenarios = static_cast<int>(whole_of(text)); }});
    table.push_back(
        {{.name = "scenarios_from",
          .value = "history|DIR",
          .about = "What is simulated: 'history', every year of the record in which the study "
                   "could have begun, or a folder with external_inflow_scenarios.parquet, "
                   "external_load_scenarios.parquet or external_ncs_scenarios.parquet; each "
                   "scenario once, unless --scenarios says how many",
          .fallback = "as config.json says"},
         [](SimulateRequest& r, Text text) { r.of.scenarios_from = text; }});
    return table;
}

OptionTable<Q> policy_options() {
    auto table = state_options();
    append(table, grid_options());
    table.push_back(
        {{.name = "cuts",
          .value = "FILE",
          .about = "Write all cuts as a table, .parquet or .csv: a row a cut, a column a state",
          .type = Type::place},
         [](Q& q, Text text) { q.cuts = text; }});
    return table;
}

}  // namespace lockstep::app
