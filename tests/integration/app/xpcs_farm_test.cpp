// Shards of one measurement on every farm.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/io/file.hpp"
#include "lockstep/io/json.hpp"

#include "conformance/runtime/stand_in_cluster.hpp"
#include "integration/app/first_sample.hpp"
#include "integration/app/launched.hpp"
#include "integration/app/program.hpp"
#include "support/json_numbers.hpp"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using runtime::test::StandInCluster;
using test::member;
using testing::HasSubstr;

class XpcsFarmTest : public FirstSampleTest {
protected:
    [[nodiscard]] Words sampling(const std::string& output, const Words& more) const {
        return joined({{"xpcs",
                        "sample",
                        config(),
                        "-o",
                        path(output),
                        "--errors",
                        "classical",
                        "-q",
                        "--shards",
                        "4",
                        "-t",
                        "2"},
                       more});
    }
    [[nodiscard]] Words small(const std::string& output, const Words& more = {}) const {
        return sampling(output, joined({{"--sampler", "importance", "--n-samples", "50"}, more}));
    }
    [[nodiscard]] io::Json consensus(const std::string& output) const {
        return member(io::read_json(path(output) + "/posterior.json"), {"consensus"});
    }
    [[nodiscard]] std::string text(const std::string& output,
                                   std::initializer_list<std::string_view> of) const {
        return *member(consensus(output), of).if_string();
    }
    [[nodiscard]] std::string digest(const std::string& output) const {
        return text(output, {"digest"});
    }
    void expect_ran(const Words& words) const {
        const auto ended = run(words);
        ASSERT_EQ(ended.exit_code, 0) << ended.err;
    }
};

TEST_F(XpcsFarmTest, EveryFarmHasTheSameBits) {
    expect_ran(small("threads"));
    EXPECT_EQ(text("threads", {"farm", "name"}), "threads");
    const StandInCluster stand_in;
    for (const std::string farm : {"sequential", "processes", "slurm", "pbs"}) {
        expect_ran(small(farm, {"--farm", farm}));
        EXPECT_EQ(text(farm, {"farm", "name"}), farm);
        EXPECT_EQ(text(farm, {"farm", "remark"}), "");
        EXPECT_EQ(digest(farm), digest("threads")) << farm;
        EXPECT_FALSE(fs::exists(path(farm) + "/shards"));
    }
    expect_ran(joined({{"launch", "-n", "2", "--", program_path()}, small("ranks")}));
    EXPECT_EQ(text("ranks", {"farm", "name"}), "ranks");
    EXPECT_EQ(digest("ranks"), digest("threads"));
}

TEST_F(XpcsFarmTest, WorkersKnowWhatIsHeldAndHowShardsWereDealt) {
    for (const std::string sharding : {"stratified", "per_angle"}) {
        const Words more = {"--sharding", sharding, "--fix", "alpha=-0.8"};
        expect_ran(small(sharding, more));
        EXPECT_EQ(text(sharding, {"farm", "name"}), "threads");
        EXPECT_EQ(text(sharding, {"sharding", "name"}), sharding);
        EXPECT_EQ(text(sharding, {"sharding", "remark"}), "");
        expect_ran(small(sharding + "_elsewhere", joined({more, {"--farm", "processes"}})));
        EXPECT_EQ(text(sharding + "_elsewhere", {"farm", "name"}), "processes");
        EXPECT_EQ(digest(sharding + "_elsewhere"), digest(sharding));
        const auto found = consensus(sharding + "_elsewhere");
        const auto& values =
            *member(member(found, {"each"}).if_array()->front(), {"values"}).if_array();
        ASSERT_EQ(values.size(), 2U);
        EXPECT_EQ(*member(values[1], {"name"}).if_string(), "D_offset");
        EXPECT_TRUE(fs::exists(path(sharding) + "/cmc/shard_diagnostics.json"));
    }
    EXPECT_NE(digest("stratified"), digest("per_angle"));
}

