#include "lockstep/app/sddp/run.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/app/compare.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/formats/cobre/policy_files.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/io/table.hpp"

#include "app/job/output_lock.hpp"
#include "support/places.hpp"
#include "unit/app/temporary_folder.hpp"

namespace lockstep::app {
namespace {

namespace fs = std::filesystem;

/// Counts what it is told and may ask for a stop.
class Recorder : public Observer {
public:
    void on_start(const RunFacts& begun) override { facts = begun; }
    void on_progress(const Progress& progress) override {
        EXPECT_LE(progress.done, progress.total);
        if (progress.phase == "training") {
            iterations.push_back(static_cast<int>(progress.done));
        } else {
            simulated = static_cast<int>(progress.done);
        }
    }
    void on_notice(Notice, const std::string& text) override { notices.push_back(text); }
    void on_warning(const Problem& warning) override { warnings.push_back(warning.message); }
    void on_phase_end(const PhaseEnd& end) override { ended.push_back(end.phase); }
    bool stop_requested() override {
        return stop_after > 0 && static_cast<int>(iterations.size()) >= stop_after;
    }

    RunFacts facts;
    std::vector<int> iterations;
    std::vector<std::string> ended;
    std::vector<std::string> notices;
    std::vector<std::string> warnings;
    int simulated = 0;
    int stop_after = 0;
};

class RunTest : public testing::Test {
protected:
    RunTest() {
        request.run.input = test::source_dir() / "cases/sddp/1dtoy";
        request.run.output = folder / "out";
        request.run.threads = 1;
        request.run.settings = {
            {"training.stopping_rules", R"([{"type": "iteration_limit", "limit": 3}])"},
            {"training.selection.forward_passes", "5"},
            {"simulation.selection.num_scenarios", "6"}};
    }

    CaseOutcome run() { return run_case(request, *comm::make_local(), recorder); }

    /// Runs on ranks that are threads of this process, each with an observer of its own.
    void run_on(int ranks, const fs::path& output) {
        auto other = request;
        other.run.output = output;
        comm::run_in_process(ranks, [&](comm::Communicator& communicator) {
            Observer silent;
            run_case(other, communicator, silent);
        });
    }

