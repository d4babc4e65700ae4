#include "app/sddp/bridge.hpp"

#include <csignal>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/comm/communicator.hpp"
#include "lockstep/runtime/signals.hpp"

namespace lockstep::app {
namespace {

class Recorder : public Observer {
public:
    void on_progress(const Progress& progress) override {
        seen.push_back(static_cast<int>(progress.done));
        figures.clear();
        for (const auto& figure : progress.figures) {
            figures.insert(figure.name);
        }
        if (progress.done == fails_at) {
            throw IoError("disk full", IoError::Direction::write);
        }
    }
    std::vector<int> seen;
    std::set<std::string> figures;
    int fails_at = -1;
};

sddp::IterationReport iteration(int number) {
    sddp::IterationReport report;
    report.iteration = number;
    return report;
}

RunRequest one_thread() {
    RunRequest request;
    request.threads = 1;
    return request;
}

class BridgeTest : public testing::Test {
protected:
    RunRequest request = one_thread();
    std::unique_ptr<comm::Communicator> ranks = comm::make_local();
    Recorder recorder;
    Job job{request, "sddp", *ranks, recorder};
    sddp::TrainOptions options;
};

TEST_F(BridgeTest, PassesReportsOn) {
    std::vector<int> written;
    Bridge bridge(job, options, [&](const sddp::ScenarioResult& result) {
        written.push_back(result.scenario);
    });

    bridge.on_iteration(iteration(1));
    sddp::ScenarioResult result;
    result.scenario = 5;
    bridge.on_scenario(result);

    EXPECT_EQ(recorder.seen, std::vector<int>{1});
    EXPECT_EQ(written, std::vector<int>{5});
    EXPECT_FALSE(bridge.stop_requested());
    EXPECT_NO_THROW(bridge.rethrow());
}

TEST_F(BridgeTest, TellsNoGapWhereAMeanIsNoUpperBound) {
    Bridge(job, options).on_iteration(iteration(1));
    EXPECT_EQ(recorder.figures.count("gap"), 1U);

    Bridge(job, options, {}, {}, true).on_iteration(iteration(1));
    EXPECT_EQ(recorder.figures.count("gap"), 0U);
    EXPECT_EQ(recorder.figures.count("upper_bound"), 1U);
}

TEST_F(BridgeTest, KeepsAnExceptionUntilTheEngineIsDone) {
    recorder.fails_at = 2;
    Bridge bridge(job, options);

    for (auto number = 1; number <= 3; ++number) {
        EXPECT_NO_THROW(bridge.on_iteration(iteration(number)));
    }

    EXPECT_EQ(recorder.seen, (std::vector<int>{1, 2}));
    EXPECT_TRUE(bridge.stop_requested());
    EXPECT_THROW(bridge.rethrow(), IoError);
}

TEST_F(BridgeTest, EndsTheWorkAtASignal) {
    const runtime::SignalGuard guard;  // a job has one once it has claimed its output
    Bridge bridge(job, options);
    ASSERT_FALSE(bridge.stop_requested());

    std::raise(SIGTERM);

    EXPECT_EQ(runtime::SignalGuard::received(), SIGTERM);
    EXPECT_TRUE(bridge.stop_requested());
}

}  // namespace
}  // namespace lockstep::app
