#include "rl/commands.hpp"

#include <CLI/CLI.hpp>

#include "lockstep/app/rl/options.hpp"

#include "option_flags.hpp"
#include "options.hpp"

namespace lockstep::cli {
namespace {

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

void add_solve(CLI::App& parent, Command& result, const RlHandlers& handlers) {
    auto* app = parent.add_subcommand(
        "solve", "Optimal values with proven bounds, and the policies that attain them");
    auto command = bind(*app, result, handlers.solve);
    auto& request = command->request;
    app->add_option(
           "ENV",
           request.run.input,
           "An environment by name ('lockstep rl list'), or a model file: .json, .parquet, .drn")
        ->required()
        ->type_name(" ")
        ->check(not_empty);
    add_options(*app, app::solve_options(), request);
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
    add_options(app, app::train_request_options(), request);
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
    add_options(*app, app::evaluate_options(), request);
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