TEST_F(XpcsFarmTest, WhatIsOtherThanAskedForIsToldOnceAndRecorded) {
    const auto ended = run(small("out", {"--sharding", "per_angle", "--shards", "2"}));
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(text("out", {"sharding", "asked"}), "per_angle");
    EXPECT_EQ(text("out", {"sharding", "remark"}), "3 shards and not 2: one for each angle");
    EXPECT_EQ(test::integer(member(consensus("out"), {"shards"})), 3);
    EXPECT_THAT(run({"xpcs", "summary", path("out")}).out, HasSubstr("3 shards and not 2"));

    auto yaml = io::read_file(config());
    const std::string strategy = "strategy: random";
    ASSERT_NE(yaml.find(strategy), yaml.npos);
    yaml.replace(yaml.find(strategy),
                 strategy.size(),
                 "strategy: stratified\n      max_points_per_shard: 1500");
    const std::string cmc = "  cmc:\n";
    yaml.insert(yaml.find(cmc) + cmc.size(), "    combination: {method: robust_consensus_mc}\n");
    io::write_file(config(), yaml);
    expect_ran({"xpcs",
                "sample",
                config(),
                "-o",
                path("configured"),
                "--errors",
                "classical",
                "-q",
                "--sampler",
                "importance",
                "--n-samples",
                "50"});
    EXPECT_EQ(test::integer(member(consensus("configured"), {"shards"})), 4);  // of 5,859 points
    EXPECT_EQ(text("configured", {"sharding", "asked"}), "strategy: stratified");
    EXPECT_EQ(text("configured", {"combination"}), "marginals");
    EXPECT_EQ(text("configured", {"combination_asked"}), "method: robust_consensus_mc");
}

TEST_F(XpcsFarmTest, TheConfigurationChoosesAFarmToo) {
    auto yaml = io::read_file(config());
    const std::string cmc = "  cmc:\n";
    ASSERT_NE(yaml.find(cmc), yaml.npos);
    yaml.insert(yaml.find(cmc) + cmc.size(), "    backend: {name: pjit}\n");
    io::write_file(config(), yaml);
    const auto ended = run(small("out"));
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(text("out", {"farm", "name"}), "sequential");
    EXPECT_EQ(text("out", {"farm", "asked"}), "backend: pjit");
    expect_ran(small("other", {"--cmc-backend", "multiprocessing"}));
    EXPECT_EQ(text("other", {"farm", "name"}), "processes");
}

TEST_F(XpcsFarmTest, WhatNoClusterTakesIsRefusedBeforeTheFit) {
    for (const auto& [option, name] :
         {std::pair{"--cluster-account", "account"}, std::pair{"--cluster-queue", "queue"}}) {
        const auto ended = run(small("out", {"--farm", "slurm", option, "a;b"}));
        EXPECT_EQ(ended.exit_code, 65) << ended.err;
        EXPECT_THAT(ended.err, HasSubstr(fmt::format("{} is \"a;b\", must be letters", name)));
        EXPECT_FALSE(fs::exists(path("out/fit.json")));
    }
}

TEST_F(XpcsFarmTest, RayIsForPython) {
    const auto ended = run(small("out", {"--farm", "ray"}));
    EXPECT_EQ(ended.exit_code, 64);
    EXPECT_THAT(ended.err, HasSubstr("ray comes with the Python package"));
}

std::vector<pid_t> children_of(pid_t process) {
    std::vector<pid_t> children;
    std::ifstream file(fmt::format("/proc/{0}/task/{0}/children", process));
    for (pid_t child = 0; file >> child;) {
        children.push_back(child);
    }
    return children;
}

/// The worker processes of a program, which one of its processes forks.
std::vector<pid_t> workers_of(pid_t program) {
    const auto forking = children_of(program);
    return forking.empty() ? forking : children_of(forking.front());
}

/// It has computed for a while, less than a task takes.
bool is_working(pid_t process) {
    std::ifstream file(fmt::format("/proc/{}/stat", process));
    std::string word;
    std::getline(file, word, ')');  // its name
    constexpr int before_user_time = 11;
    for (int field = 0; field < before_user_time; ++field) {
        file >> word;
    }
    constexpr long ticks = 3;  // of 10 ms
    long user_time = 0;
    return static_cast<bool>(file >> user_time) && user_time >= ticks;
}

