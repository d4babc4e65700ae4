#include "lockstep/app/xpcs/batch.hpp"

#include <mutex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/app/compare.hpp"
#include "lockstep/app/report.hpp"
#include "lockstep/app/xpcs/analyse.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/formats/records/output_metadata.hpp"

#include "unit/app/xpcs/batch/scans.hpp"

namespace lockstep::app {
namespace {

using formats::xpcs::BatchStatus;
using testing::Contains;
using testing::HasSubstr;

/// Keeps what it is told, and asks for a stop once it has heard of so many datasets.
class Listener : public Observer {
public:
    explicit Listener(int most = 1000) : left_(most) {}
    void on_notice(Notice kind, const std::string& text) override {
        (kind == Notice::trouble ? trouble : news).push_back(text);
        left_ -= kind == Notice::news ? 1 : 0;
    }
    bool stop_requested() override { return left_ <= 0; }

    std::vector<std::string> news;
    std::vector<std::string> trouble;

private:
    int left_;
};

class BatchTest : public testing::Test {
protected:
    void SetUp() override { scans_.add_some(); }

    BatchOutcome run(const BatchRequest& request) {
        Listener nobody;
        return analyse_batch(request, *comm::make_local(), nobody);
    }
    static int count(const BatchOutcome& outcome, BatchStatus status) {
        return outcome.record.count(status);
    }

    Scans scans_;
};

TEST_F(BatchTest, EachDatasetHasTheBitsThatItHasAlone) {
    const auto request = scans_.request();
    Listener listener;

    const auto outcome = analyse_batch(request, *comm::make_local(), listener);

    EXPECT_EQ(count(outcome, BatchStatus::done), 5);
    EXPECT_EQ(count(outcome, BatchStatus::failed), 1);
    EXPECT_EQ(listener.news.size(), 5U);
    EXPECT_THAT(listener.trouble, Contains(HasSubstr("scan_13: failed: ")));
    for (const int frames : {12, 16, 20}) {
        const auto name = "scan_" + std::to_string(frames);
        auto alone = request.each;
        alone.run.input = scans_.in() / (name + ".yaml");
        alone.run.output = scans_.out("alone-" + name);
        Observer nobody;
        analyse_measurement(alone, *comm::make_local(), nobody);

        EXPECT_TRUE(compare(alone.run.output, scans_.out() / name, Depth::files).is_same) << name;
    }
    EXPECT_THAT(io::read_file(scans_.out() / "report.html"), HasSubstr("scan_16"));
    EXPECT_TRUE(std::filesystem::exists(scans_.out() / "timeline.json"));
    make_report(scans_.out(), scans_.out("page.html"));
    EXPECT_EQ(io::read_file(scans_.out("page.html")), io::read_file(scans_.out() / "report.html"));
}

TEST_F(BatchTest, RanksShareTheDatasetsAndChangeNoBit) {
    run(scans_.request("one"));
    for (const int ranks : {2, 3, 7}) {
        const auto name = "on" + std::to_string(ranks);
        std::mutex mutex;
        std::vector<BatchOutcome> outcomes;
        comm::run_in_process(ranks, [&](comm::Communicator& communicator) {
            Listener nobody;
            auto outcome = analyse_batch(scans_.request(name), communicator, nobody);
            const std::lock_guard lock(mutex);
            outcomes.push_back(std::move(outcome));
        });
        EXPECT_TRUE(compare(scans_.out("one"), scans_.out(name), Depth::files).is_same);
        for (const auto& outcome : outcomes) {
            EXPECT_EQ(count(outcome, BatchStatus::done), 5);
        }
        EXPECT_EQ(outcomes[0].record.datasets.size(), 6U);
    }
}

TEST_F(BatchTest, SurvivorsDoWhatALostRankHasNotDone) {
    run(scans_.request("one"));
    for (const std::int64_t last : {8, 12, 16, 20}) {
        const auto name = "lost" + std::to_string(last);
        comm::run_in_process(
            3,
            [&](comm::Communicator& communicator) {
                Listener nobody;
                analyse_batch(scans_.request(name), communicator, nobody);
            },
            [&](int rank, std::int64_t collective) { return rank == 1 && collective == last; });
        EXPECT_TRUE(compare(scans_.out("one"), scans_.out(name), Depth::files).is_same) << last;
    }
}

TEST_F(BatchTest, AStopLeavesWhatAResumeCompletes) {
    run(scans_.request("one"));
    Listener impatient(1);
    const auto stopped = analyse_batch(scans_.request(), *comm::make_local(), impatient);
    EXPECT_GE(count(stopped, BatchStatus::done), 1);
    EXPECT_GE(count(stopped, BatchStatus::not_begun), 1);

    auto request = scans_.request();
    request.each.run.resume = true;
    const auto resumed = run(request);

    EXPECT_EQ(count(resumed, BatchStatus::kept), count(stopped, BatchStatus::done));
    EXPECT_EQ(count(resumed, BatchStatus::kept) + count(resumed, BatchStatus::done), 5);
    EXPECT_TRUE(compare(scans_.out("one"), scans_.out(), Depth::files).is_same);
}

TEST_F(BatchTest, AResumeKeepsOnlyWhatTheSameInputAndOptionsMade) {
    auto request = scans_.request();
    run(request);
    request.each.run.resume = true;
    EXPECT_EQ(count(run(request), BatchStatus::kept), 5);

    scans_.add("scan_16", 15);                                        // another input
    std::filesystem::remove(scans_.out() / "scan_18/metadata.json");  // results that are gone
    const auto again = run(request);
    EXPECT_EQ(count(again, BatchStatus::kept), 3);
    EXPECT_EQ(count(again, BatchStatus::done), 2);
    EXPECT_EQ(again.record.datasets[3].name, "scan_16");
    EXPECT_EQ(again.record.datasets[3].status, BatchStatus::done);

    request.each.seed = 7;
    EXPECT_EQ(count(run(request), BatchStatus::done), 5);
    request.each.run.resume = false;
    EXPECT_EQ(count(run(request), BatchStatus::done), 5);
}

TEST_F(BatchTest, AMistakeInTheOneConfigurationIsToldOnce) {
    auto request = scans_.request();
    request.each.run.input = scans_.in() / "scan_13.yaml";
    request.inputs = {(scans_.in() / "scan_12.yaml").string()};
    EXPECT_THROW(run(request), InputError);
    EXPECT_FALSE(std::filesystem::exists(scans_.out()));
}

}  // namespace
}  // namespace lockstep::app
