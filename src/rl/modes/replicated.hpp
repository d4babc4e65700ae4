#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "lockstep/base/stopwatch.hpp"

#include "rl/modes/learning_mode.hpp"

namespace lockstep::rl {

/// A mode in which every rank does the same. There is nothing that a lost rank could take with it:
/// so a round is done once it is final.
class Replicated : public LearningMode {
public:
    explicit Replicated(const ModeContext& context) : context_(context) {}

    [[nodiscard]] std::int64_t planned() const final { return planned_; }
    void commit() final {
        const Stopwatch clock;
        learn(planned_);
        figures_.learn_seconds += clock.seconds();
        figures_.transitions += planned_;
    }

    [[nodiscard]] Counts counts() const final { return static_cast<const Counts&>(tally_); }
    void add_returns(std::vector<double>& returns) const final { add_last(tally_, returns); }
    ModeFigures take_figures() final { return std::exchange(figures_, {}); }

protected:
    /// In steps of so many transitions each.
    void plan(std::int64_t transitions_done, std::int64_t batch) {
        const auto left = (context_.options.steps - transitions_done + batch - 1) / batch;
        const auto most = std::max<std::int64_t>(transitions_of_a_round / batch, 1);
        planned_ = std::min(most, left) * batch;
    }
    virtual void learn(std::int64_t transitions) = 0;

    ModeContext context_;
    Tally tally_;

private:
    static constexpr std::int64_t transitions_of_a_round = 1 << 16;

    std::int64_t planned_ = 0;
    ModeFigures figures_;
};

}  // namespace lockstep::rl
