#include "command_line.hpp"

#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

namespace lockstep::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using Any = std::variant<RunCommand,
                         SimulateCommand,
                         ValidateCommand,
                         SummaryCommand,
                         InitCommand,
                         SchemaCommand,
                         ConvertCommand,
                         PolicyCommand,
                         RlListCommand,
                         RlSolveCommand,
                         RlTrainCommand,
                         RlWorkCommand,
                         RlEvaluateCommand,
                         RlSummaryCommand,
                         XpcsRunCommand,
                         XpcsBatchCommand,
                         XpcsShardWorkerCommand,
                         XpcsValidateCommand,
                         XpcsSimulateCommand,
                         XpcsInitCommand,
                         XpcsSummaryCommand,
                         ReportCommand,
                         CompareCommand,
                         DoctorCommand,
                         LaunchCommand,
                         VersionCommand,
                         std::string>;

/// What a command line calls, and with what.
Any parsed(std::vector<const char*> words) {
    Any called;
    const auto note = [&](const auto& command) {
        called = command;
        return 0;
    };
    const Handlers handlers{{note, note, note, note, note, note},
                            {note, note, note, note, note, note, note, note},
                            {note, note, note, note, note, note},
                            {note, note, note, note, note, note, note}};
    words.insert(words.begin(), "lockstep");
    parse(static_cast<int>(words.size()), words.data(), handlers).call();
    return called;
}

std::string complaint(std::vector<const char*> words) {
    try {
        parsed(std::move(words));
    } catch (const UsageError& error) {
        EXPECT_EQ(error.exit_code(), 64);
        return error.what();
    }
    return "no error";
}

TEST(CommandLineTest, FillsARunFromItsOptions) {
    const auto command = std::get<RunCommand>(parsed({"run",
                                                      "mycase",
                                                      "-o",
                                                      "out",
                                                      "--threads",
                                                      "3",
                                                      "--set",
                                                      "training.tree_seed=7",
                                                      "--set",
                                                      "policy.path=a=b",
                                                      "--solver",
                                                      "highs",
                                                      "--no-lazy-cuts",
                                                      "--no-warm-start",
                                                      "--quiet"}));

    EXPECT_EQ(command.request.run.input, "mycase");
    EXPECT_EQ(command.request.run.output, "out");
    EXPECT_EQ(command.request.run.threads, 3);
    ASSERT_EQ(command.request.run.settings.size(), 2U);
    EXPECT_EQ(command.request.run.settings[0], formats::Setting("training.tree_seed", "7"));
    EXPECT_EQ(command.request.run.settings[1], formats::Setting("policy.path", "a=b"));
    EXPECT_EQ(command.request.solver, lp::SolverKind::highs);
    EXPECT_EQ(command.request.lazy_cuts, false);
    EXPECT_EQ(command.request.warm_start, false);
    EXPECT_EQ(command.request.ordered_openings, std::nullopt);
    EXPECT_EQ(command.request.substitute_evaporation, std::nullopt);
    EXPECT_TRUE(command.voice.quiet);
    EXPECT_FALSE(command.voice.json);
}

TEST(CommandLineTest, TakesASettingWithCommasAndBracketsWhole) {
    const auto* rules =
        R"(training.stopping_rules=[{"type":"iteration_limit","limit":50},{"type":"x"}])";
    const auto command = std::get<RunCommand>(parsed({"run", "--set", rules, "mycase"}));

    ASSERT_EQ(command.request.run.settings.size(), 1U);
    EXPECT_EQ(command.request.run.settings[0].first + "=" + command.request.run.settings[0].second,
              rules);
    EXPECT_EQ(command.request.run.input, "mycase");
}

TEST(CommandLineTest, KnowsBothWaysToRun) {
    EXPECT_EQ(std::get<RunCommand>(parsed({"sddp", "run", "mycase"})).request.run.input, "mycase");
    EXPECT_EQ(std::get<RunCommand>(parsed({"run", "mycase"})).request.run.input, "mycase");
}

