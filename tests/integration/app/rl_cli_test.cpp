#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "lockstep/io/file.hpp"
#include "lockstep/io/json.hpp"

#include "conformance/comm/backends.hpp"
#include "integration/app/program.hpp"
#include "unit/app/temporary_folder.hpp"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using Words = std::vector<std::string>;

class RlCliTest : public testing::Test {
protected:
    [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
    [[nodiscard]] std::string file(const std::string& name, const std::string& text) const {
        io::write_file(path(name), text);
        return path(name);
    }
    /// Arguments of a short training.
    [[nodiscard]] Words training(const std::string& output, const Words& more = {}) const {
        Words words = {
            "rl", "train", "FrozenLake", "--steps", "400000", "-o", path(output), "-t", "1"};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    static std::string digest_in(const std::string& text) {
        const auto begin = text.find("digest");
        return begin == text.npos ? "none" : text.substr(begin, text.find('\n', begin) - begin);
    }

private:
    app::TemporaryFolder folder_;
};

using AcceptanceRow4 = RlCliTest;  // docs/rl/acceptance.md
using AcceptanceRow10 = RlCliTest;

TEST_F(RlCliTest, ListsWhatThereIs) {
    const auto all = run({"rl", "list"});

    EXPECT_EQ(all.exit_code, 0);
    for (const auto* word : {"tictactoe",
                             "q_learning",
                             "allreduce",
                             "linear(1, 0.05, 1e6)",
                             "101/(100+n)",
                             "importance",
                             "policy-iteration"}) {
        EXPECT_THAT(all.out, HasSubstr(word));
    }
    EXPECT_THAT(run({"rl", "list", "Taxi"}).out, HasSubstr("fickle_probability"));
    const auto json = io::parse_json(run({"rl", "list", "--json"}).out, "stdout");
    EXPECT_NE(json.find("modes"), nullptr);
}

TEST_F(RlCliTest, SolvesTrainsEvaluatesAndShows) {
    const auto solved = run({"rl", "solve", "FrozenLake", "-o", path("s"), "-q"});
    EXPECT_EQ(solved.exit_code, 0) << solved.err;
    const auto trained = run(training("t"));
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    for (const auto* word :
         {"value at start", "optimum", "TD error", "digest", "lockstep report"}) {
        EXPECT_THAT(trained.out, HasSubstr(word));
    }
    EXPECT_THAT(run({"rl", "evaluate", path("t")}).out, HasSubstr("proven:"));
    EXPECT_THAT(run({"rl", "summary", path("t")}).out, HasSubstr(digest_in(trained.out)));
    EXPECT_THAT(run({"summary", path("s")}).out, HasSubstr("bounds"));
    EXPECT_EQ(run({"report", path("t")}).exit_code, 0);
    EXPECT_EQ(run({"report", path("s")}).exit_code, 0);
    EXPECT_TRUE(fs::exists(path("t/report.html")));
}

TEST_F(AcceptanceRow4, LaunchedRanksHaveTheBitsOfOne) {
    const Words mode = {"--mode", "allreduce"};
    const auto one = run(training("one", mode));
    auto words = training("two", mode);
    words.insert(words.begin(), {"launch", "-n", "2", "--"});
    words.insert(words.begin() + 4, program_path());

    const auto two = run(words);

    ASSERT_EQ(two.exit_code, 0) << two.err;
    EXPECT_EQ(digest_in(two.out), digest_in(one.out));
    EXPECT_EQ(run({"compare", path("one"), path("two"), "--deep"}).exit_code, 0);
    const auto* one_table = "one table for the 2 ranks of this node";
    EXPECT_THAT(two.err, HasSubstr(one_table));
    EXPECT_EQ(run({"report", path("two")}).exit_code, 0);
    EXPECT_THAT(io::read_file(path("two/report.html")), HasSubstr(one_table));
}

TEST_F(RlCliTest, LaunchedRanksSolveWithTheBitsOfOne) {
    const auto solving = [&](const std::string& output) {
        return Words{
            "rl", "solve", "garnet", "--set", "states=3000", "-o", path(output), "-t", "1"};
    };
    const auto one = run(solving("one"));
    ASSERT_EQ(one.exit_code, 0) << one.err;

    for (const auto* backend : {"shm", "tcp"}) {
        for (const auto* ranks : {"2", "3"}) {
            auto words = solving(std::string(backend) + ranks);
            words.insert(words.begin(),
                         {"launch", "-n", ranks, "--backend", backend, "--", program_path()});
            const auto several = run(words);
            ASSERT_EQ(several.exit_code, 0) << several.err;
            EXPECT_EQ(digest_in(several.out), digest_in(one.out)) << backend << ranks;
        }
    }
}

/// A process that ranks divide, and what else is asked for.
class RlDividedTest : public RlCliTest, public testing::WithParamInterface<Words> {};

TEST_P(RlDividedTest, RanksHaveTheBitsOfOne) {
    const auto solving = [&](const std::string& output) {
        Words words = {"rl", "solve"};
        words.insert(words.end(), GetParam().begin(), GetParam().end());
        words.insert(words.end(), {"-o", path(output), "-t", "1"});
        return words;
    };
    const auto one = run(solving("1"));
    ASSERT_EQ(one.exit_code, 0) << one.err;
    for (const std::string ranks : {"2", "3"}) {
        auto words = solving(ranks);
        words.insert(words.begin(), {"launch", "-n", ranks, "--", program_path()});

        const auto several = run(words);

        EXPECT_EQ(several.exit_code, 0) << several.err;
        EXPECT_EQ(digest_in(several.out), digest_in(one.out)) << ranks;
        EXPECT_EQ(run({"compare", path("1"), path(ranks), "--deep"}).exit_code, 0) << ranks;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Processes,
    RlDividedTest,
    testing::Values(Words{"garnet", "--set", "states=200000", "--gamma", "0.5"},
                    Words{"opengrid", "--set", "size=400", "--method", "gauss-seidel"},
                    Words{"FrozenLake", "--method", "value-iteration", "--gamma", "0.9"}));

TEST_F(RlCliTest, RanksEndTogetherWhereAProcessIsNotKnown) {
    const auto ended = run({"launch",
                            "-n",
                            "2",
                            "--",
                            program_path(),
                            "rl",
                            "solve",
                            "Taxi",
                            "--set",
                            "fickle_passenger=true",
                            "-o",
                            path("out")});

    EXPECT_EQ(ended.exit_code, 65) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("a part of its state is hidden"));
}

TEST_F(RlCliTest, ASignalEndsATrainingThatGoesOnLater) {
    const auto whole = run(training("whole", {"--steps", "8000000"}));
    const Words long_run = {
        "--steps", "8000000", "--checkpoint-interval", "1000000", "--log-interval", "0.02s"};
    Program program(training("parts", long_run));
    ASSERT_TRUE(program.wait_for("TD error"));

    program.send(SIGINT);
    const auto ended = program.end();

    EXPECT_EQ(ended.exit_code, 130) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("Ended early by a signal"));
    auto words = training("parts", long_run);
    words.emplace_back("--resume");
    const auto resumed = run(words);
    EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
    EXPECT_EQ(digest_in(resumed.out), digest_in(whole.out));
}

TEST_F(RlCliTest, AFullDiskEndsWith74) {
    const auto ended = run(training("out", {"-q"}), [] {
        const rlimit limit{1000, 1000};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    });

    EXPECT_EQ(ended.exit_code, 74) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(path("out")));
}

