#include "app/bridge.hpp"

#include <csignal>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/runtime/signals.hpp"

namespace lockstep::app {
namespace {

class Recorder : public RunObserver {
public:
    void on_iteration(const sddp::IterationReport& report) override {
        seen.push_back(report.iteration);
        if (report.iteration == fails_at)
            throw IoError("disk full", IoError::Direction::write);
    }
    std::vector<int> seen;
    int fails_at = -1;
};

sddp::IterationReport iteration(int number) {
    sddp::IterationReport report;
    report.iteration = number;
    return report;
}

TEST(BridgeTest, PassesReportsOn) {
    const runtime::SignalGuard guard;
    Recorder recorder;
    std::vector<int> written;
    Bridge bridge(recorder,
                  [&](const sddp::ScenarioResult& result) { written.push_back(result.scenario); });

    bridge.on_iteration(iteration(1));
    sddp::ScenarioResult result;
    result.scenario = 5;
    bridge.on_scenario(result);

    EXPECT_EQ(recorder.seen, std::vector<int>{1});
    EXPECT_EQ(written, std::vector<int>{5});
    EXPECT_FALSE(bridge.stop_requested());
    EXPECT_NO_THROW(bridge.rethrow());
}

TEST(BridgeTest, KeepsAnExceptionUntilTheEngineIsDone) {
    const runtime::SignalGuard guard;
    Recorder recorder;
    recorder.fails_at = 2;
    Bridge bridge(recorder);

    for (auto number = 1; number <= 3; ++number)
        EXPECT_NO_THROW(bridge.on_iteration(iteration(number)));

    EXPECT_EQ(recorder.seen, (std::vector<int>{1, 2}));
    EXPECT_TRUE(bridge.stop_requested());
    EXPECT_THROW(bridge.rethrow(), IoError);
}

TEST(SignalGuardTest, NotesTheFirstSignalAndEndsTheWork) {
    const runtime::SignalGuard guard;
    RunObserver observer;
    Bridge bridge(observer);
    ASSERT_FALSE(bridge.stop_requested());

    std::raise(SIGTERM);

    EXPECT_EQ(runtime::SignalGuard::received(), SIGTERM);
    EXPECT_TRUE(bridge.stop_requested());
}

TEST(SignalGuardTest, EndsTheProcessAtTheSecondSignal) {
    EXPECT_EXIT(
        {
            const runtime::SignalGuard guard;
            std::raise(SIGINT);
            std::raise(SIGINT);
        },
        testing::KilledBySignal(SIGINT),
        "");
}

TEST(SignalGuardTest, BringsBackTheHandlerOfBefore) {
    std::signal(SIGINT, SIG_IGN);
    { const runtime::SignalGuard guard; }
    EXPECT_EQ(std::signal(SIGINT, SIG_DFL), SIG_IGN);
}

}  // namespace
}  // namespace lockstep::app