TEST(CommandLineTest, FillsASolution) {
    const auto command = std::get<RlSolveCommand>(parsed({"rl",
                                                          "solve",
                                                          "FrozenLake",
                                                          "--gamma",
                                                          "0.9",
                                                          "--method",
                                                          "policy-iteration",
                                                          "--set",
                                                          "is_slippery=false",
                                                          "--tolerance",
                                                          "1e-6"}));

    EXPECT_EQ(command.request.run.input, "FrozenLake");
    EXPECT_EQ(command.request.run.settings[0], formats::Setting("is_slippery", "false"));
    EXPECT_EQ(command.request.gamma, 0.9);
    EXPECT_EQ(command.request.options.method, rl::Method::policy_iteration);
    EXPECT_EQ(command.request.options.tolerance, 1e-6);
    EXPECT_EQ(command.request.options.criterion, rl::Criterion::total);

    const auto horizon =
        std::get<RlSolveCommand>(parsed({"rl", "solve", "Taxi", "--horizon", "200"}));
    EXPECT_EQ(horizon.request.options.criterion, rl::Criterion::horizon);
    EXPECT_EQ(horizon.request.options.horizon, 200);
    const auto average = std::get<RlSolveCommand>(parsed({"rl", "solve", "garnet", "--average"}));
    EXPECT_EQ(average.request.options.criterion, rl::Criterion::average);
    EXPECT_THAT(complaint({"rl", "solve", "garnet", "--average", "--horizon", "3"}),
                HasSubstr("--horizon"));
    EXPECT_THAT(complaint({"rl", "solve", "garnet", "--method", "guess"}), HasSubstr("guess"));
}

TEST(CommandLineTest, FillsATrainingByEitherNameOfAnOption) {
    const auto command = std::get<RlTrainCommand>(parsed({"rl",
                                                          "train",
                                                          "tictactoe",
                                                          "--steps",
                                                          "1e6",
                                                          "--alpha",
                                                          "0.1",
                                                          "--compression-threshold",
                                                          "0.01",
                                                          "-t",
                                                          "2"}));

    EXPECT_EQ(command.request.run.input, "tictactoe");
    EXPECT_EQ(command.request.run.threads, 2);
    EXPECT_THAT(command.request.options,
                testing::ElementsAre(formats::Setting("steps", "1e6"),
                                     formats::Setting("learning_rate", "0.1"),
                                     formats::Setting("compression_ratio", "0.01")));
    EXPECT_THAT(complaint({"rl", "train", "tictactoe", "--learning-rat", "1"}),
                HasSubstr("did you mean '--learning-rate'?"));
    EXPECT_EQ(
        std::get<RlEvaluateCommand>(parsed({"rl", "evaluate", "out", "-n", "9"})).request.episodes,
        9);
    EXPECT_EQ(std::get<RlSummaryCommand>(parsed({"rl", "summary", "out"})).output_directory, "out");
}

TEST(CommandLineTest, TakesTheLastOfAnOptionThatIsGivenTwice) {
    const auto train = std::get<RlTrainCommand>(parsed(
        {"rl", "train", "taxi", "-t", "1", "--steps", "5", "--threads", "2", "--steps", "6"}));
    EXPECT_EQ(train.request.run.threads, 2);
    EXPECT_THAT(train.request.options, testing::ElementsAre(formats::Setting("steps", "6")));
    const auto solve = std::get<RlSolveCommand>(
        parsed({"rl", "solve", "taxi", "--gamma", "1", "--gamma", "0.5", "-o", "a", "-o", "b"}));
    EXPECT_EQ(solve.request.gamma, 0.5);
    EXPECT_EQ(solve.request.run.output, "b");
    EXPECT_EQ(
        std::get<RunCommand>(parsed({"run", "case", "-t", "3", "-t", "4"})).request.run.threads, 4);
    EXPECT_EQ(
        std::get<LaunchCommand>(parsed({"launch", "-n", "1", "-n", "2", "--", "x"})).request.ranks,
        2);
    EXPECT_EQ(
        std::get<RlEvaluateCommand>(
            parsed(
                {"rl", "evaluate", "out", "--exact-values", "never", "--exact-values", "always"}))
            .request.exact_values,
        app::ExactValues::always);
}

