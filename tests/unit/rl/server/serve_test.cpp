#include "lockstep/rl/serve.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/rl/learning.hpp"

namespace lockstep {
namespace {

using rl::LearnOptions;
using rl::RemoteWorker;
using test::lake;

LearnOptions options_of(int staleness) {
    LearnOptions options;
    options.mode = rl::Mode::server;
    options.steps = 3'000'017;
    options.sync_frequency = 2000;
    options.staleness = staleness;
    options.exploration.level = rl::parse_schedule("0.3");
    options.seed = 3;
    return options;
}

comm::HubConfig hub_at(int port) {
    comm::HubConfig config;
    config.port = port;
    config.token = "secret";
    config.connect_timeout_ms = 20'000;
    return config;
}

const std::vector<std::byte> task{std::byte{1}, std::byte{2}};

rl::LearnResult serve_on(comm::HubServer& hub,
                         const LearnOptions& options,
                         rl::LearnObserver& observer,
                         const runtime::EngineState* resume_from = nullptr) {
    const auto world = lake();
    const auto ranks = comm::make_local();
    runtime::ThreadTeam threads(1);
    runtime::Team team{*ranks, threads};
    return rl::serve(*world, options, team, hub, task, observer, resume_from);
}

void expect_each_transition_once(const rl::LearnResult& result, const LearnOptions& options) {
    EXPECT_EQ(result.transitions, options.steps);
    EXPECT_EQ(
        std::accumulate(result.table.visits.begin(), result.table.visits.end(), std::int64_t{0}),
        options.steps);
}

// golden.json: FrozenLake 4x4, discount 0.99
void expect_it_has_learned(const rl::LearnResult& result) {
    const double start =
        *std::max_element(result.table.values.begin(), result.table.values.begin() + 4);
    EXPECT_NEAR(start, 0.542026, 0.04);
}

// Rounds have the bits of allreduce; else the last digits depend on time.
void expect_what_staleness_promises(const rl::LearnResult& result, const LearnOptions& options) {
    if (options.staleness == 0) {
        auto rounds = options;
        rounds.mode = rl::Mode::allreduce;
        EXPECT_EQ(result.digest, test::learn_alone(*lake(), rounds).digest);
    } else {
        expect_it_has_learned(result);
    }
}

/// A worker in a process of its own, which may be killed. Made before any thread is.
class WorkerProcess {
public:
    /// @param slow  microseconds of sleep between leases
    WorkerProcess(int port, const LearnOptions& options, int delay_ms = 0, int slow_us = 0)
        : pid_(fork()) {
        if (pid_ == 0) {
            for (int fd = 3; fd < 1024; ++fd) {
                close(fd);  // among them the hub's
            }
            _exit(run(port, options, delay_ms, slow_us));
        }
    }
    ~WorkerProcess() { static_cast<void>(end()); }
    WorkerProcess(const WorkerProcess&) = delete;
    WorkerProcess& operator=(const WorkerProcess&) = delete;

    void kill() { ::kill(pid_, SIGKILL); }
    /// Its exit code; -1: it was killed.
    int end() {
        if (pid_ > 0) {
            int status = 0;
            waitpid(std::exchange(pid_, 0), &status, 0);
            code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        }
        return code_;
    }

private:
    static int run(int port, const LearnOptions& options, int delay_ms, int slow_us) {
        try {
            std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms));
            const auto world = lake();
            runtime::ThreadTeam threads(1);
            RemoteWorker worker(hub_at(port));
            worker.work(*world, options, threads, [&] {
                std::this_thread::sleep_for(std::chrono::microseconds(slow_us));
                return false;
            });
            return worker.task() == task ? 0 : 2;
        } catch (const Error& error) {
            return error.exit_code();
        }
    }
    pid_t pid_;
    int code_ = 0;
};

