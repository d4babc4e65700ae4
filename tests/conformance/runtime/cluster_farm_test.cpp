// What job arrays do beyond what every farm does: tests/conformance/runtime/task_farm_test.cpp.
#include "lockstep/runtime/cluster_farm.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"

#include "conformance/runtime/farms.hpp"

namespace lockstep::runtime::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::ThrowsMessage;

int arrays_in(const fs::path& folder) {
    return static_cast<int>(
        std::count_if(fs::directory_iterator(folder), fs::directory_iterator(), [](const auto& of) {
            return of.path().filename().string().starts_with("array-");
        }));
}

std::string text_in(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

class ClusterFarmTest : public testing::TestWithParam<MakeClusterFarm> {
protected:
    std::unique_ptr<TaskFarm> farm(int workers) {
        FarmOptions options;
        options.workers = workers;
        options.grace = 2s;
        return GetParam()(farm_functions(), cluster_, options);
    }

    StandInCluster stand_in_;
    ClusterOptions cluster_ = stand_in_.options(worker_command());
};

TEST_P(ClusterFarmTest, HandsManyTasksOverInFewArrays) {
    cluster_.largest_array = 8;
    for (const auto& result : farm(20)->map(batch_of("number", 20))) {
        EXPECT_EQ(text_of(result.output), std::to_string(result.number)) << result.error;
    }
    EXPECT_EQ(arrays_in(cluster_.folder), 3);
}

TEST_P(ClusterFarmTest, TakesResultsThatAreThereAlready) {
    static_cast<void>(farm(4)->map(batch_of("fail_if_odd", 4)));
    EXPECT_EQ(arrays_in(cluster_.folder), 1);
    const auto results = farm(4)->map(batch_of("fail_if_odd", 4));
    EXPECT_EQ(text_of(results[2].output), "even");
    EXPECT_EQ(results[1].error, "odd");  // which was tried again
    EXPECT_EQ(arrays_in(cluster_.folder), 2);
    cluster_.identity = {1, 2};
    static_cast<void>(farm(4)->map(batch_of("fail_if_odd", 4)));
    EXPECT_EQ(arrays_in(cluster_.folder), 3);
    EXPECT_TRUE(fs::exists(cluster_.folder / "array-2/3.task"));
}

TEST_P(ClusterFarmTest, DoesNotBelieveADamagedResult) {
    static_cast<void>(farm(1)->map(batch_of("number", 1)));
    for (const auto& entry : fs::directory_iterator(cluster_.folder / "results")) {
        std::ofstream(entry.path(), std::ios::app) << "more";
    }
    EXPECT_EQ(text_of(farm(1)->map(batch_of("number", 1))[0].output), "0");
    EXPECT_EQ(arrays_in(cluster_.folder), 2);
}

TEST_P(ClusterFarmTest, NoticesElementsThatDieAndTriesOnceMore) {
    const auto results = farm(3)->map(batch_of("die", 3));
    for (const auto& result : results) {
        EXPECT_EQ(result.status, TaskStatus::crashed);
        EXPECT_EQ(result.attempts, 2);
        EXPECT_THAT(result.error, HasSubstr("ended without a result"));
    }
    const auto mark = (stand_in_.folder() / "died").string();
    EXPECT_EQ(text_of(farm(1)->map(batch_of("die_once", 1, mark))[0].output), "alive");
}

TEST_P(ClusterFarmTest, CancelsElementsThatDoNotStop) {
    auto hanging = farm(1);
    auto future = hanging->submit({.function = "hang"});
    EXPECT_FALSE(future.wait_for(500ms));
    hanging->shutdown(TaskFarm::Wait::no);
    EXPECT_EQ(future.get().status, TaskStatus::cancelled);
}

TEST_P(ClusterFarmTest, DoesNotCountTheTimeInTheQueue) {
    // An element that waits longer than its task may take.
    for (const auto* name : {"sbatch", "qsub"}) {
        auto script = text_in(stand_in_.folder() / name);
        const std::string start = "        sh \"$@\"";
        script.replace(script.find(start), start.size(), "        sleep_first \"$@\"");
        script.insert(script.find("state="), "sleep_first() { sleep 0.5; exec sh \"$@\"; }\n");
        stand_in_.add(name, script);
    }
    auto batch = batch_of("nap", 2, "10");
    batch.policy.time_limit = 300ms;
    for (const auto& result : farm(2)->map(batch)) {
        EXPECT_EQ(result.status, TaskStatus::done) << result.error;
    }
}

TEST_P(ClusterFarmTest, TellsWhatAQueueSaysThatTakesNoJob) {
    for (const auto* name : {"sbatch", "qsub"}) {
        stand_in_.add(name, "#!/bin/sh\necho 'invalid account' >&2\nexit 3\n");
    }
    EXPECT_THAT([&] { static_cast<void>(farm(2)->map(batch_of("number", 2))); },
                ThrowsMessage<BackendError>(HasSubstr("ended with code 3: invalid account")));
    for (const auto* name : {"sbatch", "qsub"}) {
        stand_in_.add(name, "#!/bin/sh\necho welcome\n");
    }
    EXPECT_THAT([&] { static_cast<void>(farm(2)->map(batch_of("number", 2))); },
                ThrowsMessage<BackendError>(HasSubstr("said \"welcome")));
}

TEST_P(ClusterFarmTest, WaitsForResultsWhileTheQueueDoesNotAnswer) {
    for (const auto* name : {"squeue", "qstat"}) {
        stand_in_.add(name, "#!/bin/sh\necho 'no connection' >&2\nexit 1\n");
    }
    for (const auto& result : farm(2)->map(batch_of("nap", 2, "700"))) {
        EXPECT_EQ(result.status, TaskStatus::done);
        EXPECT_EQ(result.attempts, 1);
    }
}

TEST_P(ClusterFarmTest, RefusesValuesByTheirNames) {
    const auto refuses = [&](auto change, const char* text) {
        auto options = cluster_;
        change(options);
        EXPECT_THAT(
            [&] { static_cast<void>(GetParam()(farm_functions(), options, FarmOptions{})); },
            ThrowsMessage<InputError>(HasSubstr(text)));
    };
    refuses([](auto& options) { options.name = "a b"; }, "name is \"a b\"");
    refuses([](auto& options) { options.account = "x;rm"; }, "account is \"x;rm\"");
    refuses([](auto& options) { options.queue = "--wrap=id"; }, "queue is \"--wrap=id\"");
    refuses([](auto& options) { options.queue = std::string(65, 'q'); }, "64 at most");
    refuses([](auto& options) { options.name.clear(); }, "name");
    refuses([](auto& options) { options.folder.clear(); }, "folder");
    refuses([](auto& options) { options.command.clear(); }, "command");
    refuses([](auto& options) { options.minutes = -1; }, "minutes is -1");
    refuses([](auto& options) { options.at_once = -1; }, "at_once is -1");
    refuses([](auto& options) { options.largest_array = 0; }, "largest_array is 0");
    refuses([](auto& options) { options.poll = 0ms; }, "poll is 0");
    FarmOptions none;
    none.workers = 0;
    EXPECT_THROW(static_cast<void>(GetParam()(farm_functions(), cluster_, none)), InputError);
}

TEST(ElementTest, RefusesATaskThatIsNotThereOrDamaged) {
    const StandInCluster stand_in;
    EXPECT_THROW(serve_element(farm_functions(), stand_in.folder(), 0), IoError);
    io::write_file(stand_in.folder() / "0.task", "LSelem01 and what not, longer than its head");
    EXPECT_THROW(serve_element(farm_functions(), stand_in.folder(), 0), InputError);
}

TEST(SlurmTest, GetsItsOptionsAsArgumentsAndNothingThroughAShell) {
    const StandInCluster stand_in;
    stand_in.add("sbatch",
                 "#!/bin/sh\nprintf '%s\\n' \"$@\" >\"$(dirname \"$0\")/said\"\nexit 9\n");
    auto options = stand_in.options({"/opt/my program", "$(id)"});
    options.account = "xpcs";
    options.queue = "short";
    options.minutes = 90;
    options.at_once = 5;
    const auto farm = make_slurm_farm(farm_functions(), options, FarmOptions{});
    EXPECT_THROW(static_cast<void>(farm->map(batch_of("number", 1))), BackendError);
    const auto said = text_in(stand_in.folder() / "said");
    for (const auto* line : {"--parsable\n",
                             "--array=0-0%5\n",
                             "--account=xpcs\n",
                             "--partition=short\n",
                             "--time=90\n",
                             "\n/opt/my program\n$(id)\n",
                             "o'dd \"%%a\" $HOME folder/array-0/log-%a\n"}) {
        EXPECT_THAT(said, HasSubstr(line));
    }
}

TEST(PbsTest, WritesItsOptionsIntoTheScript) {
    const StandInCluster stand_in;
    stand_in.add("qsub", "#!/bin/sh\ncp \"$3\" \"$(dirname \"$0\")/said\"\nexit 9\n");
    auto options = stand_in.options({"/opt/it's"});
    options.account = "xpcs";
    options.queue = "short";
    options.minutes = 90;
    options.at_once = 5;
    FarmOptions farming;
    farming.workers = 12;
    const auto farm = make_pbs_farm(farm_functions(), options, farming);
    EXPECT_THROW(static_cast<void>(farm->map(batch_of("number", 12))), BackendError);
    const auto said = text_in(stand_in.folder() / "said");
    for (const auto* line : {"#!/bin/sh\n#PBS -N lockstep\n#PBS -j oe\n#PBS -J 0-11%5\n",
                             "#PBS -A xpcs\n",
                             "#PBS -q short\n",
                             "#PBS -l walltime=01:30:00\n",
                             "exec '/opt/it'\\''s' '",
                             "\"${PBS_ARRAY_INDEX:-0}\"\n"}) {
        EXPECT_THAT(said, HasSubstr(line));
    }
}

INSTANTIATE_TEST_SUITE_P(Queue,
                         ClusterFarmTest,
                         testing::Values(make_slurm_farm, make_pbs_farm),
                         [](const auto& of) {
                             return of.param == make_slurm_farm ? "slurm" : "pbs";
                         });

}  // namespace
}  // namespace lockstep::runtime::test