TEST(CommandLineTest, FillsAQuestionToAPolicyFromItsOptions) {
    const auto command = std::get<PolicyCommand>(parsed({"sddp",
                                                         "evaluate",
                                                         "out/policy",
                                                         "--case",
                                                         "mycase",
                                                         "--stage",
                                                         "3",
                                                         "--state",
                                                         "A=60%,inflow_lag(A,1)=2",
                                                         "--grid",
                                                         "A,7",
                                                         "--points",
                                                         "9",
                                                         "--plot",
                                                         "a.html",
                                                         "--cuts",
                                                         "cuts.parquet"}));

    EXPECT_EQ(command.question.place.policy, "out/policy");
    EXPECT_EQ(command.question.place.case_directory, "mycase");
    EXPECT_EQ(command.question.state.stage, 3);
    EXPECT_FALSE(command.question.state.node.has_value());
    EXPECT_EQ(command.question.state.values, "A=60%,inflow_lag(A,1)=2");
    EXPECT_EQ(command.question.grid, (std::vector<std::string>{"A", "7"}));
    EXPECT_EQ(command.question.points, 9);
    EXPECT_EQ(command.question.plot, "a.html");
    EXPECT_EQ(command.question.cuts, "cuts.parquet");
    EXPECT_THAT(complaint({"sddp", "evaluate"}), testing::HasSubstr("POLICY"));
    EXPECT_THAT(complaint({"sddp", "evaluate", "p", "--points", "1"}),
                testing::HasSubstr("--points"));
}

TEST(CommandLineTest, FillsTheOtherCommands) {
    const auto simulate = std::get<SimulateCommand>(
        parsed({"sddp", "simulate", "mycase", "--policy", "p", "-n", "20", "--json"}));
    EXPECT_EQ(simulate.request.policy, "p");
    EXPECT_EQ(simulate.request.scenarios, 20);
    EXPECT_EQ(
        std::get<SimulateCommand>(parsed({"simulate", "mycase", "--scenarios-from", "history"}))
            .request.of.scenarios_from,
        "history");
    EXPECT_TRUE(simulate.voice.json);

    EXPECT_EQ(std::get<ValidateCommand>(parsed({"sddp", "validate", "mycase"})).request.input,
              "mycase");
    EXPECT_EQ(std::get<SummaryCommand>(parsed({"sddp", "summary", "out"})).output_directory, "out");
    EXPECT_EQ(std::get<SchemaCommand>(parsed({"sddp", "schema"})).output_directory, ".");
    const auto convert = std::get<ConvertCommand>(parsed({"sddp", "convert", "old", "new"}));
    EXPECT_EQ(convert.from, "old");
    EXPECT_EQ(convert.to, "new");
    EXPECT_EQ(std::get<ReportCommand>(parsed({"report", "out", "-o", "p.html"})).page, "p.html");
    EXPECT_EQ(std::get<CompareCommand>(parsed({"compare", "a", "b", "--deep"})).depth,
              app::Depth::files);
    EXPECT_EQ(std::get<CompareCommand>(parsed({"compare", "a", "b"})).right, "b");
    EXPECT_TRUE(std::get<VersionCommand>(parsed({"version", "--json"})).voice.json);
    EXPECT_FALSE(std::get<VersionCommand>(parsed({"--version"})).voice.json);

    const auto init =
        std::get<InitCommand>(parsed({"sddp", "init", "d", "--template", "t", "--force"}));
    EXPECT_EQ(init.request.directory, "d");
    EXPECT_EQ(init.request.case_template, "t");
    EXPECT_TRUE(init.request.force);
    EXPECT_TRUE(std::get<InitCommand>(parsed({"sddp", "init", "--list"})).list);
}

