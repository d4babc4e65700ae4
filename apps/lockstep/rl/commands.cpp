#include "rl/commands.hpp"

#include <CLI/CLI.hpp>

#include "options.hpp"

namespace lockstep::cli {
namespace {

void add_environment(CLI::App& app, app::RunRequest& request) {
    app.add_option(
           "ENV",
           request.input,
           "An environment by name ('lockstep rl list'), or a model file: .json, .parquet or .drn")
        ->required()
        ->type_name(" ")
        ->check(not_empty);
    add_settings(app, "the environment", "is_slippery=false", request.settings);
}

void add_list(CLI::App& parent, Command& result, const RlHandlers& handlers) {
    auto* app = parent.add_subcommand(
        "list", "Environments, algorithms, modes, schedules, methods: a line each");
    auto command = bind(*app, result, handlers.list);
    app->add_option("NAME", command->environment, "An environment: its parameters")
        ->type_name(" ")
        ->check(not_empty);
    add_json(*app, command->voice);
    app->footer(footer(R"(  lockstep rl list
  lockstep rl list FrozenLake
      its rules, other names, and parameters for --set
  lockstep rl list --json | jq '.environments[].name'
)"));
}

void add_criterion(CLI::App& app, app::SolveRequest& request) {
    constexpr auto group = "What a policy is worth";
    app.add_option_function<double>(
           "--gamma,--discount-factor",
           [&request](double gamma) { request.gamma = gamma; },
           "Discount of a step, 0 to 1 [of the model file, else 0.99; 1 with --horizon]")
        ->type_name("G")
        ->group(group);
    auto* horizon = app.add_option_function<int>(
                           "--horizon",
                           [&request](int steps) {
                               request.options.criterion = rl::Criterion::horizon;
                               request.options.horizon = steps;
                           },
                           "The next N steps alone; decisions may depend on the step")
                        ->type_name("N")
                        ->check(CLI::Range(1, 1'000'000'000))
                        ->group(group);
    app.add_flag_callback(
           "--average",
           [&request] { request.options.criterion = rl::Criterion::average; },
           "Reward a step in the long run; an episode that ends begins anew")
        ->excludes(horizon)
        ->group(group);
}

void add_solve(CLI::App& parent, Command& result, const RlHandlers& handlers) {
    auto* app = parent.add_subcommand(
        "solve", "Optimal values with proven bounds, and the policies that attain them");
    auto command = bind(*app, result, handlers.solve);
    auto& request = command->request;
    add_environment(*app, request.run);
    add_criterion(*app, request);
    app->add_option_function<std::string>(
           "--method",
           [&request](const std::string& name) {
               request.options.method = app::solve_method(name);
           },
           "How values are found [automatic]")
        ->type_name("NAME")
        ->check(CLI::IsMember(app::solve_method_names()));
    app->add_option("--tolerance",
                    request.options.tolerance,
                    "Half the distance of the bounds in every state [1e-9]")
        ->type_name("T");
    app->add_option("--max-sweeps", request.options.max_sweeps, "Most sweeps [1000000]")
        ->type_name("N");
    app->add_option("--tie-tolerance",
                    request.options.tie_tolerance,
                    "Actions within this share of a state's value count as best [1e-9]")
        ->type_name("T");
    add_run_options(*app, request.run, "Where results go [ENV-solution]");
    add_rank_options(*app, request.run, command->backend);
    add_voice(*app, command->voice);
    app->footer(footer(R"(  lockstep rl solve FrozenLake
      value of the start between proven bounds, best actions, ties
  lockstep rl solve FrozenLake --gamma 1 --set is_slippery=false
  lockstep rl solve Taxi --horizon 200
      best for the next 200 steps, where decisions may depend on the step
  lockstep rl solve garnet --set states=100000 --average
  lockstep rl solve opengrid --set size=100 --json | jq .summary.start
)",
                       signal_codes));
}

}  // namespace

void add_rl(CLI::App& parent, Command& result, const RlHandlers& handlers) {
    auto* app =
        parent.add_subcommand("rl", "Reinforcement learning on tables: all commands for it");
    app->require_subcommand(1);
    add_list(*app, result, handlers);
    add_solve(*app, result, handlers);
    app->footer(footer(R"(  lockstep rl list
  lockstep rl solve FrozenLake
)"));
}

}  // namespace lockstep::cli
