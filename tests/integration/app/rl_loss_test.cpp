#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "conformance/comm/backends.hpp"
#include "integration/app/launched.hpp"
#include "integration/app/program.hpp"
#include "integration/app/ranks_of.hpp"
#include "unit/app/temporary_folder.hpp"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// What may be lost while others learn on: a rank, a server, a worker, the secret, room on a disk.
class RlLossTest : public testing::Test {
protected:
    [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
    [[nodiscard]] Words learning(const std::string& output, const Words& more = {}) const {
        const Words words{"FrozenLake", "-o", path(output), "-t", "1", "--log-interval", "0.02s"};
        return joined({words, more});
    }
    /// Of three ranks one is killed once they learn.
    [[nodiscard]] Ended lose_a_rank(const std::string& output, const Words& more) const {
        Program launched(joined({{"launch", "-n", "3", "--", program_path(), "rl", "train"},
                                 learning(output, joined({long_run, more}))}));
        EXPECT_TRUE(launched.wait_for("TD error"));
        ::kill(ranks_of(launched.process()).at(1), SIGKILL);
        return launched.end();
    }
    /// Of a run that nobody disturbed.
    [[nodiscard]] bool has_the_bits(const std::string& output, const Words& more) const {
        const auto ended =
            run(joined({{"rl", "train"}, learning("alone", joined({long_run, more}))}));
        EXPECT_EQ(ended.exit_code, 0) << ended.err;
        return run({"compare", path("alone"), path(output), "--deep"}).exit_code == 0;
    }
    const Words long_run{"--mode", "allreduce", "--steps", "30000000"};

    [[nodiscard]] std::string address() const {
        return "127.0.0.1:" + std::to_string(comm::free_port());
    }

private:
    app::TemporaryFolder folder_;
};

void expect_one_sentence(const Ended& ended, int exit_code, const Words& parts) {
    EXPECT_EQ(ended.exit_code, exit_code) << ended.err;
    EXPECT_EQ(ended.err.find("lockstep: "), ended.err.rfind("lockstep: ")) << ended.err;
    for (const auto& part : parts) {
        EXPECT_THAT(ended.err, HasSubstr(part));
    }
}

using AcceptanceRow10 = RlLossTest;  // docs/rl/acceptance.md

TEST_F(RlLossTest, SurvivorsOfALostRankLearnTheSameBits) {
    for (const std::string overlap : {"false", "true"}) {
        const Words more{"--overlap", overlap};
        const auto ended = lose_a_rank("out" + overlap, more);
        EXPECT_EQ(ended.exit_code, 0) << ended.err;
        EXPECT_THAT(ended.err, HasSubstr("lost rank 1"));
        EXPECT_TRUE(has_the_bits("out" + overlap, more)) << overlap;
        fs::remove_all(path("alone"));
    }
}

// Rank 1 holds half of the table, which all ranks have as the slice began.
TEST_F(RlLossTest, ALostServerThatIsNotTheFirstCostsNothing) {
    const Words more{"--mode", "server", "--staleness", "0", "--servers", "2"};
    const auto ended = lose_a_rank("out", more);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("lost rank 1"));
    EXPECT_TRUE(has_the_bits("out", more));
}

TEST_F(AcceptanceRow10, ALostRankEndsATrainingThatWaitsForItAndIsResumed) {
    const Words more{"--compression-ratio", "0.5", "--checkpoint-interval", "1000000"};
    const auto ended = lose_a_rank("out", more);
    EXPECT_NE(ended.exit_code, 0);
    EXPECT_THAT(ended.err, HasSubstr("resume from the newest checkpoint"));

    const auto resumed =
        run(joined({{"rl", "train"}, learning("out", joined({long_run, more, {"--resume"}}))}));

    EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
    EXPECT_TRUE(has_the_bits("out", more));
}

// A checkpoint that cannot be written costs nothing yet; what the run is for does.
TEST_F(AcceptanceRow10, ADiskThatIsFullWhileLearningEndsWith74) {
    const auto ended = run(
        joined({{"rl", "train", "tictactoe", "--steps", "400000000", "-t", "1", "-o", path("out")},
                {"--checkpoint-interval", "1000000", "--log-interval", "1000000"}}),
        [] {
            const rlimit limit{5000, 5000};
            ::setrlimit(RLIMIT_FSIZE, &limit);
        });
    expect_one_sentence(ended, 74, {"was not written", path("out/training/metrics.jsonl")});
}

TEST_F(RlLossTest, AWorkerWithAnotherSecretIsRefused) {
    const auto at = address();
    Program server(joined({{"rl", "serve"}, learning("out", {"--listen", at})}),
                   with_environment({"LOCKSTEP_TCP_TOKEN", "one secret"}));
    ASSERT_TRUE(server.wait_for("serves workers"));

    const auto worker =
        run({"rl", "work", at}, with_environment({"LOCKSTEP_TCP_TOKEN", "another secret"}));

    expect_one_sentence(worker, 71, {at, "LOCKSTEP_TCP_TOKEN"});
    server.send(SIGTERM);
    EXPECT_EQ(server.end().exit_code, 143);
}

TEST_F(RlLossTest, AServerOpenToStrangersDoesNotStart) {
    const auto ended =
        run(joined({{"rl", "serve"}, learning("out", {"--listen", "0.0.0.0:29655"})}));
    expect_one_sentence(ended, 64, {"LOCKSTEP_TCP_TOKEN_FILE"});
}

TEST_F(RlLossTest, WorkersWaitForAServerThatIsStartedAgainAndMayComeLate) {
    const auto at = address();
    const Words serve = joined(
        {{"rl", "serve"},
         learning("out",
                  {"--listen", at, "--steps", "30000000", "--checkpoint-interval", "0.2s"})});
    Program killed(serve);
    ASSERT_TRUE(killed.wait_for("serves workers"));
    Program worker({"rl", "work", at, "-t", "1", "--json"});
    ASSERT_TRUE(killed.wait_for("worker 1 has come"));
    while (!fs::exists(path("out/checkpoints/latest"))) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    killed.send(SIGKILL);
    killed.end();

    Program server(joined({serve, {"--resume"}}));
    ASSERT_TRUE(server.wait_for("worker 1 has come"));
    Program late({"rl", "work", at, "-t", "1"});
    const auto served = server.end();

    EXPECT_EQ(served.exit_code, 0) << served.err;
    EXPECT_THAT(served.err, HasSubstr("worker 2 has come"));
    const auto worked = worker.end();
    EXPECT_EQ(worked.exit_code, 0) << worked.err;
    EXPECT_THAT(worked.out, HasSubstr("\"reconnects\":1"));
    EXPECT_EQ(late.end().exit_code, 0);
}

TEST_F(RlLossTest, AServerThatDoesNotComeBackIsGivenUp) {
    const auto at = address();
    Program server(joined({{"rl", "serve"}, learning("out", {"--listen", at, "--steps", "1e12"})}));
    ASSERT_TRUE(server.wait_for("serves workers"));
    Program worker({"rl", "work", at, "-t", "1"},
                   with_environment({"LOCKSTEP_TCP_CONNECT_TIMEOUT_MS", "300"}));
    ASSERT_TRUE(server.wait_for("worker 1 has come"));
    server.send(SIGKILL);
    server.end();
    expect_one_sentence(worker.end(), 71, {"no server at " + at + " has answered"});
}

}  // namespace
}  // namespace lockstep::cli
