#include "rl/commands.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "options.hpp"

namespace lockstep::cli {
namespace {

std::string hyphened(std::string_view name) {
    std::string text(name);
    std::replace(text.begin(), text.end(), '_', '-');
    return text;
}

void add_environment(CLI::App& app, app::RunRequest& request) {
    app.add_option(
           "ENV",
           request.input,
           "An environment by name ('lockstep rl list'), or a model file: .json, .parquet, .drn")
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
           "Discount of a step, 0 to 1 [as the model file says, else 0.99; 1 with --horizon]")
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
  lockstep launch -n 3 -- lockstep rl solve garnet --set states=10000000 --gamma 0.9
      each process keeps a third of the model; the same bits as one
  lockstep rl solve opengrid --set size=4096 --gamma 1
      rows of more than 1 GiB are computed in each sweep where episodes end
)",
                       signal_codes));
}

// The table of options says names, help and defaults; values are read where configuration files'
// are.
void add_train_options(CLI::App& app, std::vector<formats::Setting>& options) {
    for (const auto& option : app::train_options()) {
        const std::string name(option.name);
        auto names = "--" + hyphened(option.name);
        for (const auto alias : option.aliases) {
            names += ",--" + hyphened(alias);
        }
        app.add_option_function<std::string>(
               names,
               [&options, name](const std::string& text) { options.emplace_back(name, text); },
               fmt::format("{} [{}]", option.about, option.fallback))
            ->type_name(std::string(option.value))
            ->group(std::string(option.group));
    }
}

void add_training(CLI::App& app, RlTrainCommand& command) {
    auto& request = command.request;
    app.add_option("ENV",
                   request.run.input,
                   "An environment by name ('lockstep rl list'), a model file (.json, .parquet, "
                   ".drn), or a configuration file: YAML or JSON with `environment`, `parameters` "
                   "and the options below")
        ->required()
        ->type_name(" ")
        ->check(not_empty);
    add_settings(app, "the environment", "is_slippery=false", request.run.settings);
    add_train_options(app, request.options);
    add_run_options(app, request.run, "Where results go [ENV-training]");
    add_resume_option(app, request.run);
    add_rank_options(app, request.run, request.backend);
    add_voice(app, command.voice);
}

void add_train(CLI::App& parent, Command& result, const RlHandlers& handlers) {
    auto* app = parent.add_subcommand("train", "Learn action values by play");
    auto command = bind(*app, result, handlers.train);
    add_training(*app, *command);
    app->footer(footer(R"(  lockstep rl train tictactoe --steps 20000000 --threads 2
      Q table, metrics and digest in tictactoe-training
  lockstep rl train FrozenLake --discount-factor 1 --epsilon 'linear(1, 0.05, 500000)'
  lockstep rl train Taxi --learning-rate 0.1 --mode serial --set is_rainy=true
  lockstep launch -n 4 -- lockstep rl train FrozenLake --mode allreduce
      four ranks, the same bits as one
  lockstep rl train TicTacToe-selfplay --output master
  lockstep rl train tictactoe --set opponent=master
      against what another training learned
  lockstep rl train training.yaml --steps 1e8;  lockstep rl train training.yaml --resume
      options of a file, one changed; goes on after an interruption
)",
                       signal_codes));
}

void add_serve(CLI::App& parent, Command& result, const RlHandlers& handlers) {
    auto* app = parent.add_subcommand(
        "serve", "Learn in mode server, with workers that come and leave at any time");
    auto command = bind(*app, result, handlers.train);
    command->listen = "127.0.0.1";
    command->request.options.emplace_back("mode", "server");
    app->add_option(
           "--listen", command->listen, "Address and port where workers connect [127.0.0.1:29600]")
        ->type_name("HOST[:PORT]")
        ->check(not_empty);
    add_training(*app, *command);
    app->footer(footer(R"(  lockstep rl serve tictactoe --steps 1e9 --staleness 1
      waits for workers; elsewhere: lockstep rl work
  LOCKSTEP_TCP_TOKEN_FILE=secret lockstep rl serve tictactoe --listen 10.0.0.1
      open to other hosts, which need the secret
  lockstep rl serve tictactoe --resume
      goes on from its checkpoint, with the workers that wait for it
)",
                       signal_codes));
}

