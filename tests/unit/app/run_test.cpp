#include "lockstep/app/run.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/app/compare.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/io/table.hpp"

#include "support/places.hpp"
#include "temporary_folder.hpp"

namespace lockstep::app {
namespace {

namespace fs = std::filesystem;

/// Counts what it is told and may ask for a stop.
class Recorder : public RunObserver {
public:
    void on_start(const RunStart& begun) override { start = begun; }
    void on_iteration(const sddp::IterationReport& report) override {
        iterations.push_back(report.iteration);
    }
    void on_simulation_progress(int done, int total) override {
        EXPECT_LE(done, total);
        simulated = done;
    }
    bool stop_requested() override {
        return stop_after > 0 && static_cast<int>(iterations.size()) >= stop_after;
    }

    RunStart start;
    std::vector<int> iterations;
    int simulated = 0;
    int stop_after = 0;
};

class RunTest : public testing::Test {
protected:
    RunTest() {
        request.case_directory = test::source_dir() / "cases/sddp/1dtoy";
        request.output_directory = folder / "out";
        request.threads = 1;
        request.settings = {
            {"training.stopping_rules", R"([{"type": "iteration_limit", "limit": 3}])"},
            {"training.selection.forward_passes", "5"},
            {"simulation.selection.num_scenarios", "6"}};
    }

    RunOutcome run() { return run_case(request, *comm::make_local(), recorder); }

    /// Runs on ranks that are threads of this process, each with an observer of its own.
    void run_on(int ranks, const fs::path& output) {
        auto other = request;
        other.output_directory = output;
        comm::run_in_process(ranks, [&](comm::Communicator& communicator) {
            RunObserver silent;
            run_case(other, communicator, silent);
        });
    }

    TemporaryFolder folder;
    RunRequest request;
    Recorder recorder;
};

TEST_F(RunTest, TellsWhatHappensAndSummarises) {
    const auto outcome = run();

    EXPECT_EQ(recorder.start.case_name, "1dtoy");
    EXPECT_EQ(recorder.start.stages, 4);
    EXPECT_EQ(recorder.start.train.forward_passes, 5);
    EXPECT_EQ(recorder.iterations, (std::vector<int>{1, 2, 3}));
    EXPECT_EQ(recorder.simulated, 6);
    EXPECT_EQ(outcome.signal, 0);
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
        for (const std::string name : {"stage_id", "opening_index", "rank", "worker_id"})
            rows.back() += ' ' + number(name, row);
    }
    return rows;
}

std::vector<std::string> lines_of(const fs::path& file) {
    std::ifstream in(file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);)
        lines.push_back(line);
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

    EXPECT_EQ(outcome.signal, 0);
    EXPECT_FALSE(outcome.summary.training->is_complete);
    EXPECT_EQ(outcome.summary.training->iterations, 2);
    EXPECT_FALSE(outcome.summary.simulation.has_value());
    EXPECT_TRUE(fs::exists(folder / "out/policy/manifest.json"));
}

TEST_F(RunTest, TakesEverySwitchOfSpeedWithTheSameBound) {
    const auto fast = run().summary.training->lower_bound;
    request.speed = {false, false, false, false};

    EXPECT_NEAR(run().summary.training->lower_bound, fast, 1e-2 * fast);
}

TEST_F(RunTest, LeavesFilesOfOthersInTheOutputDirectory) {
    fs::create_directories(folder / "out/training");
    std::ofstream(folder / "out/training/notes.txt") << "mine";

    run();

    EXPECT_TRUE(fs::exists(folder / "out/training/notes.txt"));
}

TEST_F(RunTest, RefusesACaseWithNothingToDo) {
    request.settings = {{"training.enabled", "false"}, {"simulation.enabled", "false"}};

    EXPECT_THROW(run(), InputError);
    EXPECT_FALSE(fs::exists(folder / "out"));
}

TEST_F(RunTest, SimulatesWithoutTrainingUnderThePolicyOfBefore) {
    const auto first = run();
    request.settings.emplace_back("training.enabled", "false");

    const auto second = run();

    EXPECT_EQ(second.summary.simulation->digest, first.summary.simulation->digest);
    EXPECT_EQ(second.summary.training->digest, first.summary.training->digest);
}

TEST_F(RunTest, RefusesThePolicyOfAnotherCase) {
    run();
    SimulateRequest simulate{request, folder / "out/policy", {}};
    simulate.run.case_directory = test::source_dir() / "cases/sddp/d03-two-hydro-cascade";
    simulate.run.settings.clear();
    simulate.run.output_directory = folder / "other";

    EXPECT_THROW(simulate_case(simulate, *comm::make_local(), recorder), InputError);
}

TEST_F(RunTest, LeavesNoRankWaitingWhenRankZeroCannotWrite) {
    std::ofstream(folder / "file") << "x";

    EXPECT_THROW(run_on(2, folder / "file" / "out"), IoError);
}

}  // namespace
}  // namespace lockstep::app
