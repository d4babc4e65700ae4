#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "runtime/farm/dispatcher.hpp"

namespace lockstep::runtime {

/// A batch on its way through the dispatcher: what may begin, what is handed over, in which order.
class BatchRun {
public:
    BatchRun(Dispatcher& dispatcher, const TaskBatch& batch, const FarmObserver& observer);

    /// Returns, or throws, when nothing of the batch runs any more.
    void run();

private:
    void advance();
    void admit();
    void add(std::int64_t number);
    void cancel_rest();
    void abandon() noexcept;
    void hand_over();
    void hand_over(TaskResult&& result);
    [[nodiscard]] std::int64_t bound() const;

    Dispatcher& dispatcher_;
    const TaskBatch& batch_;
    const FarmObserver& observer_;
    Dispatcher::Clock::time_point start_ = Dispatcher::Clock::now();
    std::int64_t next_ = 0;                         // to be admitted
    std::int64_t lowest_ = 0;                       // all below were handed over
    std::map<std::int64_t, std::int64_t> tickets_;  // of those under way, by number
    std::map<std::int64_t, TaskResult> ready_;      // by number
    std::set<std::int64_t> ahead_;                  // above lowest_, and handed over
    bool is_cancelled_ = false;
    FarmProgress progress_;
};

}  // namespace lockstep::runtime
