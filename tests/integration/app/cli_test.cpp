#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "lockstep/io/file.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/io/table.hpp"

#include "integration/app/case_copy.hpp"
#include "integration/app/program.hpp"
#include "support/places.hpp"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

std::vector<io::Json> lines_of(const std::string& text) {
    std::vector<io::Json> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(io::parse_json(line, "stdout"));
    }
    return lines;
}

std::string event_of(const io::Json& line) {
    return *line.find("event")->if_string();
}

class CliTest : public testing::Test {
protected:
    /// Arguments of a short run.
    std::vector<std::string> short_run(std::vector<std::string> more = {}) const {
        std::vector<std::string> arguments = {
            "run",
            copy.path(),
            "--output",
            copy.output(),
            "--set",
            R"(training.stopping_rules=[{"type":"iteration_limit","limit":4}])",
            "--set",
            "simulation.selection.num_scenarios=5"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }
    [[nodiscard]] fs::path output(const std::string& file) const {
        return fs::path(copy.output()) / file;
    }

    CaseCopy copy;
};

TEST_F(CliTest, RunsACaseAndSaysWhatCameOut) {
    const auto ended = run(short_run());

    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    for (const auto* fact : {"lower bound", "simulated mean", "gap", "digest", "lockstep report"}) {
        EXPECT_THAT(ended.out, HasSubstr(fact));
    }
    EXPECT_TRUE(fs::exists(output("training/_SUCCESS")));
    EXPECT_TRUE(fs::exists(output("simulation/_SUCCESS")));
    EXPECT_TRUE(fs::exists(output("policy/manifest.bin")));
}

TEST_F(CliTest, GivesAPipeALineAnIterationWithoutControlCharacters) {
    const auto ended = run(short_run());

    EXPECT_THAT(ended.err, HasSubstr("iteration "));
    EXPECT_THAT(ended.err, HasSubstr("\n        4 "));
    EXPECT_THAT(ended.err, AllOf(Not(HasSubstr("\r")), Not(HasSubstr("\033"))));
}

TEST_F(CliTest, IsSilentOnDemand) {
    const auto ended = run(short_run({"--quiet"}));

    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_THAT(ended.out, IsEmpty());
    EXPECT_THAT(ended.err, IsEmpty());
}

TEST_F(CliTest, WritesJsonLineByLine) {
    const auto ended = run(short_run({"--json"}));

    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.err, IsEmpty());
    const auto lines = lines_of(ended.out);
    auto iterations = 0;
    for (const auto& line : lines) {
        iterations +=
            event_of(line) == "progress" && *line.find("step")->if_string() == "iteration" ? 1 : 0;
    }
    EXPECT_EQ(event_of(lines.front()), "start");
    EXPECT_EQ(iterations, 4);
    EXPECT_EQ(event_of(lines.back()), "end");
    EXPECT_EQ(*lines.back().find("exit_code")->if_integer(), 0);
    EXPECT_EQ(*lines.back().find("summary")->find("training")->find("iterations")->if_integer(), 4);
}

TEST_F(CliTest, SettingsChangeTheConfiguration) {
    const auto ended = run(short_run({"--json", "--set", "training.selection.forward_passes=3"}));

    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(*lines_of(ended.out).front().find("forward_passes")->if_integer(), 3);
}

TEST_F(CliTest, RefusesASettingThatTheConfigurationDoesNotKnow) {
    const auto ended = run(short_run({"--set", "training.passes=3"}));

    EXPECT_EQ(ended.exit_code, 65);
    EXPECT_THAT(ended.err, HasSubstr("passes"));
}

TEST_F(CliTest, OverwritesAnEarlierRun) {
    ASSERT_EQ(run({"run", copy.path(), "--output", copy.output()}).exit_code, 0);
    ASSERT_EQ(run({"report", copy.output()}).exit_code, 0);

    ASSERT_EQ(run(short_run({"--scenario-folders"})).exit_code, 0);

    EXPECT_FALSE(fs::exists(output("simulation/costs/part-00000.parquet")));
    EXPECT_TRUE(fs::exists(output("simulation/costs/scenario_id=0004")));
    EXPECT_FALSE(fs::exists(output("simulation/costs/scenario_id=0005")));
    EXPECT_FALSE(fs::exists(output("report.html")));
}

