#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/comm/communicator.hpp"
#include "lockstep/rl/learn.hpp"

namespace lockstep::test {

/// FrozenLake 4x4, slippery.
inline std::unique_ptr<rl::World> lake() {
    return rl::make_world(rl::make_environment("FrozenLake-v1"));
}

/// A checkpoint in memory.
class KeptState final : public runtime::EngineState {
public:
    explicit KeptState(const runtime::EngineState& state)
        : engine_(state.engine()), iteration_(state.iteration()) {
        for (int i = 0; i < state.parts(); ++i) {
            parts_.push_back(state.part(i));
        }
    }
    [[nodiscard]] const char* engine() const override { return engine_.c_str(); }
    [[nodiscard]] int iteration() const override { return iteration_; }
    [[nodiscard]] int parts() const override { return static_cast<int>(parts_.size()); }
    [[nodiscard]] std::vector<std::byte> part(int index) const override {
        return parts_[static_cast<std::size_t>(index)];
    }

private:
    std::string engine_;
    int iteration_;
    std::vector<std::vector<std::byte>> parts_;
};

/// Keeps reports, and the newest checkpoint of those that are due every so many transitions.
class LearnWatch final : public rl::LearnObserver {
public:
    bool wants_report(double, std::int64_t transitions) override {
        return report_every > 0 && transitions >= report_every;
    }
    void on_report(const rl::LearnReport& report, const std::function<rl::QTable()>&) override {
        reports.push_back(report);
    }
    bool wants_checkpoint(double, std::int64_t transitions) override {
        return checkpoint_every > 0 && transitions >= checkpoint_every;
    }
    void on_checkpoint(const runtime::EngineState& state) override {
        checkpoint = std::make_unique<KeptState>(state);
        ++checkpoints;
    }
    bool stop_requested() override {
        return stop_at_checkpoint > 0 && checkpoints >= stop_at_checkpoint;
    }

    std::int64_t report_every = 0;
    std::int64_t checkpoint_every = 0;
    int stop_at_checkpoint = 0;
    int checkpoints = 0;
    std::vector<rl::LearnReport> reports;
    std::unique_ptr<KeptState> checkpoint;
};

/// learn() on this thread's process alone.
inline rl::LearnResult learn_alone(const rl::World& world,
                                   const rl::LearnOptions& options,
                                   int threads = 1,
                                   rl::LearnObserver* observer = nullptr,
                                   const runtime::EngineState* resume_from = nullptr) {
    const auto ranks = comm::make_local();
    runtime::ThreadTeam team_threads(threads);
    runtime::Team team{*ranks, team_threads};
    rl::LearnObserver quiet;
    return rl::learn(world, options, team, observer == nullptr ? quiet : *observer, resume_from);
}

/// learn() on ranks that are threads of this process: the results of all of them that live on.
inline std::vector<rl::LearnResult> learn_on_ranks(
    const rl::World& world,
    const rl::LearnOptions& options,
    int ranks,
    int threads = 1,
    const std::function<bool(int rank, std::int64_t collective)>& dies = {},
    const runtime::EngineState* resume_from = nullptr) {
    std::mutex mutex;
    std::vector<rl::LearnResult> results;
    comm::run_in_process(
        ranks,
        [&](comm::Communicator& communicator) {
            runtime::ThreadTeam team_threads(threads);
            runtime::Team team{
                communicator, team_threads, runtime::Survival([](const runtime::Loss&) {})};
            rl::LearnObserver quiet;
            auto result = rl::learn(world, options, team, quiet, resume_from);
            const std::lock_guard lock(mutex);
            results.push_back(std::move(result));
        },
        dies);
    return results;
}

}  // namespace lockstep::test