/// Calls back when so many transitions count.
class At final : public rl::LearnObserver {
public:
    At(std::int64_t transitions, std::function<void()> act)
        : transitions_(transitions), act_(std::move(act)) {}
    bool wants_report(double, std::int64_t) override { return true; }
    void on_report(const rl::LearnReport& report, const std::function<rl::QTable()>&) override {
        most_workers = std::max(most_workers, report.workers_alive);
        last = report;
        if (act_ && report.transitions >= transitions_) {
            std::exchange(act_, {})();
        }
    }
    int most_workers = 0;
    rl::LearnReport last;

private:
    std::int64_t transitions_;
    std::function<void()> act_;
};

struct Killed {};

/// Keeps one checkpoint, and is killed later: what counted in between is forgotten.
class Doomed final : public rl::LearnObserver {
public:
    Doomed(std::int64_t kept_at, std::int64_t killed_at)
        : kept_at_(kept_at), killed_at_(killed_at) {}
    bool wants_report(double, std::int64_t) override { return true; }
    void on_report(const rl::LearnReport& report, const std::function<rl::QTable()>&) override {
        if (report.transitions >= killed_at_) {
            throw Killed();
        }
    }
    bool wants_checkpoint(double, std::int64_t transitions) override {
        return checkpoint == nullptr && transitions >= kept_at_;
    }
    void on_checkpoint(const runtime::EngineState& state) override {
        checkpoint = std::make_unique<test::KeptState>(state);
    }
    std::unique_ptr<test::KeptState> checkpoint;

private:
    std::int64_t kept_at_;
    std::int64_t killed_at_;
};

class ServeTest : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(AcceptanceRow7, ServeTest, testing::Values(0, 1, -1));

TEST_P(ServeTest, WorkersComeAndLeaveAtAnyTime) {
    const auto options = options_of(GetParam());
    comm::HubServer hub(hub_at(0));
    WorkerProcess first(hub.port(), options, 0, 2000);
    WorkerProcess killed(hub.port(), options, 0, 2000);
    WorkerProcess slow(hub.port(), options, 0, 8000);
    WorkerProcess late(hub.port(), options, 300, 2000);
    At observer(options.steps / 4, [&] { killed.kill(); });
    const auto result = serve_on(hub, options, observer);
    expect_each_transition_once(result, options);
    EXPECT_EQ(killed.end(), -1);
    EXPECT_EQ(first.end(), 0);
    EXPECT_EQ(slow.end(), 0);
    EXPECT_EQ(late.end(), 0);
    EXPECT_GE(observer.most_workers, 3);
    EXPECT_GT(observer.last.bytes_sent, 0);
    expect_what_staleness_promises(result, options);
}

TEST_P(ServeTest, GoesOnWithItsWorkersWhenTheServerIsKilled) {
    const auto options = options_of(GetParam());
    std::optional<comm::HubServer> hub(std::in_place, hub_at(0));
    const int port = hub->port();
    WorkerProcess one(port, options, 0, 2000);
    WorkerProcess two(port, options, 0, 2000);
    Doomed doomed(options.steps / 5, options.steps / 2);
    EXPECT_THROW(serve_on(*hub, options, doomed), Killed);
    ASSERT_NE(doomed.checkpoint, nullptr);
    hub.reset();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    hub.emplace(hub_at(port));
    At observer(0, {});
    const auto result = serve_on(*hub, options, observer, doomed.checkpoint.get());
    expect_each_transition_once(result, options);
    EXPECT_EQ(one.end(), 0);
    EXPECT_EQ(two.end(), 0);
    expect_what_staleness_promises(result, options);
}

TEST(Serve, RefusesAWorkerThatLearnsSomethingElse) {
    auto options = options_of(1);
    options.steps = 20'000;
    comm::HubServer hub(hub_at(0));
    auto other = options;
    other.discount_factor = 0.5;
    WorkerProcess wrong(hub.port(), other);
    WorkerProcess right(hub.port(), options, 300);
    At observer(0, {});
    expect_each_transition_once(serve_on(hub, options, observer), options);
    EXPECT_EQ(wrong.end(), 65);
    EXPECT_EQ(right.end(), 0);
}

}  // namespace
}  // namespace lockstep