void add_work(CLI::App& parent, Command& result, const RlHandlers& handlers) {
    auto* app = parent.add_subcommand("work", "Play what a server of learning asks for");
    auto command = bind(*app, result, handlers.work);
    command->server = "127.0.0.1";
    app->add_option(
           "SERVER", command->server, "Where 'lockstep rl serve' listens [127.0.0.1:29600]")
        ->type_name(" ")
        ->check(not_empty);
    app->add_option("--threads,-t", command->threads, "Threads [all usable CPUs]")
        ->type_name("N")
        ->check(CLI::Range(1, 4096));
    add_voice(*app, command->voice);
    app->footer(footer(R"(  lockstep rl work -t 2
  LOCKSTEP_TCP_TOKEN_FILE=secret lockstep rl work 10.0.0.1:29600
      ends with the server's work; waits for a server that is started again
)",
                       signal_codes));
}

void add_evaluate(CLI::App& parent, Command& result, const RlHandlers& handlers) {
    auto* app = parent.add_subcommand("evaluate", "What the greedy policy of a training is worth");
    auto command = bind(*app, result, handlers.evaluate);
    auto& request = command->request;
    add_place(*app, "RUN", request.run, "Output directory of a training");
    app->add_option_function<std::int64_t>(
           "--episodes,-n",
           [&request](std::int64_t episodes) { request.episodes = episodes; },
           "Episodes to play [0 where the model is known, else 10000]")
        ->type_name("N")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000}));
    app->add_option("--against",
                    request.against,
                    "Of games: random, optimal (who gains most against it), or the output "
                    "directory of another training [random and optimal]")
        ->type_name("WHO")
        ->check(not_empty);
    app->add_option_function<std::string>(
           "--exact-values",
           [&request](const std::string& name) { request.exact_values = *app::exact_values(name); },
           "Optimal values to judge by: auto, where they take a short time; always; never [auto]")
        ->type_name("WHEN")
        ->check(CLI::IsMember(app::exact_values_names()));
    app->add_option("--seed", request.seed, "Of the episodes [1]")->type_name("N");
    app->add_option("--threads,-t", request.threads, "Threads [all usable CPUs]")
        ->type_name("N")
        ->check(CLI::Range(1, 4096));
    add_json(*app, command->voice);
    app->footer(footer(R"(  lockstep rl evaluate FrozenLake-training
      exact where the model is known, between proven bounds
  lockstep rl evaluate FrozenLake-training --episodes 100000
      played as well, with a confidence interval; time limits count there
  lockstep rl evaluate tictactoe-training --against optimal
      won, drawn and lost, exactly; exploitability
)"));
}

void add_rl_summary(CLI::App& parent, Command& result, const RlHandlers& handlers) {
    auto* app = parent.add_subcommand("summary", "What came out of a training or a solution");
    auto command = bind(*app, result, handlers.summary);
    add_place(*app, "OUT", command->output_directory, "Output directory of a run");
    add_json(*app, command->voice);
    app->footer(footer(R"(  lockstep rl summary tictactoe-training
  lockstep rl summary tictactoe-training --json | jq .value.value
)"));
}

}  // namespace

void add_rl(CLI::App& parent, Command& result, const RlHandlers& handlers) {
    auto* app =
        parent.add_subcommand("rl", "Reinforcement learning on tables: all commands for it");
    app->require_subcommand(1);
    add_list(*app, result, handlers);
    add_solve(*app, result, handlers);
    add_train(*app, result, handlers);
    add_serve(*app, result, handlers);
    add_work(*app, result, handlers);
    add_evaluate(*app, result, handlers);
    add_rl_summary(*app, result, handlers);
    app->footer(footer(R"(  lockstep rl list                      what there is
  lockstep rl solve FrozenLake          exact values
  lockstep rl train tictactoe           learned values
  lockstep rl evaluate tictactoe-training
  lockstep report tictactoe-training    one HTML page
)"));
}

}  // namespace lockstep::cli