TEST(CommandLineTest, HelpsByExampleAndTellsExitCodes) {
    for (const auto& words : std::vector<std::vector<const char*>>{{"--help"},
                                                                   {"run", "--help"},
                                                                   {"sddp", "--help"},
                                                                   {"sddp", "run", "-h"},
                                                                   {"sddp", "simulate", "--help"},
                                                                   {"sddp", "validate", "--help"},
                                                                   {"sddp", "summary", "--help"},
                                                                   {"sddp", "init", "--help"},
                                                                   {"sddp", "schema", "--help"},
                                                                   {"sddp", "convert", "--help"},
                                                                   {"sddp", "evaluate", "--help"},
                                                                   {"report", "--help"},
                                                                   {"compare", "--help"},
                                                                   {"version", "--help"}}) {
        const auto text = std::get<std::string>(parsed(words));
        EXPECT_THAT(text,
                    AllOf(HasSubstr("Examples"), HasSubstr("  lockstep "), HasSubstr("  65   ")));
    }
    EXPECT_THAT(std::get<std::string>(parsed({"run", "--help"})),
                AllOf(HasSubstr("130"), HasSubstr("143"), HasSubstr("For comparison")));
}

TEST(CommandLineTest, TakesCommandsWithoutTheirEngine) {
    EXPECT_EQ(std::get<ValidateCommand>(parsed({"validate", "mycase"})).request.input, "mycase");
    EXPECT_EQ(std::get<SimulateCommand>(parsed({"simulate", "mycase"})).request.of.run.input,
              "mycase");
    EXPECT_EQ(std::get<InitCommand>(parsed({"init", "d"})).request.directory, "d");
    EXPECT_EQ(std::get<SchemaCommand>(parsed({"schema"})).output_directory, ".");
    EXPECT_EQ(std::get<SummaryCommand>(parsed({"summary", "out"})).output_directory, "out");
}

TEST(CommandLineTest, ShowsTheOverviewWhenAskedNothing) {
    EXPECT_THAT(std::get<std::string>(parsed({})), HasSubstr("Without naming the engine"));
    EXPECT_EQ(std::get<std::string>(parsed({"help"})), std::get<std::string>(parsed({"--help"})));
    EXPECT_EQ(std::get<std::string>(parsed({"help", "run"})),
              std::get<std::string>(parsed({"sddp", "run", "--help"})));
}

TEST(CommandLineTest, RefusesAnInputThatNoEngineKnows) {
    const auto folder = testing::TempDir();

    try {
        parsed({"run", folder.c_str()});
        FAIL() << "an empty folder is taken for an input";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr("no engine knows"), HasSubstr("config.json")));
    }
}

TEST(CommandLineTest, RefusesEmptyAndInfiniteValues) {
    EXPECT_THAT(complaint({"run", "c", "-o", ""}), HasSubstr("--output"));
    EXPECT_THAT(complaint({"run", "c", "--checkpoint-minutes", "nan"}), HasSubstr("nan"));
}

TEST(CommandLineTest, GuessesWhatWasMeant) {
    EXPECT_EQ(
        complaint({"run", "mycase", "--treads", "2"}),
        "unknown option '--treads'; did you mean '--threads'?\nSee 'lockstep sddp run --help'.");
    EXPECT_EQ(complaint({"runn", "mycase"}),
              "unknown command 'runn'; did you mean 'run'?\nSee 'lockstep --help'.");
    EXPECT_EQ(complaint({"sddp", "valdate", "mycase"}),
              "unknown command 'valdate'; did you mean 'validate'?\nSee 'lockstep sddp --help'.");
    EXPECT_EQ(complaint({"rnu", "a"}),
              "unknown command 'rnu'; did you mean 'run'?\nSee 'lockstep --help'.");
    EXPECT_EQ(complaint({"run", "a", "b"}),
              "unknown argument 'b'\nSee 'lockstep sddp run --help'.");
}

