#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/io/table.hpp"

#include "integration/app/launched.hpp"

namespace lockstep::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class LaunchTest : public LaunchedTest, public testing::WithParamInterface<const char*> {
protected:
    static Words on(const char* backend) { return {"--backend", backend}; }
};

TEST_P(LaunchTest, GivesTheBitsOfOneRank) {
    const auto ended = run(launch(3, job(12), on(GetParam())));

    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("3 ranks"));
    EXPECT_EQ(count(ended.err, "\n       12 "), 1) << "one rank speaks";
    EXPECT_TRUE(has_bits_of(12));
}

TEST_P(LaunchTest, TellsAnErrorOfAllRanksOnce) {
    copy.edit("config.json", R"("limit": 128)", R"("limit": -1)");

    const auto ended = run(launch(3, {"run", copy.path()}, on(GetParam())));

    EXPECT_EQ(ended.exit_code, 65);
    EXPECT_EQ(count(ended.err, "lockstep: "), 1) << ended.err;
}

TEST_P(LaunchTest, TellsAWrongCommandLineOnce) {
    const auto ended = run(launch(3, job(3, {"--treads", "2"}), on(GetParam())));

    EXPECT_EQ(ended.exit_code, 64);
    EXPECT_EQ(count(ended.err, "unknown option '--treads'"), 1) << ended.err;
}

// With three trajectories on three ranks, trajectory 2 is that of the last rank.
TEST_P(LaunchTest, EndsAllRanksWhenOneHasNoSolution) {
    auto inflow = io::read_parquet(copy.file("scenarios/inflow_seasonal_stats.parquet"));
    for (auto& column : inflow.columns) {
        if (column.name == "std_m3s") {
            std::get<std::vector<double>>(column.values)[2] = 100;
        }
    }
    io::write_parquet(copy.file("scenarios/inflow_seasonal_stats.parquet"), inflow);

    const auto ended = run(launch(
        3,
        job(3, {"--set", "training.selection.forward_passes=3", "--set", "training.tree_seed=5"}),
        on(GetParam())));

    EXPECT_EQ(ended.exit_code, 65);
    EXPECT_THAT(ended.err, HasSubstr("forward pass of iteration 1, trajectory 2"));
    EXPECT_EQ(count(ended.err, "has no solution"), 1) << ended.err;
}

TEST_P(LaunchTest, AgreesOnTheWishedNumberOfRanks) {
    const auto ended =
        run(launch(2, job(3), on(GetParam())), with_environment({"LOCKSTEP_EXPECT_RANKS", "3"}));

    EXPECT_EQ(ended.exit_code, 71);
    EXPECT_EQ(ended.err,
              "lockstep: LOCKSTEP_EXPECT_RANKS asks for 3 ranks but this process sees 2\n");
}

INSTANTIATE_TEST_SUITE_P(Backends, LaunchTest, testing::Values("shm", "tcp"));

class LaunchUsageTest : public LaunchedTest {};

TEST_F(LaunchUsageTest, MapsErrorsToExitCodes) {
    EXPECT_EQ(run({"launch"}).exit_code, 64);
    EXPECT_EQ(run({"launch", "-n", "2"}).exit_code, 64);
    EXPECT_EQ(run({"launch", "-n", "2", "--"}).exit_code, 64);
    EXPECT_EQ(run({"launch", "--", "true"}).exit_code, 64);
    EXPECT_EQ(run({"launch", "-n", "0", "--", "true"}).exit_code, 64);
    EXPECT_EQ(run({"launch", "-n", "5000", "--", "true"}).exit_code, 64);
    EXPECT_EQ(run({"launch", "-n", "2", "--backend", "mpi", "--", "true"}).exit_code, 64);
    EXPECT_EQ(run({"launch", "-n", "2", "--on-failure", "retry", "--", "true"}).exit_code, 64);
    EXPECT_EQ(run({"launch", "-n", "2", "--", copy.path() + "/nowhere"}).exit_code, 66);
    EXPECT_EQ(run({"launch", "-n", "2", "--", copy.path()}).exit_code, 66);
}

TEST_F(LaunchUsageTest, NamesAProgramThatIsNotThere) {
    const auto ended = run({"launch", "-n", "2", "--", "no-such-program"});

    EXPECT_EQ(ended.err,
              "lockstep: no-such-program cannot be started: No such file or directory\n");
}

TEST_F(LaunchUsageTest, PassesOnExitCodes) {
    EXPECT_EQ(run({"launch", "-n", "3", "--", "true"}).exit_code, 0);
    EXPECT_EQ(run({"launch", "-n", "3", "--", "sh", "-c", "exit 9"}).exit_code, 9);
    EXPECT_EQ(run({"launch", "-n", "3", "--", "sh", "-c", "exit $LOCKSTEP_SHM_RANK"}).exit_code, 1)
        << "that of the lowest rank that failed";
    EXPECT_EQ(run({"launch", "-n", "3", "--", "sh", "-c", "kill -9 $$"}).exit_code, 137);
}