    TemporaryFolder folder;
    CaseRequest request;
    Recorder recorder;
};

TEST_F(RunTest, TellsWhatHappensAndSummarises) {
    const auto outcome = run();

    EXPECT_EQ(recorder.facts.name, "1dtoy");
    EXPECT_EQ(*recorder.facts.details.find("stages")->if_integer(), 4);
    EXPECT_EQ(*recorder.facts.details.find("forward_passes")->if_integer(), 5);
    EXPECT_EQ(recorder.ended, (std::vector<std::string>{"training", "simulation"}));
    EXPECT_EQ(recorder.iterations, (std::vector<int>{1, 2, 3}));
    EXPECT_EQ(recorder.simulated, 6);
    EXPECT_EQ(outcome.run.signal, 0);
    EXPECT_EQ(outcome.summary.training->iterations, 3);
    EXPECT_EQ(outcome.summary.simulation->scenarios, 6);
    EXPECT_TRUE(outcome.summary.curtailment_constant.has_value());
}

TEST_F(RunTest, GivesTheSameFilesOnAnyNumberOfRanks) {
    run();

    for (const auto ranks : {2, 3}) {
        run_on(ranks, folder / "ranks");
        const auto comparison = compare(folder / "out", folder / "ranks", Depth::files);
        EXPECT_TRUE(comparison.is_same) << ranks << " ranks: " << comparison.sentence;
    }
}

/// "1 - backward 3 0 0 0" of each row of solver/iterations.
std::vector<std::string> solver_rows(const fs::path& output) {
    const auto table = io::read_parquet(output / "training/solver/iterations.parquet");
    const auto& phase = std::get<std::vector<std::string>>(table.find("phase")->values);
    const auto number = [&](const std::string& name, std::size_t row) {
        const auto* column = table.find(name);
        const auto& values = std::get<std::vector<std::int32_t>>(column->values);
        return column->is_present(row) ? std::to_string(values[row]) : "-";
    };
    std::vector<std::string> rows;
    for (std::size_t row = 0; row < phase.size(); ++row) {
        rows.push_back(number("iteration", row) + ' ' + number("scenario_id", row) + ' ' +
                       phase[row]);
        for (const std::string name : {"stage_id", "opening_index", "rank", "worker_id"}) {
            rows.back() += ' ' + number(name, row);
        }
    }
    return rows;
}

/// Stored bases that backward solves were given.
std::int64_t solver_bases(const fs::path& output) {
    const auto table = io::read_parquet(output / "training/solver/iterations.parquet");
    const auto& phase = std::get<std::vector<std::string>>(table.find("phase")->values);
    const auto& offered = *table.find("basis_offered");
    std::int64_t sum = 0;
    for (std::size_t row = 0; row < phase.size(); ++row) {
        if (phase[row] == "backward") {
            std::visit(
                [&](const auto& values) {
                    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(values[0])>>) {
                        sum += static_cast<std::int64_t>(values[row]);
                    }
                },
                offered.values);
        }
    }
    return sum;
}

std::vector<std::string> lines_of(const fs::path& file) {
    std::ifstream in(file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

// tests/unit/app/data/README.md says where the rows are from.
TEST_F(RunTest, WritesTheSolverRowsThatCobreWrites) {
    run();

    EXPECT_EQ(solver_rows(folder / "out"),
              lines_of(test::source_dir() / "tests/unit/app/data/cobre_1dtoy_solver_rows.txt"));
}

TEST_F(RunTest, EndsOnRequestWithEverythingWritten) {
    recorder.stop_after = 2;

    const auto outcome = run();

    EXPECT_EQ(outcome.run.signal, 0);
    EXPECT_FALSE(outcome.summary.training->is_complete);
    EXPECT_EQ(outcome.summary.training->iterations, 2);
    EXPECT_FALSE(outcome.summary.simulation.has_value());
    EXPECT_TRUE(fs::exists(folder / "out/policy/manifest.bin"));
}

TEST_F(RunTest, TakesEverySwitchOfSpeedWithTheSameBound) {
    const auto fast = run().summary.training->lower_bound;
    request.lazy_cuts = request.ordered_openings = request.warm_start = false;
    request.substitute_evaporation = false;

    EXPECT_NEAR(run().summary.training->lower_bound, fast, 1e-2 * fast);
}

TEST_F(RunTest, LeavesFilesOfOthersInTheOutputDirectory) {
    fs::create_directories(folder / "out/training");
    std::ofstream(folder / "out/training/notes.txt") << "mine";

    run();

    EXPECT_TRUE(fs::exists(folder / "out/training/notes.txt"));
}

TEST_F(RunTest, RefusesACaseWithNothingToDo) {
    request.run.settings = {{"training.enabled", "false"}, {"simulation.enabled", "false"}};

    EXPECT_THROW(run(), InputError);
    EXPECT_FALSE(fs::exists(folder / "out"));
}

TEST_F(RunTest, SimulatesWithoutTrainingUnderThePolicyOfBefore) {
    const auto first = run();
    request.run.settings.emplace_back("training.enabled", "false");

    const auto second = run();

    EXPECT_EQ(second.summary.simulation->digest, first.summary.simulation->digest);
    EXPECT_EQ(second.summary.training->digest, first.summary.training->digest);
}

TEST_F(RunTest, TakesTheLastOfASettingThatIsGivenTwice) {
    request.run.settings.emplace_back("training.selection.forward_passes", "4");

    const auto outcome = run();

    EXPECT_EQ(outcome.summary.training->forward_passes, 4);
    EXPECT_EQ(summarize(folder / "out").digest(), outcome.summary.digest());
    EXPECT_TRUE(compare(folder / "out", folder / "out", Depth::files).is_same);
}

TEST_F(RunTest, SummarisesFromMemoryWhatTheFilesSay) {
    auto told = run().summary;
    auto read = summarize(folder / "out");
    for (auto* summary : {&told, &read}) {  // tables have milliseconds
        summary->training->forward_seconds = summary->training->backward_seconds = 0;
    }

    EXPECT_EQ(io::to_text(to_json(told)), io::to_text(to_json(read)));
}

TEST_F(RunTest, KeepsAFinishedResultWhenAResumeIsRefused) {
    const auto first = run();
    request.run.checkpoints.iterations = 1;
    run();
    request.run.resume = true;
    request.run.settings.emplace_back("training.selection.forward_passes", "6");

    EXPECT_THROW(run(), InputError);

    EXPECT_EQ(summarize(folder / "out").digest(), first.summary.digest());
}

TEST_F(RunTest, SaysWhichWayThePolicyWasMade) {
    request.run.checkpoints.iterations = 2;
    run();
    request.run.resume = true;
    run();

    const auto metadata = io::read_json(folder / "out/training/metadata.json");
    EXPECT_EQ(*metadata.find("configuration")->find("policy_mode")->if_string(), "resume");
}

TEST_F(RunTest, GoesOnFromThePolicyOfBefore) {
    const auto first = run();
    request.run.settings.emplace_back("policy.mode", "\"resume\"");
    request.run.settings.emplace_back("training.stopping_rules",
                                      R"([{"type": "iteration_limit", "limit": 5}])");
    recorder.iterations.clear();

    const auto second = run();

    EXPECT_EQ(recorder.iterations, (std::vector<int>{4, 5}));
    EXPECT_EQ(second.summary.training->iterations, 5);
    EXPECT_GE(second.summary.training->lower_bound, first.summary.training->lower_bound);
    const auto info = formats::cobre::read_policy_info(folder / "out/policy");
    EXPECT_EQ(info.completed_iterations, 5);
    EXPECT_EQ(info.lower_bound_history.size(), 5u);

    recorder.iterations.clear();
    const auto third = run();  // nothing is left to train

    EXPECT_THAT(recorder.iterations, testing::IsEmpty());
    EXPECT_THAT(recorder.warnings,
                testing::ElementsAre(
                    testing::HasSubstr("has 5 iterations of at most 5: nothing is trained")));
    EXPECT_EQ(third.summary.training->digest, second.summary.training->digest);
    EXPECT_EQ(third.summary.simulation->scenarios, 6);
}

TEST_F(RunTest, BeginsWithThePolicyOfBefore) {
    const auto first = run();
    request.run.settings.emplace_back("policy.mode", "\"warm_start\"");
    recorder.iterations.clear();

    const auto second = run();

    EXPECT_EQ(recorder.iterations, (std::vector<int>{1, 2, 3}));
    EXPECT_GE(second.summary.training->lower_bound, first.summary.training->lower_bound);
    EXPECT_EQ(formats::cobre::read_policy_info(folder / "out/policy").completed_iterations, 3);
}

TEST_F(RunTest, NeedsThePolicyThatItIsToBeginWith) {
    for (const auto* mode : {"\"warm_start\"", "\"resume\""}) {
        request.run.settings.emplace_back("policy.mode", mode);

        EXPECT_THROW(run(), IoError);
        EXPECT_FALSE(fs::exists(folder / "out"));
    }
}

TEST_F(RunTest, KeepsConfigsWishForWarmStartsUnlessOverridden) {
    for (const auto* pass : {"forward", "backward"}) {
        request.run.settings.emplace_back(fmt::format("training.solver.{}.use_warm_start", pass),
                                          "false");
    }
    run();
    const auto cold = solver_bases(folder / "out");
    request.warm_start = true;
    run();

    EXPECT_EQ(cold, 0);
    EXPECT_GT(solver_bases(folder / "out"), 0);
}

TEST_F(RunTest, RefusesAnOutputThatAnotherRunIsWriting) {
    OutputLock other;
    fs::create_directories(folder / "out");
    other.hold(folder / "out");

    try {
        run();
        FAIL() << "two runs write one output";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("another run is writing here (process "));
    }
    other.release();
    EXPECT_NO_THROW(run());
    EXPECT_FALSE(fs::exists(folder / "out" / OutputLock::file_name));
}

TEST_F(RunTest, MarksAPartThatEndedEarlyAsPartial) {
    recorder.stop_after = 2;
    run();

    EXPECT_TRUE(fs::exists(folder / "out/training/_PARTIAL"));
    EXPECT_FALSE(fs::exists(folder / "out/training/_SUCCESS"));
    const auto comparison = compare(folder / "out", folder / "out");
    EXPECT_FALSE(comparison.is_whole);
    EXPECT_THAT(comparison.sentence, testing::HasSubstr("not whole"));
}

TEST_F(RunTest, FindsCutsThatOneSideLacksWhereverThePolicyIs) {
    request.run.settings.emplace_back("policy.path", "elsewhere");
    run();
    request.run.output = folder / "second";
    run();
    fs::remove_all(folder / "second/elsewhere/cuts");

    const auto comparison = compare(folder / "out", folder / "second", Depth::files);

    EXPECT_FALSE(comparison.is_same);
    EXPECT_THAT(comparison.sentence, testing::HasSubstr("elsewhere/cuts"));
}

TEST_F(RunTest, GoesOnWithoutMetricsWhereTheyCannotBeWritten) {
    request.run.metrics = "/dev/full/metrics";

    EXPECT_EQ(run().summary.training->iterations, 3);
    EXPECT_THAT(recorder.notices, testing::ElementsAre(testing::HasSubstr("metrics")));
}

TEST_F(RunTest, RefusesThePolicyOfAnotherCase) {
    run();
    SimulateRequest simulate{request, folder / "out/policy", {}};
    simulate.of.run.input = test::source_dir() / "cases/sddp/d03-two-hydro-cascade";
    simulate.of.run.settings.clear();
    simulate.of.run.output = folder / "other";

    EXPECT_THROW(simulate_case(simulate, *comm::make_local(), recorder), InputError);
}

TEST_F(RunTest, SimulatesTheYearsOfTheRecord) {
    request.run.input = test::source_dir() / "cases/sddp/d26-estimated-par2";
    run();
    SimulateRequest simulate{request, {}, {}};
    simulate.of.scenarios_from = "history";

    const auto outcome = simulate_case(simulate, *comm::make_local(), recorder);

    EXPECT_EQ(outcome.summary.simulation->scenarios, 40);  // 1981 to 2020
}

TEST_F(RunTest, SimulatesTheScenariosOfAFolder) {
    request.run.input = test::source_dir() / "cases/sddp/d28-decomp-weekly-monthly";
    run();
    SimulateRequest simulate{request, {}, {}};
    simulate.of.scenarios_from = request.run.input / "scenarios";
    const auto every = simulate_case(simulate, *comm::make_local(), recorder);
    simulate.scenarios = 2;
    const auto two = simulate_case(simulate, *comm::make_local(), recorder);
    simulate.of.scenarios_from = request.run.input / "system";

    EXPECT_EQ(every.summary.simulation->scenarios, 5);
    EXPECT_EQ(two.summary.simulation->scenarios, 2);
    EXPECT_THROW(simulate_case(simulate, *comm::make_local(), recorder), InputError);
    simulate.of.scenarios_from = folder / "nowhere";
    EXPECT_THROW(simulate_case(simulate, *comm::make_local(), recorder), IoError);
}

TEST_F(RunTest, LeavesNoRankWaitingWhenRankZeroCannotWrite) {
    std::ofstream(folder / "file") << "x";

    EXPECT_THROW(run_on(2, folder / "file" / "out"), IoError);
}

}  // namespace
}  // namespace lockstep::app
