#include "lockstep/runtime/task_farm.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "conformance/runtime/farms.hpp"

namespace lockstep::runtime::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> outputs_of(const std::vector<TaskResult>& results) {
    std::vector<std::string> outputs;
    for (const auto& result : results) {
        outputs.push_back(text_of(result.output));
    }
    return outputs;
}

std::vector<std::string> numbers_to(std::int64_t count) {
    std::vector<std::string> numbers;
    for (std::int64_t number = 0; number < count; ++number) {
        numbers.push_back(std::to_string(number));
    }
    return numbers;
}

TEST_P(TaskFarmTest, GivesResultsByNumber) {
    on_farm([](TaskFarm& farm) {
        const auto results = farm.map(batch_of("number", 50));
        EXPECT_EQ(outputs_of(results), numbers_to(50));
        for (std::size_t i = 0; i < results.size(); ++i) {
            EXPECT_EQ(results[i].number, static_cast<std::int64_t>(i));
            EXPECT_EQ(results[i].status, TaskStatus::done);
            EXPECT_EQ(results[i].attempts, 1);
            EXPECT_EQ(results[i].error, "");
        }
    });
}

TEST_P(TaskFarmTest, RunsNothingForNoTasks) {
    on_farm([](TaskFarm& farm) { EXPECT_TRUE(farm.map(batch_of("number", 0)).empty()); });
}

TEST_P(TaskFarmTest, TellsHowManyWork) {
    on_farm([](TaskFarm& farm) { EXPECT_EQ(farm.workers(), workers()); });
}

TEST_P(TaskFarmTest, CarriesInputsAndOutputsOfAnyLength) {
    on_farm([](TaskFarm& farm) {
        const auto text = [](std::int64_t number) {
            const std::vector<std::size_t> lengths{0, 1, 7, 1000, 65'536, 65'537, 3'000'000};
            return std::string(lengths[at(number)], static_cast<char>('a' + number));
        };
        auto batch = batch_of("echo", 7);
        batch.input = [&](std::int64_t number) { return bytes_of(text(number)); };
        const auto results = farm.map(batch);
        for (const auto& result : results) {
            EXPECT_TRUE(text_of(result.output) == text(result.number)) << result.number;
        }
    });
}

TEST_P(TaskFarmTest, ServesManyBatches) {
    on_farm([](TaskFarm& farm) {
        for (int round = 0; round < 5; ++round) {
            EXPECT_EQ(outputs_of(farm.map(batch_of("number", 5))), numbers_to(5));
        }
    });
}

TEST_P(TaskFarmTest, KeepsFailuresApartByTask) {
    on_farm([](TaskFarm& farm) {
        const auto results = farm.map(batch_of("fail_if_odd", 10));
        for (const auto& result : results) {
            const bool is_odd = result.number % 2 == 1;
            EXPECT_EQ(result.status, is_odd ? TaskStatus::failed : TaskStatus::done);
            EXPECT_EQ(result.error, is_odd ? "odd" : "");
            EXPECT_EQ(text_of(result.output), is_odd ? "" : "even");
        }
    });
}

TEST_P(TaskFarmTest, HandsOnTheTextOfWhatATaskThrows) {
    on_farm([](TaskFarm& farm) {
        EXPECT_EQ(farm.map(batch_of("fail", 1, "shard 3"))[0].error, "trouble with shard 3");
        EXPECT_EQ(farm.map(batch_of("fail_oddly", 1))[0].error, "threw what is no std::exception");
    });
}

TEST_P(TaskFarmTest, RetriesAsThePolicySays) {
    on_farm([](TaskFarm& farm) {
        auto batch = batch_of("fail_if_odd", 4);
        batch.policy.retries_of_failed = 2;
        const auto results = farm.map(batch);
        for (const auto& result : results) {
            EXPECT_EQ(result.attempts, result.number % 2 == 1 ? 3 : 1);
        }
    });
}

TEST_P(TaskFarmTest, RefusesAFunctionThatNobodyKnows) {
    on_farm([](TaskFarm& farm) {
        try {
            static_cast<void>(farm.map(batch_of("dance", 3)));
            ADD_FAILURE() << "no exception came through";
        } catch (const InputError& error) {
            EXPECT_STREQ(error.what(), "the farm knows no function \"dance\"");
        }
        EXPECT_EQ(outputs_of(farm.map(batch_of("number", 3))), numbers_to(3));
    });
}