TEST_F(CliTest, GivesTheSameBitsOnAnyNumberOfThreads) {
    ASSERT_EQ(run(short_run({"--threads", "1"})).exit_code, 0);
    const auto other = copy.output() + "-3";
    auto arguments = short_run({"--threads", "3"});
    arguments[3] = other;
    ASSERT_EQ(run(arguments).exit_code, 0);

    const auto same = run({"compare", copy.output(), other, "--deep"});
    EXPECT_EQ(same.exit_code, 0) << same.out;
    EXPECT_THAT(same.out, HasSubstr("same bits"));

    arguments.insert(arguments.end(), {"--set", "training.tree_seed=5"});
    ASSERT_EQ(run(arguments).exit_code, 0);
    const auto different = run({"compare", copy.output(), other});
    EXPECT_EQ(different.exit_code, 1);
    EXPECT_THAT(different.out, HasSubstr("The results differ, first in the bounds at iteration 1"));
    EXPECT_EQ(lines_of(run({"compare", copy.output(), other, "--json"}).out).size(), 1U);
}

TEST_F(CliTest, SummarisesAndReportsAFinishedRun) {
    ASSERT_EQ(run(short_run()).exit_code, 0);

    const auto summary = run({"sddp", "summary", copy.output()});
    EXPECT_EQ(summary.exit_code, 0);
    EXPECT_THAT(summary.out, HasSubstr("lower bound"));
    const auto json = run({"sddp", "summary", copy.output(), "--json"});
    EXPECT_TRUE(lines_of(json.out).at(0).find("training")->find("lower_bound")->if_number());
    const auto report = run({"report", copy.output()});
    EXPECT_EQ(report.exit_code, 0) << report.err;
    EXPECT_EQ(report.out, output("report.html").string() + "\n");
    EXPECT_TRUE(fs::exists(output("report.html")));
}

TEST_F(CliTest, EnumeratesATreeAndReportsItsExactBound) {
    const auto tree = (test::source_dir() / "cases/sddp/node-tree-cvar").string();
    const auto ended = run({"run", tree, "--output", copy.output()});
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("exact upper bound over lower bound"));
    EXPECT_EQ(run({"report", copy.output()}).exit_code, 0);
    EXPECT_THAT(io::read_file(output("report.html")), HasSubstr("cost of the policy"));
    EXPECT_EQ(run({"sddp", "simulate", tree, "--output", copy.output()}).exit_code, 0);
}

TEST_F(CliTest, SimulatesUnderAPolicyOnDisk) {
    ASSERT_EQ(run(short_run()).exit_code, 0);
    const auto before = lines_of(run({"sddp", "summary", copy.output(), "--json"}).out).at(0);

    const auto ended =
        run({"sddp", "simulate", copy.path(), "--output", copy.output(), "--scenarios", "5"});
    ASSERT_EQ(ended.exit_code, 0) << ended.err;

    const auto after = lines_of(run({"sddp", "summary", copy.output(), "--json"}).out).at(0);
    EXPECT_EQ(*after.find("digest")->if_string(), *before.find("digest")->if_string());
}

TEST_F(CliTest, SimulatesElsewhereWithAPolicyFromAnotherRun) {
    ASSERT_EQ(run(short_run()).exit_code, 0);

    const auto ended = run({"sddp",
                            "simulate",
                            copy.path(),
                            "--output",
                            copy.output() + "-2",
                            "--policy",
                            output("policy").string(),
                            "--scenarios",
                            "3",
                            "--json"});

    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    const auto lines = lines_of(ended.out);
    const auto* summary = lines.back().find("summary");
    EXPECT_TRUE(summary->find("training")->is_null());
    EXPECT_EQ(*summary->find("simulation")->find("scenarios")->if_integer(), 3);
}

TEST_F(CliTest, NeedsAPolicyToSimulate) {
    const auto ended = run({"sddp", "simulate", copy.path(), "--output", copy.output()});

    EXPECT_EQ(ended.exit_code, 66);
    EXPECT_THAT(ended.err, HasSubstr("policy"));
}

TEST_F(CliTest, ValidatesAGoodCase) {
    const auto ended = run({"sddp", "validate", copy.path()});

    EXPECT_EQ(ended.exit_code, 0) << ended.out;
    EXPECT_THAT(ended.out,
                AllOf(HasSubstr("stages                          4"), HasSubstr("valid")));
}