/// A command line, and what the program must say of it.
struct Refused {
    const char* name;
    Words words;
    int exit_code;
    Words sentence;  ///< parts of the message, which is one line
};

void PrintTo(const Refused& refused, std::ostream* stream) {
    *stream << refused.name;
}

class RlBadInputTest : public RlCliTest, public testing::WithParamInterface<Refused> {};

TEST_P(RlBadInputTest, SaysInOneSentenceWhatIsWrong) {
    auto words = GetParam().words;
    words.insert(words.begin(), "rl");
    words.insert(words.end(), {"-o", path("out")});

    const auto ended = run(words);

    EXPECT_EQ(ended.exit_code, GetParam().exit_code) << ended.err;
    for (const auto& part : GetParam().sentence) {
        EXPECT_THAT(ended.err, HasSubstr(part));
    }
    EXPECT_EQ(ended.err.find("lockstep: "), ended.err.rfind("lockstep: "));
    EXPECT_FALSE(fs::exists(path("out/metadata.json")));
}

INSTANTIATE_TEST_SUITE_P(
    All,
    RlBadInputTest,
    testing::Values(
        Refused{"NoSuchEnvironment", {"train", "tictactoo"}, 65, {"did you mean \"tictactoe\"?"}},
        Refused{"StateSize",
                {"train", "tictactoe", "--state-size", "512"},
                65,
                {"state_size is 512", "19,683 states", "give 19683 or leave the option out"}},
        Refused{"ActionSize", {"train", "FrozenLake", "--action-size", "9"}, 65, {"give 4"}},
        Refused{"Discount", {"train", "Taxi", "--discount-factor", "1.01"}, 64, {"from 0 to 1"}},
        Refused{"Gamma", {"solve", "Taxi", "--gamma", "-0.1"}, 65, {"0 to 1"}},
        Refused{
            "Nccl", {"train", "Taxi", "--communication-backend", "nccl"}, 65, {"memory of CPUs"}},
        Refused{"Mode", {"train", "Taxi", "--mode", "paralel"}, 65, {"allreduce"}},
        Refused{"StepSize", {"train", "Taxi", "--learning-rate", "2"}, 65, {"(0, 1]"}},
        Refused{"Schedule", {"train", "Taxi", "--epsilon", "cosine(1)"}, 65, {"linear("}},
        Refused{"Parameter",
                {"train", "FrozenLake", "--set", "is_slipery=true"},
                65,
                {"did you mean \"is_slippery\"?"}},
        Refused{"NoFile", {"solve", "/nowhere/model.json"}, 66, {"/nowhere/model.json"}},
        Refused{"Infinite", {"solve", "garnet", "--gamma", "1"}, 65, {"states 0, 1, 2"}},
        Refused{"Hidden", {"solve", "Taxi", "--set", "fickle_passenger=true"}, 65, {"rl train"}},
        Refused{"Option", {"train", "Taxi", "--learning-rat", "1"}, 64, {"'--learning-rate'"}},
        Refused{"Backend", {"train", "Taxi", "--backend", "smoke"}, 64, {"smoke"}}),
    [](const auto& refused) { return std::string(refused.param.name); });