TEST_F(XpcsFarmTest, AWorkerThatIsKilledCostsNothingButTime) {
    const Words chains = {"--sampler", "nuts", "--n-warmup", "200", "--n-samples", "1500"};
    Program program(sampling("out", joined({chains, {"--farm", "processes"}})));
    pid_t worker = 0;
    for (int moment = 0; moment < 6000 && worker == 0; ++moment) {
        const auto workers = workers_of(program.process());
        worker = workers.size() == 2 && is_working(workers.front()) ? workers.front() : 0;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ASSERT_NE(worker, 0);
    kill(worker, SIGKILL);
    const auto ended = program.end();
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    expect_ran(sampling("alone", joined({chains, {"--farm", "threads"}})));

    EXPECT_EQ(digest("out"), digest("alone"));
    EXPECT_EQ(text("out", {"farm", "name"}), "processes");
    std::int64_t attempts = 0;
    const auto found = consensus("out");
    for (const auto& shard : *member(found, {"each"}).if_array()) {
        attempts += test::integer(member(shard, {"attempts"}));
        EXPECT_EQ(*member(shard, {"verdict"}).if_string(), "kept");
    }
    EXPECT_EQ(attempts, 4 * 4 + 1);
    for (const auto& entry : fs::directory_iterator(path("out"))) {
        EXPECT_THAT(entry.path().filename().string(), testing::Not(HasSubstr("shards")));
    }
}

TEST_F(XpcsFarmTest, FallsBackToThreadsWhereAClusterTakesNothing) {
    const StandInCluster stand_in;
    stand_in.add("sbatch", "#!/bin/sh\necho 'no partition of this name' >&2\nexit 1\n");
    const auto ended = run(small("out", {"--farm", "slurm", "--cluster-queue", "short"}));
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(text("out", {"farm", "name"}), "threads");
    EXPECT_EQ(text("out", {"farm", "asked"}), "slurm");
    EXPECT_EQ(text("out", {"farm", "remark"}),
              "slurm: sbatch ended with code 1: no partition of this name");
    EXPECT_EQ(count(ended.err, "no partition of this name"), 1);
    EXPECT_FALSE(fs::exists(path("out/shards")));
    EXPECT_THAT(run({"xpcs", "summary", path("out")}).out, HasSubstr("no partition of this name"));
    ASSERT_EQ(run({"report", path("out")}).exit_code, 0);
    EXPECT_THAT(io::read_file(path("out/report.html")),
                testing::AllOf(HasSubstr("4 of 4 shards were combined"),
                               HasSubstr("no partition of this name")));
}

TEST_F(XpcsFarmTest, FallsBackToThreadsWhereItsFileCannotBeWritten) {
    io::write_file(path("out/shards"), "in the way");
    const auto ended = run(small("out", {"--farm", "slurm"}));
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(text("out", {"farm", "name"}), "threads");
    EXPECT_THAT(text("out", {"farm", "remark"}), HasSubstr("is not a folder"));
}

TEST_F(XpcsFarmTest, ANextRunTakesTheResultsOfAnInterruptedOne) {
    const StandInCluster stand_in;
    const auto submit = io::read_file(stand_in.folder() / "sbatch");
    // The first two elements alone are started.
    stand_in.add("sbatch",
                 std::string(submit).replace(submit.find("element=0"), 9, "last=1\nelement=0"));
    stand_in.add("squeue", "#!/bin/sh\nexit 1\n");
    {
        Program program(small("out", {"--farm", "slurm"}));
        const fs::path results = path("out/shards/results");
        for (int moment = 0; moment < 6000; ++moment) {
            std::error_code ignored;
            fs::directory_iterator entries(results, ignored);
            if (!ignored && std::distance(begin(entries), end(entries)) == 2) {
                break;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        kill(program.process(), SIGKILL);
        program.end();
    }
    stand_in.add("sbatch",
                 std::string(submit).replace(
                     submit.find("element=0"), 9, "echo $last >\"$state/../last\"\nelement=0"));
    expect_ran(small("out", {"--farm", "slurm"}));
    EXPECT_EQ(text("out", {"farm", "name"}), "slurm");
    EXPECT_EQ(io::read_file(stand_in.folder() / "last"), "1\n");  // two of four were left
    expect_ran(small("alone"));
    EXPECT_EQ(digest("out"), digest("alone"));
}

TEST_F(XpcsFarmTest, AWorkerRefusesWhatIsNoJob) {
    const auto ended = run({"xpcs", "shard-worker", config()});
    EXPECT_EQ(ended.exit_code, 65);
    EXPECT_THAT(ended.err, HasSubstr("is no job of shards"));
    EXPECT_THAT(run({"xpcs", "--help"}).out, testing::Not(HasSubstr("shard-worker")));
}

}  // namespace
}  // namespace lockstep::cli