TEST_F(CliTest, ValidateTellsEveryProblemOnALine) {
    copy.edit("system/thermals.json", R"("bus_id": 0)", R"("bus_id": "SIN")");
    copy.edit("config.json", R"("limit": 128)", R"("limit": -1)");

    const auto ended = run({"sddp", "validate", copy.path()});
    const auto json = run({"sddp", "validate", copy.path(), "--json"});

    EXPECT_EQ(ended.exit_code, 65);
    EXPECT_THAT(ended.out,
                AllOf(HasSubstr("] system/thermals.json"),
                      HasSubstr("] config.json"),
                      HasSubstr("2 errors")));
    EXPECT_EQ(json.exit_code, 65);
    EXPECT_FALSE(*lines_of(json.out).at(0).find("valid")->if_bool());
    EXPECT_EQ(lines_of(json.out).at(0).find("problems")->if_array()->size(), 2U);
}

TEST_F(CliTest, StartsACaseThatRuns) {
    const auto made = copy.output() + "-case";

    const auto ended = run({"sddp", "init", made});

    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(run({"sddp", "validate", made}).exit_code, 0);
    EXPECT_EQ(run({"sddp", "init", made}).exit_code, 65);
    EXPECT_EQ(run({"sddp", "init", made, "--force"}).exit_code, 0);
    EXPECT_EQ(run({"sddp", "init", made + "2", "--template", "nothing"}).exit_code, 64);
    EXPECT_THAT(run({"sddp", "init", "--list"}).out, HasSubstr("1dtoy"));
}

// Costs of the template are uneven: one trajectory an iteration ended with a gap of -76 %.
TEST_F(CliTest, StartsACaseWhoseResultIsPlain) {
    const auto made = copy.output() + "-case";
    ASSERT_EQ(run({"init", made}).exit_code, 0);

    const auto ended = run({"run", made, "--output", copy.output()});

    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    const auto summary = lines_of(run({"summary", copy.output(), "--json"}).out).at(0);
    const auto simulated = summary.find("simulated_gap")->if_number().value();
    const auto trained = summary.find("training")->find("gap")->if_number().value();
    EXPECT_GT(simulated, -0.1);
    EXPECT_LT(simulated, 0.1);
    EXPECT_GT(trained, -0.5);
    EXPECT_LT(trained, 0.5);
}

TEST_F(CliTest, StartsACaseThatSaysWhatItsFilesAre) {
    const auto made = copy.output() + "-case";
    ASSERT_EQ(run({"init", made}).exit_code, 0);

    const auto readme = io::read_file(fs::path(made) / "README.md");

    for (const auto& entry : fs::recursive_directory_iterator(made)) {
        const auto name = entry.path().lexically_relative(made).string();
        if (entry.is_regular_file() && name != "README.md") {
            EXPECT_THAT(readme, HasSubstr("| `" + name + "` |"));
        }
    }
}

TEST_F(CliTest, WritesSchemasThatAreJson) {
    const auto ended = run({"sddp", "schema", "--output-dir", copy.output()});

    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    auto files = 0;
    for (const auto& entry : fs::directory_iterator(copy.output())) {
        EXPECT_NO_THROW(io::read_json(entry.path()));
        ++files;
    }
    EXPECT_EQ(files, 47);
    EXPECT_TRUE(fs::exists(output("stages.schema.json")));
    EXPECT_TRUE(fs::exists(output("hydro_bounds.schema.json")));
    EXPECT_THAT(run({"schema", "--markdown"}).out, StartsWith("# Fields of a case\n"));
}

TEST_F(CliTest, TellsItsVersion) {
    EXPECT_THAT(run({"version"}).out, AllOf(HasSubstr("lockstep "), HasSubstr("compiler")));
    EXPECT_TRUE(lines_of(run({"version", "--json"}).out).at(0).find("libraries")->if_object());
    EXPECT_EQ(run({"--version"}).out, run({"version"}).out);
}

TEST_F(CliTest, MapsErrorsToExitCodes) {
    EXPECT_EQ(run({}).exit_code, 0);
    EXPECT_EQ(run({"runn"}).exit_code, 64);
    EXPECT_EQ(run({"run", copy.path(), "--treads", "2"}).exit_code, 64);
    EXPECT_EQ(run({"run", copy.path() + "-nowhere"}).exit_code, 66);
    EXPECT_EQ(run({"run", "/dev/null"}).exit_code, 65);
    EXPECT_EQ(run({"sddp", "summary", copy.path()}).exit_code, 66);
    EXPECT_EQ(run({"report", copy.path()}).exit_code, 66);
    EXPECT_EQ(run({"compare", copy.path(), copy.path()}).exit_code, 66);
    EXPECT_EQ(run({"run", copy.path(), "--output", "/dev/null/out"}).exit_code, 74);
    EXPECT_EQ(run({"--help"}).exit_code, 0);
}