/// A model file with a fault, and what must be said of it.
struct Fault {
    const char* name;
    const char* row;
    Words sentence;
};

void PrintTo(const Fault& fault, std::ostream* stream) {
    *stream << fault.name;
}

class RlModelFaultTest : public RlCliTest, public testing::WithParamInterface<Fault> {};

TEST_P(RlModelFaultTest, NamesStateActionAndLine) {
    const auto model =
        file("model.json", std::string(R"({"format": "lockstep-mdp", "version": 1, "gamma": 0.9,
"states": 2, "actions": 2, "start": 0, "rows": [
{"s": 0, "a": 0, "p": 1, "next": 1, "reward": 1, "terminated": true},
)") + GetParam().row + "\n]}\n");

    for (const auto* command : {"solve", "train"}) {
        const auto ended = run({"rl", command, model, "-o", path("out")});

        EXPECT_EQ(ended.exit_code, 65) << ended.err;
        for (const auto& part : GetParam().sentence) {
            EXPECT_THAT(ended.err, HasSubstr(part)) << command;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    All,
    RlModelFaultTest,
    testing::Values(
        Fault{"Action", R"({"s": 0, "a": 7, "p": 1, "next": 1, "reward": 0})", {"7", "4"}},
        Fault{"Sum",
              R"({"s": 0, "a": 1, "p": 0.5, "next": 1, "reward": 0, "terminated": true})",
              {"0.5"}},
        Fault{"Reward", R"({"s": 0, "a": 1, "p": 1, "next": 1, "reward": NaN})", {"4"}},
        Fault{"DeadEnd", R"({"s": 0, "a": 1, "p": 1, "next": 1, "reward": 0})", {"1"}}),
    [](const auto& refused) { return std::string(refused.param.name); });

TEST_F(RlCliTest, RefusesATableOfAnotherEnvironmentAndADamagedOne) {
    ASSERT_EQ(run(training("lake")).exit_code, 0);
    ASSERT_EQ(run(training("dry", {"--set", "is_slippery=false"})).exit_code, 0);
    const auto table = path("lake/training/q_table.parquet");
    fs::copy_file(
        path("dry/training/q_table.parquet"), table, fs::copy_options::overwrite_existing);

    const auto other = run({"rl", "evaluate", path("lake")});
    EXPECT_EQ(other.exit_code, 65);
    EXPECT_THAT(other.err, HasSubstr("learned in FrozenLake-v1"));
    io::write_file(table, "no table");
    const auto damaged = run({"rl", "evaluate", path("lake")});
    EXPECT_EQ(damaged.exit_code, 65);
    EXPECT_THAT(damaged.err, HasSubstr("q_table.parquet"));
    fs::remove(table);
    EXPECT_EQ(run({"rl", "evaluate", path("lake")}).exit_code, 66);
}

TEST_F(RlCliTest, AnOpponentNeedsAGameOfTwo) {
    ASSERT_EQ(run(training("lake")).exit_code, 0);

    const auto ended = run({"rl", "evaluate", path("lake"), "--against", "random"});

    EXPECT_EQ(ended.exit_code, 65);
    EXPECT_THAT(ended.err, HasSubstr("no game of two"));
}

TEST_F(RlCliTest, TellsOfGamesHowTheyEnd) {
    ASSERT_EQ(
        run({"rl", "train", "tictactoe", "--steps", "200000", "-o", path("t"), "-q"}).exit_code, 0);

    const auto ended = run({"rl", "evaluate", path("t"), "--against", "optimal", "--json"});

    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    const auto json = io::parse_json(ended.out, "stdout");
    const auto* match = &json.find("matches")->if_array()->at(0);
    double total = 0;
    double worst = 0;
    for (const auto* side : {"first", "second"}) {
        for (const auto* end : {"win", "draw", "loss"}) {
            total += *match->find(side)->find(end)->if_number();
        }
        worst += 0.5 * (*match->find(side)->find("loss")->if_number() -
                        *match->find(side)->find("win")->if_number());
    }
    EXPECT_NEAR(total, 2, 1e-9);
    EXPECT_NEAR(*json.find("exploitability")->if_number(), worst, 1e-9);
}

TEST_F(RlCliTest, ServesWorkersThatComeAndLeave) {
    const auto port = std::to_string(comm::free_port());
    const auto address = "127.0.0.1:" + port;
    Program server({"rl",
                    "serve",
                    "FrozenLake",
                    "--steps",
                    "3000000",
                    "--listen",
                    address,
                    "-o",
                    path("out"),
                    "-t",
                    "1"});
    ASSERT_TRUE(server.wait_for("serves workers: lockstep rl work " + address));
    Program killed({"rl", "work", address, "-t", "1"});
    Program worker({"rl", "work", address, "-t", "1", "--json"});
    killed.send(SIGKILL);
    EXPECT_EQ(killed.end().exit_code, 128 + SIGKILL);
    const auto worked = worker.end();
    EXPECT_EQ(worked.exit_code, 0);
    EXPECT_THAT(worked.out, HasSubstr("\"environment\":\"FrozenLake"));
    const auto served = server.end();
    EXPECT_EQ(served.exit_code, 0);
    EXPECT_THAT(served.out, HasSubstr("3,000,000 steps"));
}

// The server's file and the worker's may differ on two hosts; here it changes in between.
TEST_F(RlCliTest, RefusesAWorkerWhoseFileIsAnotherOne) {
    const auto model = [&](const char* reward) {
        return file("m.json",
                    std::string(R"({"format": "lockstep-mdp", "version": 1, "states": 2,
                    "actions": 1, "start": 0, "rows": [{"s": 0, "a": 0, "p": 1, "next": 1,
                    "terminated": true, "reward": )") +
                        reward + "}]}");
    };
    const auto address = "127.0.0.1:" + std::to_string(comm::free_port());
    Program server({"rl", "serve", model("1"), "--listen", address, "-o", path("out"), "-t", "1"});
    ASSERT_TRUE(server.wait_for("serves workers"));
    model("2");

    const auto worker = run({"rl", "work", address, "-t", "1"});

    EXPECT_EQ(worker.exit_code, 65);
    EXPECT_THAT(worker.err, HasSubstr("copy its file here"));
    server.send(SIGTERM);
    server.end();
}

TEST_F(AcceptanceRow10, TellsAWorkerThatThereIsNoServer) {
    const auto address = "127.0.0.1:" + std::to_string(comm::free_port());
    const auto ended =
        run({"rl", "work", address}, [] { ::setenv("LOCKSTEP_TCP_CONNECT_TIMEOUT_MS", "100", 1); });
    EXPECT_EQ(ended.exit_code, 71);
    EXPECT_THAT(ended.err, HasSubstr("no server at " + address + " has answered"));
    EXPECT_EQ(run({"rl", "serve", "FrozenLake", "--listen", "host:x"}).exit_code, 64);
}

}  // namespace
}  // namespace lockstep::cli