TEST(CommandLineTest, PrintsManualPagesFromTheOptionTable) {
    EXPECT_THAT(std::get<std::string>(parsed({"man", "sddp", "run"})),
                AllOf(HasSubstr(".TH lockstep\\-sddp\\-run 1"),
                      HasSubstr("\\-\\-checkpoint\\-every"),
                      HasSubstr("Exit codes")));
    EXPECT_THAT(std::get<std::string>(parsed({"man"})), HasSubstr(".B doctor"));
    EXPECT_THAT(complaint({"man", "nothing"}), HasSubstr("no command 'nothing'"));
}

TEST(CommandLineTest, PrintsCompletionsForThreeShells) {
    for (const auto* shell : {"bash", "zsh", "fish"}) {
        const auto script = std::get<std::string>(parsed({"completion", shell}));
        EXPECT_THAT(script, AllOf(HasSubstr("checkpoint-every"), HasSubstr("validate")));
    }
    EXPECT_THAT(complaint({"completion", "csh"}), HasSubstr("csh"));
}

TEST(CommandLineTest, NamesWhatIsMissingOrWrong) {
    EXPECT_THAT(complaint({"run"}),
                AllOf(HasSubstr("CASE"), HasSubstr("lockstep sddp run --help")));
    EXPECT_THAT(complaint({"run", "c", "--threads", "0"}), HasSubstr("--threads"));
    EXPECT_THAT(complaint({"run", "c", "--threads", "two"}), HasSubstr("two"));
    EXPECT_THAT(complaint({"run", "c", "--set", "seed"}), HasSubstr("key=value"));
    EXPECT_THAT(complaint({"run", "c", "--set", "=7"}), HasSubstr("key=value"));
    EXPECT_THAT(complaint({"run", "c", "--solver", "cplex"}), HasSubstr("cplex"));
    EXPECT_THAT(complaint({"sddp", "simulate", "c", "-n", "0"}), HasSubstr("--scenarios"));
    EXPECT_THAT(complaint({"compare", "a"}), HasSubstr("B"));
}

// What follows a wrong value is not unknown.
TEST(CommandLineTest, TellsAWrongValueOfLaunchAsSuch) {
    const auto told = [](std::vector<const char*> words) {
        words.insert(words.begin(), "launch");
        words.insert(words.end(), {"--", "true"});
        return complaint(std::move(words));
    };
    EXPECT_THAT(told({"-n", "0"}), AllOf(HasSubstr("--ranks"), HasSubstr("0")));
    EXPECT_THAT(told({"-n", "5000"}), AllOf(HasSubstr("--ranks"), HasSubstr("5000")));
    EXPECT_THAT(told({"-n", "x"}), AllOf(HasSubstr("--ranks"), HasSubstr("x")));
    EXPECT_THAT(told({"-n", "2", "--backend", "mpi"}), HasSubstr("--backend"));
    EXPECT_THAT(told({"-n", "2", "--restart", "-1"}), HasSubstr("--restart"));
    EXPECT_THAT(told({"-n", "2", "--on-failure", "maybe"}), HasSubstr("--on-failure"));
    EXPECT_THAT(told({}), HasSubstr("--ranks is required"));
    EXPECT_THAT(told({"-n", "2", "--treads"}), HasSubstr("unknown option '--treads'"));
}

// As of a variable of a script that is not set.
TEST(CommandLineTest, TakesNoEmptyNames) {
    EXPECT_THAT(complaint({"run", "mycase", "-o", ""}), HasSubstr("must not be empty"));
    EXPECT_THAT(complaint({"run", "mycase", "--metrics", ""}), HasSubstr("must not be empty"));
    EXPECT_THAT(complaint({"sddp", "simulate", "mycase", "--policy", ""}),
                HasSubstr("must not be empty"));
    EXPECT_THAT(complaint({"report", "out", "-o", ""}), HasSubstr("must not be empty"));
    EXPECT_THAT(complaint({"compare", "a", ""}), HasSubstr("must not be empty"));
}

}  // namespace
}  // namespace lockstep::cli
