#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "lockstep/runtime/channel.hpp"

#include "runtime/farm/workers.hpp"

namespace lockstep::runtime {

/// Threads of this process, each with an inbox for one task.
class ThreadWorkers final : public Workers {
public:
    ThreadWorkers(TaskFunctions functions, int threads);
    ~ThreadWorkers() override;

    [[nodiscard]] int size() const override { return static_cast<int>(desks_.size()); }
    [[nodiscard]] bool has_function(const std::string& name) const override {
        return functions_.contains(name);
    }
    void start(int worker, Assignment assignment) override;
    std::optional<Report> wait(std::chrono::milliseconds limit) override;
    void ask_to_stop(int worker) override;
    void close() override;

private:
    struct Desk {
        Channel<Assignment> inbox{1};
        std::atomic<bool> stop = false;
    };
    void serve(int worker);

    TaskFunctions functions_;
    Channel<Report> reports_;
    std::vector<std::unique_ptr<Desk>> desks_;
    std::vector<std::thread> threads_;
};

}  // namespace lockstep::runtime