TEST_F(LaunchUsageTest, StartsNoWorldInsideAnother) {
    const auto ended = run(launch(2, job(3)),
                           with_environment({"LOCKSTEP_TCP_SIZE",
                                             "7",
                                             "LOCKSTEP_SHM_NAME",
                                             "/other",
                                             "LOCKSTEP_RESUME",
                                             "1",
                                             "LOCKSTEP_COMM_BACKEND",
                                             "tcp"}));

    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.err, Not(HasSubstr("no checkpoint")));
}

struct WrongEnvironment {
    Words variables;
    int exit_code;
    std::string sentence;
};

class WrongEnvironmentTest : public LaunchedTest,
                             public testing::WithParamInterface<WrongEnvironment> {};

TEST_P(WrongEnvironmentTest, IsToldInOneSentence) {
    const auto& [variables, exit_code, sentence] = GetParam();

    const auto ended = run(job(3), with_environment(variables));

    EXPECT_EQ(ended.exit_code, exit_code);
    EXPECT_THAT(ended.out, IsEmpty());
    EXPECT_THAT(ended.err, AllOf(HasSubstr("lockstep: "), HasSubstr(sentence)));
    EXPECT_EQ(count(ended.err, "\n"), 1) << ended.err;
}

INSTANTIATE_TEST_SUITE_P(
    Variables,
    WrongEnvironmentTest,
    testing::Values(
        WrongEnvironment{{"LOCKSTEP_COMM_BACKEND", "foo"},
                         64,
                         "unknown communication backend 'foo'; known: auto, local, shm, tcp, mpi"},
        WrongEnvironment{
            {"LOCKSTEP_SHM_NAME", "x", "LOCKSTEP_SHM_SIZE", "2", "LOCKSTEP_SHM_RANK", "0"},
            64,
            "LOCKSTEP_SHM_NAME is 'x', must be a '/' and then a name"},
        WrongEnvironment{{"LOCKSTEP_SHM_NAME", "/x", "LOCKSTEP_SHM_SIZE", "2"},
                         64,
                         "LOCKSTEP_SHM_RANK is not set"},
        WrongEnvironment{{"LOCKSTEP_SHM_NAME",
                          "/lockstep-test-nobody",
                          "LOCKSTEP_SHM_SIZE",
                          "2",
                          "LOCKSTEP_SHM_RANK",
                          "1",
                          "LOCKSTEP_SHM_TIMEOUT_MS",
                          "50"},
                         71,
                         "rank 0 did not come to shared memory '/lockstep-test-nobody'"},
        WrongEnvironment{{"LOCKSTEP_TCP_COORDINATOR",
                          "127.0.0.1:9",
                          "LOCKSTEP_TCP_SIZE",
                          "2",
                          "LOCKSTEP_TCP_RANK",
                          "1",
                          "LOCKSTEP_TCP_CONNECT_TIMEOUT_MS",
                          "50"},
                         71,
                         "127.0.0.1"},
        WrongEnvironment{{"LOCKSTEP_TCP_COORDINATOR",
                          "127.0.0.1:5555",
                          "LOCKSTEP_TCP_SIZE",
                          "2",
                          "LOCKSTEP_TCP_RANK",
                          "2"},
                         64,
                         "LOCKSTEP_TCP_RANK is 2, must be 0 to 1"},
        WrongEnvironment{{"LOCKSTEP_TCP_COORDINATOR",
                          "127.0.0.1:5555",
                          "LOCKSTEP_TCP_SIZE",
                          "2",
                          "LOCKSTEP_TCP_RANK",
                          "abc"},
                         64,
                         "LOCKSTEP_TCP_RANK is 'abc', must be a number"},
        WrongEnvironment{{"LOCKSTEP_TCP_COORDINATOR",
                          "127.0.0.1:5555",
                          "LOCKSTEP_TCP_SIZE",
                          "0",
                          "LOCKSTEP_TCP_RANK",
                          "1"},
                         64,
                         "LOCKSTEP_TCP_SIZE is '0', must be a number"},
        WrongEnvironment{{"LOCKSTEP_SHM_RANK", "5"}, 64, "LOCKSTEP_SHM_NAME is not set"},
        WrongEnvironment{{"LOCKSTEP_SHM_NAME", "/x", "LOCKSTEP_TCP_RANK", "0"},
                         64,
                         "LOCKSTEP_SHM_* and LOCKSTEP_TCP_* are both set"},
        WrongEnvironment{{"LOCKSTEP_EXPECT_RANKS", "2"},
                         71,
                         "LOCKSTEP_EXPECT_RANKS asks for 2 ranks but this process sees 1"}));

}  // namespace
}  // namespace lockstep::cli