// With one worker the order of beginning is the order of ending.
TEST_P(TaskFarmTest, BeginsTheUrgentThenTheCostlyThenTheLowest) {
    if (workers() != 1) {
        GTEST_SKIP() << "several workers end in any order";
    }
    on_farm([](TaskFarm& farm) {
        auto batch = batch_of("number", 6);
        batch.cost = [](std::int64_t number) {
            return std::vector<double>{1, 5, 2, 5, 9, 0}[at(number)];
        };
        batch.priority = [](std::int64_t number) { return number == 5 ? 1 : 0; };
        batch.in_order = false;
        std::vector<std::int64_t> order;
        FarmObserver observer;
        observer.on_result = [&](TaskResult&& result) {
            order.push_back(result.number);
            return true;
        };
        farm.run(batch, observer);
        EXPECT_THAT(order, ElementsAre(5, 4, 1, 3, 2, 0));
    });
}

TEST_P(TaskFarmTest, HandsResultsOverInOrderWithinTheWindow) {
    on_farm([](TaskFarm& farm) {
        auto batch = batch_of("nap", 30);
        std::int64_t handed = 0;
        std::int64_t furthest = 0;
        batch.window = 4;
        batch.cost = [](std::int64_t number) { return static_cast<double>(number); };
        batch.input = [&](std::int64_t number) {
            furthest = std::max(furthest, number - handed);
            return bytes_of(number % 4 == 0 ? "5" : "0");
        };
        FarmObserver observer;
        observer.on_result = [&](TaskResult&& result) {
            EXPECT_EQ(result.number, handed++);
            return true;
        };
        farm.run(batch, observer);
        EXPECT_EQ(handed, 30);
        EXPECT_LT(furthest, 4);
    });
}

TEST_P(TaskFarmTest, TellsOfProgress) {
    on_farm([](TaskFarm& farm) {
        std::int64_t reports = 0;
        FarmProgress last;
        FarmObserver observer;
        observer.on_progress = [&](const FarmProgress& progress) {
            EXPECT_EQ(progress.done + progress.failed, ++reports);
            EXPECT_LE(progress.running, workers());
            last = progress;
        };
        farm.run(batch_of("fail_if_odd", 11), observer);
        EXPECT_EQ(last.done, 6);
        EXPECT_EQ(last.failed, 5);
        EXPECT_EQ(last.total, 11);
        EXPECT_GT(last.seconds, 0);
    });
}

TEST_P(TaskFarmTest, CancelsWhatIsLeftWhenTheObserverHasEnough) {
    on_farm([](TaskFarm& farm) {
        std::vector<TaskStatus> statuses;
        FarmObserver observer;
        observer.on_result = [&](TaskResult&& result) {
            EXPECT_EQ(result.number, static_cast<std::int64_t>(statuses.size()));
            statuses.push_back(result.status);
            return false;
        };
        farm.run(batch_of("nap", 100, "1"), observer);
        ASSERT_EQ(statuses.size(), 100U);
        EXPECT_EQ(statuses.front(), TaskStatus::done);
        EXPECT_EQ(statuses.back(), TaskStatus::cancelled);
    });
}

TEST_P(TaskFarmTest, StopsTasksWhenAskedTo) {
    if (GetParam().is_sequential) {
        GTEST_SKIP() << "nobody asks while the caller works";
    }
    on_farm([](TaskFarm& farm) {
        FarmObserver observer;
        const auto start = std::chrono::steady_clock::now();
        observer.stop_requested = [&] { return std::chrono::steady_clock::now() > start + 150ms; };
        int cancelled = 0;
        observer.on_result = [&](TaskResult&& result) {
            cancelled += result.status == TaskStatus::cancelled ? 1 : 0;
            return true;
        };
        farm.run(batch_of("until_stopped", 10), observer);
        EXPECT_EQ(cancelled, 10);
        EXPECT_EQ(outputs_of(farm.map(batch_of("number", 5))), numbers_to(5));
    });
}

TEST_P(TaskFarmTest, EndsTasksWhoseTimeIsUp) {
    on_farm([](TaskFarm& farm) {
        auto batch = batch_of("until_stopped", 3);
        batch.policy.time_limit = 50ms;
        batch.policy.retries_of_timed_out = 1;
        const auto results = farm.map(batch);
        for (const auto& result : results) {
            EXPECT_EQ(result.status, TaskStatus::timed_out) << result.error;
            EXPECT_EQ(result.attempts, 2);
        }
        EXPECT_EQ(outputs_of(farm.map(batch_of("number", 5))), numbers_to(5));
    });
}

