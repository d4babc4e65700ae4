#include "support/fake_engine.hpp"

#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/app/report.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"

#include "conformance/comm/backends.hpp"
#include "unit/app/temporary_folder.hpp"

// What engines share must work for one that it has never heard of.

namespace lockstep::app {
namespace {

using testing::HasSubstr;

constexpr int numbers = 9;
constexpr std::uint64_t sum_of_squares = 285;  // n(n + 1)(2n + 1)/6

/// Notes what rank 0 is told; may ask for a stop.
class Recorder final : public Observer {
public:
    explicit Recorder(int stop_after = 0) : stop_after_(stop_after) {}
    void on_start(const RunFacts& facts) override { engine = facts.engine; }
    void on_progress(const Progress& progress) override { steps.push_back(progress.done); }
    void on_notice(Notice, const std::string& text) override { notices.push_back(text); }
    void on_phase_end(const PhaseEnd& end) override { ended = end.sentence; }
    bool stop_requested() override {
        return stop_after_ > 0 && static_cast<int>(steps.size()) + 1 >= stop_after_;
    }

    std::string engine;
    std::vector<std::int64_t> steps;
    std::vector<std::string> notices;
    std::string ended;

private:
    int stop_after_;
};

class FakeEngineTest : public testing::TestWithParam<comm::Backend> {
protected:
    FakeEngineTest() {
        test::write_fake_input(folder / "in", numbers);
        test::run_fake(request_to("alone"), *comm::make_local(), alone);
    }

    RunRequest request_to(const std::string& output) {
        RunRequest request;
        request.input = folder / "in";
        request.output = folder / output;
        request.threads = 1;
        return request;
    }
    void run_on_ranks(const RunRequest& request, int stop_after = 0) {
        GetParam().run([&](comm::Communicator& ranks) {
            Recorder recorder(stop_after);
            const auto run = test::run_fake(request, ranks, recorder);
            const std::lock_guard guard(mutex);
            sums.insert(run.sum);
        });
    }
    [[nodiscard]] Comparison compared(const std::string& left, const std::string& right) const {
        const Wing known[] = {test::fake_wing()};
        return compare_with(known, folder / left, folder / right, Depth::files);
    }

    TemporaryFolder folder;
    Recorder alone;
    std::mutex mutex;
    std::set<std::uint64_t> sums;  // of the ranks
};

TEST_P(FakeEngineTest, GivesTheSameBitsOnAllRanks) {
    run_on_ranks(request_to("ranks"));

    EXPECT_EQ(sums, (std::set{sum_of_squares}));
    const auto comparison = compared("alone", "ranks");
    EXPECT_TRUE(comparison.is_same) << comparison.sentence;
    EXPECT_EQ(comparison.sentence, "The results are the same bits.");
}

TEST_P(FakeEngineTest, GoesOnFromACheckpointOfAnyNumberOfRanks) {
    auto request = request_to("resumed");
    request.checkpoints.iterations = 1;
    run_on_ranks(request, 4);
    EXPECT_FALSE(compared("alone", "resumed").is_same);

    request.resume = true;
    sums.clear();
    Recorder recorder;
    EXPECT_EQ(test::run_fake(request, *comm::make_local(), recorder).sum, sum_of_squares);

    EXPECT_EQ(recorder.steps.front(), 5);
    EXPECT_THAT(recorder.notices.front(), HasSubstr("goes on after iteration 4"));
    EXPECT_TRUE(compared("alone", "resumed").is_same);
}

INSTANTIATE_TEST_SUITE_P(Backends,
                         FakeEngineTest,
                         testing::ValuesIn(comm::flat_backends()),
                         [](const auto& test) { return test.param.name; });

class FakeJobTest : public FakeEngineTest {};

TEST_F(FakeJobTest, TellsTheObserverWhatTheEngineDoes) {
    EXPECT_EQ(alone.engine, "fake");
    EXPECT_EQ(alone.steps.size(), numbers);
    EXPECT_EQ(alone.ended, "all added");
}

TEST_F(FakeJobTest, SurvivesTheLossOfAnyRankInAnyCollective) {
    for (int victim = 0; victim < 3; ++victim) {
        for (std::int64_t last = 2; last < 60; last += 3) {
            std::set<std::uint64_t> survivors;
            std::mutex guard;
            const auto output = "loss-" + std::to_string(victim) + "-" + std::to_string(last);
            comm::run_in_process(
                3,
                [&](comm::Communicator& ranks) {
                    Observer silent;
                    const auto run = test::run_fake(request_to(output), ranks, silent);
                    const std::lock_guard hold(guard);
                    survivors.insert(run.sum);
                },
                [&](int rank, std::int64_t call) { return rank == victim && call == last; });
            ASSERT_EQ(survivors, (std::set{sum_of_squares})) << output;
            ASSERT_TRUE(compared("alone", output).is_same) << output;
        }
    }
}

TEST_F(FakeJobTest, StopsWhenTheObserverOfAnyRankAsks) {
    comm::run_in_process(3, [&](comm::Communicator& ranks) {
        Recorder recorder(ranks.rank() == 2 ? 3 : 0);
        test::run_fake(request_to("stopped"), ranks, recorder);
        EXPECT_EQ(recorder.steps.size(), 3U);
    });

    const auto comparison = compared("stopped", "stopped");
    EXPECT_FALSE(comparison.is_whole);
}

TEST_F(FakeJobTest, FindsAMissingFileAndAnotherSum) {
    test::run_fake(request_to("other"), *comm::make_local(), alone);
    io::write_file(folder / "other/sum.txt", "7");
    EXPECT_THAT(compared("alone", "other").sentence, HasSubstr("sum"));
    std::filesystem::remove(folder / "other/sum.txt");
    EXPECT_THAT(compared("alone", "other").sentence, HasSubstr("present on one side only"));
}

TEST_F(FakeJobTest, KeepsTheResultOfBeforeWhenAResumeIsRefused) {
    auto request = request_to("alone");
    request.checkpoints.iterations = 1;
    test::run_fake(request, *comm::make_local(), alone);
    test::write_fake_input(folder / "in", numbers + 1);
    request.resume = true;

    EXPECT_THROW(test::run_fake(request, *comm::make_local(), alone), InputError);

    EXPECT_EQ(io::read_file(folder / "alone/sum.txt"), "285");
}

TEST_F(FakeJobTest, MakesAReportByItsWing) {
    const Wing known[] = {test::fake_wing()};

    const auto page = report_with(known, folder / "alone", {});

    EXPECT_THAT(io::read_file(page), HasSubstr("285"));
    EXPECT_THROW(make_report(folder / "alone"), InputError);  // no wing of the program's
}

TEST_F(FakeJobTest, ToldEveryMistakeOfTheInputAtOnce) {
    io::write_file(folder / "in/numbers.txt", "none");

    EXPECT_THROW(test::run_fake(request_to("x"), *comm::make_local(), alone), InputError);
    EXPECT_FALSE(std::filesystem::exists(folder / "x"));
}

}  // namespace
}  // namespace lockstep::app
