#include "lockstep/app/rl/solve.hpp"

#include <array>
#include <cmath>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/formats/records/output_metadata.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/table.hpp"

#include "support/places.hpp"
#include "unit/app/temporary_folder.hpp"

namespace lockstep::app {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class SolveTest : public testing::Test {
protected:
    SolveRequest request_of(const std::string& name) {
        SolveRequest request;
        request.run.input = name;
        request.run.output = folder / "out";
        request.run.threads = 1;
        return request;
    }
    SolveOutcome solved(const SolveRequest& request) {
        Observer nobody;
        return solve_process(request, *comm::make_local(), nobody);
    }
    template <typename E>
    std::string complaint(const SolveRequest& request) {
        try {
            solved(request);
        } catch (const E& error) {
            return error.what();
        }
        return "no error";
    }

    TemporaryFolder folder;
};

// 14/17: golden.json.
TEST_F(SolveTest, EnclosesTheValueOfTheStart) {
    auto request = request_of("FrozenLake");
    request.gamma = 1;

    const auto record = solved(request).record;

    ASSERT_TRUE(record.start);
    EXPECT_LE(record.start->lower, 14.0 / 17);
    EXPECT_GE(record.start->upper, 14.0 / 17);
    EXPECT_LT(record.start->upper - record.start->lower, 4e-9);
    EXPECT_EQ(record.environment.name, "FrozenLake-v1");
    EXPECT_EQ(record.choices, 11);
    EXPECT_EQ(record.ending, "proven");
}

// The values are fractions, worked out by hand; the discount factor stands in the file.
TEST_F(SolveTest, SolvesAModelThatAUserBrings) {
    auto request = request_of((test::source_dir() / "examples/rl/machine_repair.json").string());

    const auto record = solved(request).record;

    EXPECT_EQ(record.discount_factor, 0.9);
    EXPECT_LE(record.start->lower, 37'300.0 / 49);
    EXPECT_GE(record.start->upper, 37'300.0 / 49);
    EXPECT_LT(record.start->upper - record.start->lower, 4e-9);
    EXPECT_EQ(record.environment.name, "machine_repair");
    EXPECT_EQ(record.environment.file, request.run.input.string());
    const auto rows = io::read_parquet(folder / "out/solution/values.parquet");
    EXPECT_EQ(std::get<std::vector<std::string>>(rows.find("state_name")->values),
              (std::vector<std::string>{"good", "worn", "broken"}));
    const auto& names = std::get<std::vector<std::string>>(rows.find("action_name")->values);
    const auto& actions = std::get<std::vector<std::int32_t>>(rows.find("action")->values);
    EXPECT_EQ(names[2], std::vector<std::string>({"run", "repair", "replace"}).at(at(actions[2])));
    request.gamma = 0;
    EXPECT_EQ(solved(request).record.start->value, 100);
}

TEST_F(SolveTest, TellsWhatIsWrongWithAModelFile) {
    io::write_file(folder / "m.json",
                   R"({"format": "lockstep-mdp", "version": 1, "rows": [[0, 0, 0.5, 0, 1],
                       [1, 0, 2, 0, 1]]})");
    auto request = request_of((folder / "m.json").string());

    EXPECT_THAT(
        complaint<InputError>(request),
        testing::AllOf(HasSubstr("add up to 0.5"), HasSubstr("probability 2 must be 0 to 1")));
    request.run.settings = {{"is_slippery", "false"}};
    EXPECT_THAT(complaint<InputError>(request),
                HasSubstr("a model file takes no parameter \"is_slippery\""));
}

TEST_F(SolveTest, WritesWhatIsReadBack) {
    auto request = request_of("FrozenLake");
    request.run.settings = {{"is_slippery", "false"}};

    const auto record = solved(request).record;

    const auto read = formats::rl::read_solution_record(folder / "out");
    EXPECT_EQ(io::to_text(to_json(read)), io::to_text(to_json(record)));
    const auto values = formats::rl::read_solution_values(folder / "out");
    ASSERT_EQ(values.value.size(), 16U);
    EXPECT_NEAR(values.value[0], 0.99 * 0.99 * 0.99 * 0.99 * 0.99, 1e-8);
    EXPECT_LE(values.lower[0], values.value[0]);
    EXPECT_THAT(values.best[0], testing::ElementsAre(1, 2));  // down and right
    const auto metadata = formats::read_output_metadata(folder / "out");
    ASSERT_TRUE(metadata);
    EXPECT_EQ(metadata->engine, "rl");
    EXPECT_EQ(metadata->part("solution")->digest, record.digest);
}

TEST_F(SolveTest, KeepsTheDecisionsOfAHorizon) {
    auto request = request_of("FrozenLake");
    request.options.criterion = rl::Criterion::horizon;
    request.options.horizon = 100;

    const auto record = solved(request).record;

    EXPECT_NEAR(record.start->value, 0.744190, 5e-7);  // rl.md, trap 9
    EXPECT_EQ(record.discount_factor, 1);
    EXPECT_TRUE(fs::exists(folder / "out/solution/decisions.parquet"));
    solved(request_of("FrozenLake"));
    EXPECT_FALSE(fs::exists(folder / "out/solution/decisions.parquet"));
}

TEST_F(SolveTest, HasTheSameBitsOnTwoRanks) {
    auto request = request_of("Taxi");
    const auto digest = solved(request).record.digest;

    request.run.output = folder / "two";
    comm::run_in_process(2, [&](comm::Communicator& ranks) {
        Observer nobody;
        solve_process(request, ranks, nobody);
    });

    EXPECT_EQ(formats::read_output_metadata(folder / "two")->part("solution")->digest, digest);
}

// Where no episode ends, ranks divide the states.
TEST_F(SolveTest, HasTheSameBitsWhereRanksDivideTheStates) {
    auto request = request_of("garnet");
    request.run.settings = {{"states", "20000"}};
    const auto digest = solved(request).record.digest;

    for (const int ranks : {2, 3}) {
        request.run.output = folder / std::to_string(ranks);
        comm::run_in_process(ranks, [&](comm::Communicator& team) {
            Observer nobody;
            solve_process(request, team, nobody);
        });
        EXPECT_EQ(formats::read_output_metadata(request.run.output)->part("solution")->digest,
                  digest);
    }
}

TEST_F(SolveTest, RefusesOnAllRanksAlike) {
    auto request = request_of("garnet");
    request.gamma = 1;
    std::array<std::string, 3> said;

    comm::run_in_process(3, [&](comm::Communicator& team) {
        Observer nobody;
        try {
            solve_process(request, team, nobody);
        } catch (const Error& error) {
            said.at(at(team.rank())) = error.what();
        }
    });

    EXPECT_THAT(said, testing::Each(HasSubstr("states 0, 1, 2")));
}

// From corner to corner of a grid of 8 x 8 cells it is 14 steps, each of which costs 1.
TEST_F(SolveTest, SolvesWhatComputesItsRows) {
    auto request = request_of("opengrid");
    request.run.settings = {{"size", "8"}};

    const auto record = solved(request).record;

    EXPECT_NEAR(record.start->value, -(1 - std::pow(0.99, 14)) / 0.01, 2e-9);
}

TEST_F(SolveTest, NamesStatesWhoseValueIsInfinite) {
    auto request = request_of("garnet");
    request.gamma = 1;

    EXPECT_THAT(complaint<ModelError>(request), HasSubstr("states 0, 1, 2"));
}

TEST_F(SolveTest, RefusesWhatHasNoExactSolution) {
    auto request = request_of("Taxi");
    request.run.settings = {{"fickle_passenger", "true"}};

    EXPECT_THAT(complaint<ModelError>(request), HasSubstr("rl train"));
    EXPECT_FALSE(fs::exists(folder / "out"));
}

TEST_F(SolveTest, RefusesOptionsBeforeItTouchesAnything) {
    auto request = request_of("Taxi");
    request.gamma = 1.5;

    EXPECT_THAT(complaint<InputError>(request), HasSubstr("gamma is 1.5, must be 0 to 1"));
    EXPECT_THAT(complaint<InputError>(request_of("Texi")), HasSubstr("did you mean \"Taxi\"?"));
    EXPECT_FALSE(fs::exists(folder / "out"));
}

}  // namespace
}  // namespace lockstep::app