TEST_P(TaskFarmTest, LetsWhatTheCallerThrowsOutAndGoesOn) {
    on_farm([](TaskFarm& farm) {
        auto batch = batch_of("nap", 20, "1");
        batch.input = [](std::int64_t number) {
            if (number == 7) {
                throw std::runtime_error("no input");
            }
            return bytes_of("1");
        };
        EXPECT_THROW(static_cast<void>(farm.map(batch)), std::runtime_error);
        FarmObserver observer;
        observer.on_result = [](TaskResult&&) -> bool { throw std::logic_error("no room"); };
        EXPECT_THROW(farm.run(batch_of("nap", 20, "1"), observer), std::logic_error);
        EXPECT_EQ(outputs_of(farm.map(batch_of("number", 5))), numbers_to(5));
    });
}

TEST_P(TaskFarmTest, KeepsPromisesOfSingleTasks) {
    on_farm([](TaskFarm& farm) {
        std::vector<TaskFuture> futures;
        for (int i = 0; i < 8; ++i) {
            futures.push_back(
                farm.submit({.function = "echo", .input = bytes_of("task " + std::to_string(i))}));
        }
        for (int i = 7; i >= 0; --i) {
            auto& future = futures[at(i)];
            EXPECT_TRUE(future.wait_for(60s));
            const auto result = future.get();
            EXPECT_EQ(result.number, i);
            EXPECT_EQ(text_of(result.output), "task " + std::to_string(i));
            EXPECT_THROW(static_cast<void>(future.get()), AssertionError);
        }
    });
}

TEST_P(TaskFarmTest, CancelsSingleTasks) {
    on_farm([](TaskFarm& farm) {
        std::vector<TaskFuture> futures;
        for (int i = 0; i < 2 * workers() + 2; ++i) {
            futures.push_back(farm.submit({.function = "until_stopped"}));
            if (GetParam().is_sequential) {
                break;
            }
        }
        if (GetParam().is_sequential) {
            return futures[0].cancel();
        }
        EXPECT_FALSE(futures.back().wait_for(20ms));
        for (auto& future : futures) {
            future.cancel();
        }
        for (auto& future : futures) {
            EXPECT_EQ(future.get().status, TaskStatus::cancelled);
        }
    });
}

TEST_P(TaskFarmTest, DrainsOrDropsWhenItShutsDown) {
    on_farm([](TaskFarm& farm) {
        std::vector<TaskFuture> futures;
        for (int i = 0; i < 10; ++i) {
            futures.push_back(farm.submit({.function = "nap", .input = bytes_of("1")}));
        }
        farm.shutdown(TaskFarm::Wait::yes);
        farm.shutdown(TaskFarm::Wait::no);
        for (auto& future : futures) {
            EXPECT_EQ(future.get().status, TaskStatus::done);
        }
        EXPECT_THROW(static_cast<void>(farm.submit({.function = "echo"})), AssertionError);
        EXPECT_THROW(static_cast<void>(farm.map(batch_of("number", 1))), AssertionError);
    });
    on_farm([](TaskFarm& farm) {
        std::vector<TaskFuture> futures;
        for (int i = 0; i < 40; ++i) {
            futures.push_back(farm.submit({.function = "nap", .input = bytes_of("2")}));
        }
        farm.shutdown(TaskFarm::Wait::no);
        EXPECT_EQ(futures.back().get().status, TaskStatus::cancelled);
    });
}

TEST_P(TaskFarmTest, RefusesToHaveNoWorkers) {
    if (GetParam().is_sequential || GetParam().name.substr(0, 5) == "ranks") {
        GTEST_SKIP() << "it has those that it has";
    }
    FarmOptions none;
    none.workers = 0;
    EXPECT_THROW(static_cast<void>(make_thread_farm(farm_functions(), none)), InputError);
    EXPECT_THROW(static_cast<void>(make_process_farm(farm_functions(), worker_command(), none)),
                 InputError);
    EXPECT_THROW(static_cast<void>(make_process_farm(farm_functions(), {}, FarmOptions{})),
                 InputError);
}