TEST_F(CliTest, TellsErrorsOnStderrAndInJson) {
    const auto ended = run({"run", copy.path() + "-nowhere", "--json"});

    EXPECT_THAT(ended.err, HasSubstr("lockstep: "));
    EXPECT_EQ(event_of(lines_of(ended.out).back()), "error");
    EXPECT_EQ(*lines_of(ended.out).back().find("exit_code")->if_integer(), 66);
}

TEST_F(CliTest, ShowsAStageWithoutASolution) {
    auto inflow = io::read_parquet(copy.file("scenarios/inflow_seasonal_stats.parquet"));
    for (auto& column : inflow.columns) {
        if (column.name == "mean_m3s") {
            std::get<std::vector<double>>(column.values)[2] = -1e6;
        }
    }
    io::write_parquet(copy.file("scenarios/inflow_seasonal_stats.parquet"), inflow);

    const auto ended = run(short_run());

    EXPECT_EQ(ended.exit_code, 65);
    EXPECT_THAT(ended.err,
                AllOf(HasSubstr("stage 2 (2024-03-01) has no solution: infeasible"),
                      HasSubstr("iteration 1, trajectory 0"),
                      HasSubstr("These cannot hold together: "),
                      HasSubstr(output("training/infeasible-2.mps").string())));
    EXPECT_THAT(io::read_file(output("training/infeasible-2.mps")), HasSubstr("ENDATA"));
    EXPECT_THAT(io::read_file(output("training/metadata.json")), HasSubstr("partial"));
    EXPECT_FALSE(fs::exists(output("policy/manifest.bin")));
    EXPECT_FALSE(fs::exists(output("simulation")));
    EXPECT_EQ(run({"report", copy.output()}).exit_code, 0);
    EXPECT_EQ(run({"sddp", "summary", copy.output()}).exit_code, 0);
}

class SignalTest : public CliTest, public testing::WithParamInterface<int> {};

TEST_P(SignalTest, EndsAfterTheIterationWithEverythingWritten) {
    Program program({"run",
                     copy.path(),
                     "--output",
                     copy.output(),
                     "--set",
                     R"(training.stopping_rules=[{"type":"iteration_limit","limit":1000000}])"});
    ASSERT_TRUE(program.wait_for("\n        2 "));

    program.send(GetParam());
    const auto ended = program.end();

    EXPECT_EQ(ended.exit_code, 128 + GetParam()) << ended.err;
    EXPECT_TRUE(fs::exists(output("training/_PARTIAL")));
    EXPECT_FALSE(fs::exists(output("training/_SUCCESS")));
    EXPECT_FALSE(fs::exists(output("simulation/_SUCCESS")));
    EXPECT_THAT(ended.out,
                AllOf(HasSubstr("ended by request"), HasSubstr("Ended early by a signal")));
    EXPECT_THAT(io::read_file(output("training/metadata.json")), HasSubstr("partial"));
    EXPECT_EQ(run({"sddp", "simulate", copy.path(), "-o", copy.output(), "-n", "2"}).exit_code, 0);
}

INSTANTIATE_TEST_SUITE_P(BothSignals, SignalTest, testing::Values(SIGINT, SIGTERM));

TEST_F(CliTest, EndsAnEndlessSimulationBySignalToo) {
    ASSERT_EQ(run(short_run()).exit_code, 0);
    Program program({"sddp", "simulate", copy.path(), "-o", copy.output(), "-n", "1000000"});
    ASSERT_TRUE(program.wait_for("simulation: "));

    program.send(SIGINT);
    const auto ended = program.end();

    EXPECT_EQ(ended.exit_code, 130) << ended.err;
    EXPECT_TRUE(fs::exists(output("simulation/_PARTIAL")));
    EXPECT_FALSE(fs::exists(output("simulation/_SUCCESS")));
    EXPECT_THAT(ended.out, HasSubstr("ended early"));
}

}  // namespace
}  // namespace lockstep::cli
