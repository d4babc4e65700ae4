#include <utility>

#include "runtime/farm/workers.hpp"

namespace lockstep::runtime {
namespace {

/// The calling thread, which works when it waits.
class SequentialWorkers final : public Workers {
public:
    explicit SequentialWorkers(TaskFunctions functions) : functions_(std::move(functions)) {}

    [[nodiscard]] int size() const override { return 1; }
    [[nodiscard]] bool has_function(const std::string& name) const override {
        return functions_.contains(name);
    }
    void start(int, Assignment assignment) override { assignment_ = std::move(assignment); }
    std::optional<Report> wait(std::chrono::milliseconds) override {
        if (!assignment_) {
            return {};
        }
        auto report = run_task(functions_, *assignment_, 0, stop_);
        assignment_.reset();
        stop_ = false;
        return report;
    }
    void ask_to_stop(int) override { stop_ = true; }
    void close() override {}

private:
    TaskFunctions functions_;
    std::optional<Assignment> assignment_;
    std::atomic<bool> stop_ = false;
};

}  // namespace

std::unique_ptr<TaskFarm> make_sequential_farm(TaskFunctions functions) {
    return std::make_unique<TaskFarm>(
        "sequential", std::make_unique<SequentialWorkers>(std::move(functions)), FarmOptions{});
}

}  // namespace lockstep::runtime