TEST_P(TaskFarmTest, GivesTheSameResultsInTheSameOrderWhoeverRunsThem) {
    const auto reference = make_sequential_farm(farm_functions())->map(batch_of("fail_if_odd", 40));
    on_farm([&](TaskFarm& farm) {
        auto batch = batch_of("fail_if_odd", 40);
        batch.cost = [](std::int64_t number) { return static_cast<double>(number * 7 % 11); };
        const auto results = farm.map(batch);
        for (std::size_t i = 0; i < results.size(); ++i) {
            EXPECT_EQ(results[i].number, reference[i].number);
            EXPECT_EQ(results[i].status, reference[i].status);
            EXPECT_EQ(results[i].output, reference[i].output);
            EXPECT_EQ(results[i].error, reference[i].error);
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Farm, TaskFarmTest, testing::ValuesIn(all_farms()), name_of_farm);

std::unique_ptr<TaskFarm> process_farm(int workers, FarmOptions options = {}) {
    options.workers = workers;
    return make_process_farm(farm_functions(), worker_command(), options);
}

TEST(ProcessFarmTest, SurvivesWorkersThatDie) {
    const auto farm = process_farm(2);
    const auto results = farm->map(batch_of("die", 3));
    for (const auto& result : results) {
        EXPECT_EQ(result.status, TaskStatus::crashed);
        EXPECT_EQ(result.attempts, 2);
        EXPECT_THAT(result.error, HasSubstr("was killed by signal 9 (Killed)"));
    }
    EXPECT_EQ(farm->workers(), 2);
    EXPECT_EQ(outputs_of(farm->map(batch_of("number", 5))), numbers_to(5));
}

TEST(ProcessFarmTest, ALostTaskLeavesTheOthersTheirResults) {
    const auto farm = process_farm(2);
    const auto results = farm->map(batch_of("die_if_three", 8));
    for (const auto& result : results) {
        EXPECT_EQ(result.status, result.number == 3 ? TaskStatus::crashed : TaskStatus::done);
        EXPECT_EQ(text_of(result.output), result.number == 3 ? "" : std::to_string(result.number));
    }
}

TEST(ProcessFarmTest, NoticesWithinASecondThatAWorkerWasKilled) {
    for (const int workers : {1, 2}) {
        const auto farm = process_farm(workers);
        const auto processes = outputs_of(farm->map(batch_of("process", 4 * workers)));
        std::vector<TaskFuture> hanging;
        for (int worker = 0; worker < workers; ++worker) {
            hanging.push_back(
                farm->submit({.function = "hang", .policy = {.retries_of_crashed = 0}}));
        }
        EXPECT_FALSE(hanging.front().wait_for(100ms));
        for (const auto& process : std::set(processes.begin(), processes.end())) {
            kill(std::stoi(process), SIGKILL);
        }
        const auto start = std::chrono::steady_clock::now();
        for (auto& task : hanging) {
            const auto result = task.get();
            EXPECT_EQ(result.status, TaskStatus::crashed);
            EXPECT_THAT(result.error, HasSubstr("was killed by signal 9"));
        }
        EXPECT_LT(std::chrono::steady_clock::now() - start, 1s);
    }
}

std::set<std::string> parents_of_workers(TaskFarm& farm) {
    const auto outputs = outputs_of(farm.map(batch_of("parent", 6)));
    return {outputs.begin(), outputs.end()};
}

TEST(ProcessFarmTest, LoadsItsProgramOnceForSeveralWorkers) {
    const auto here = std::to_string(getpid());
    EXPECT_THAT(parents_of_workers(*process_farm(3)),
                testing::AllOf(testing::SizeIs(1), testing::Not(testing::Contains(here))));
    EXPECT_THAT(parents_of_workers(*process_farm(1)), testing::ElementsAre(here));
}

TEST(ProcessFarmTest, StartsAProgramThatHasThreadsForEachWorker) {
    auto command = worker_command();
    command.emplace_back("--with-a-thread");
    FarmOptions options;
    options.workers = 3;
    const auto farm = make_process_farm(farm_functions(), command, options);
    EXPECT_THAT(parents_of_workers(*farm), testing::ElementsAre(std::to_string(getpid())));
}

TEST(ProcessFarmTest, GoesOnWithoutTheProcessThatForks) {
    const auto farm = process_farm(2);
    const auto first = *parents_of_workers(*farm).begin();
    kill(std::stoi(first), SIGKILL);
    EXPECT_EQ(outputs_of(farm->map(batch_of("number", 6))), numbers_to(6));
    for (const auto& result : farm->map(batch_of("die", 2))) {
        EXPECT_EQ(result.status, TaskStatus::crashed);
    }
    EXPECT_EQ(outputs_of(farm->map(batch_of("number", 6))), numbers_to(6));
    EXPECT_THAT(parents_of_workers(*farm), testing::Not(testing::Contains(first)));
}

TEST(ProcessFarmTest, RunsATaskAgainWhoseWorkerDied) {
    const auto mark =
        std::filesystem::temp_directory_path() / ("lockstep-farm-" + std::to_string(getpid()));
    std::filesystem::remove(mark);
    const auto farm = process_farm(1);
    const auto result = farm->map(batch_of("die_once", 1, mark.string()))[0];
    EXPECT_EQ(result.status, TaskStatus::done) << result.error;
    EXPECT_EQ(text_of(result.output), "alive");
    EXPECT_EQ(result.attempts, 2);
    std::filesystem::remove(mark);
}

TEST(ProcessFarmTest, KillsATaskThatDoesNotStop) {
    FarmOptions options;
    options.grace = 50ms;
    const auto farm = process_farm(1, options);
    auto batch = batch_of("hang", 1);
    batch.policy.time_limit = 50ms;
    const auto result = farm->map(batch)[0];
    EXPECT_EQ(result.status, TaskStatus::timed_out);
    EXPECT_THAT(result.error, HasSubstr("was killed by signal 9"));
    EXPECT_EQ(outputs_of(farm->map(batch_of("number", 2))), numbers_to(2));
    auto hanging = farm->submit({.function = "hang"});
    EXPECT_FALSE(hanging.wait_for(50ms));
    const auto start = std::chrono::steady_clock::now();
    farm->shutdown(TaskFarm::Wait::no);
    EXPECT_LT(std::chrono::steady_clock::now() - start, 20s);
    EXPECT_EQ(hanging.get().status, TaskStatus::cancelled);
}

TEST(ProcessFarmTest, UsesAProcessForManyTasks) {
    const auto farm = process_farm(2);
    const auto outputs = outputs_of(farm->map(batch_of("process", 30)));
    const std::set<std::string> processes(outputs.begin(), outputs.end());
    EXPECT_LE(processes.size(), 2U);
    EXPECT_EQ(processes.count(std::to_string(getpid())), 0U);
}

TEST(ProcessFarmTest, LosesNoTaskWhenWorkersAreKilledAtRandom) {
    const auto farm = process_farm(3);
    auto batch = batch_of("process", 200);
    batch.policy.retries_of_crashed = 50;
    std::mt19937 random(7);
    int killed = 0;
    FarmObserver observer;
    std::int64_t done = 0;
    observer.on_result = [&](TaskResult&& result) {
        EXPECT_EQ(result.status, TaskStatus::done) << result.error;
        ++done;
        if (random() % 8 == 0) {
            ++killed;
            kill(std::stoi(text_of(result.output)), SIGKILL);
        }
        return true;
    };
    farm->run(batch, observer);
    EXPECT_EQ(done, 200);
    EXPECT_GT(killed, 5);
}

TEST(ProcessFarmTest, SaysWhenWorkersDoNotComeUp) {
    FarmOptions options;
    for (const auto& command :
         std::vector<std::vector<std::string>>{{"/nowhere/worker"}, {"false"}, {"true"}}) {
        const auto farm = make_process_farm(farm_functions(), command, options);
        try {
            static_cast<void>(farm->map(batch_of("number", 2)));
            ADD_FAILURE() << "no exception came through";
        } catch (const BackendError& error) {
            EXPECT_THAT(error.what(), HasSubstr(command[0]));
        }
    }
    options.start_limit = 50ms;
    const auto farm = make_process_farm(farm_functions(), {"sleep", "60"}, options);
    EXPECT_THROW(static_cast<void>(farm->map(batch_of("number", 1))), BackendError);
}

TEST(RankFarmTest, GoesOnWithoutRanksThatAreLost) {
    std::atomic<bool> is_dead = false;
    auto functions = farm_functions();
    // In-process ranks cannot be killed by a task, but may vanish in their collectives.
    comm::run_in_process(3, [&](comm::Communicator& ranks) {
        if (ranks.rank() == 2) {
            const auto mailbox = ranks.open_mailbox(std::size_t{256} << 10);
            while (!mailbox->wait(100ms)) {
            }
            is_dead = true;
            return;  // with a task in its hands
        }
        run_rank_farm(ranks, functions, FarmOptions{}, [&](TaskFarm& farm) {
            const auto results = farm.map(batch_of("nap", 20, "5"));
            EXPECT_EQ(outputs_of(results), numbers_to(20));
            EXPECT_EQ(farm.workers(), 2);
            int second = 0;
            for (const auto& result : results) {
                second += result.attempts == 2 ? 1 : 0;
            }
            EXPECT_EQ(second, 1);
        });
    });
    EXPECT_TRUE(is_dead);
}

TEST(RankFarmTest, LetsWhatTheBodyThrowsOutOnRankZero) {
    comm::run_in_process(2, [](comm::Communicator& ranks) {
        const auto run = [&] {
            run_rank_farm(ranks, farm_functions(), FarmOptions{}, [](TaskFarm&) {
                throw std::runtime_error("enough");
            });
        };
        if (ranks.rank() == 0) {
            EXPECT_THROW(run(), std::runtime_error);
        } else {
            run();
        }
        ranks.barrier();
    });
}

}  // namespace
}  // namespace lockstep::runtime::test
