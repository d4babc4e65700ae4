#include <algorithm>
#include <utility>

#include "lockstep/base/stopwatch.hpp"

#include "rl/modes/learning_mode.hpp"

namespace lockstep::rl {
namespace {

/// Every rank does the same.
class Serial final : public LearningMode {
public:
    explicit Serial(const ModeContext& context)
        : context_(context), learner_(context.world.learner(context.options, 0, 1)) {}

    void play(std::int64_t transitions_done) override {
        planned_ = std::min(transitions_of_a_round, context_.options.steps - transitions_done);
    }

    [[nodiscard]] std::int64_t planned() const override { return planned_; }

    // Nothing that a lost rank could take with it: so it is done once it is final.
    void commit() override {
        const Stopwatch clock;
        learner_->run(planned_, context_.table.cells(), Access::own, tally_);
        figures_.learn_seconds += clock.seconds();
        figures_.transitions += planned_;
    }

    [[nodiscard]] Counts counts() const override { return tally_; }
    void add_returns(std::vector<double>& returns) const override { add_last(tally_, returns); }
    ModeFigures take_figures() override { return std::exchange(figures_, {}); }

    void save(ByteWriter& bytes) override {
        bytes.add(tally_);
        learner_->save(bytes);
    }
    void load(ByteReader& bytes) override {
        tally_ = bytes.read<Tally>();
        learner_->load(bytes);
    }

private:
    static constexpr std::int64_t transitions_of_a_round = 1 << 16;

    ModeContext context_;
    std::unique_ptr<Learner> learner_;
    std::int64_t planned_ = 0;
    Tally tally_;
    ModeFigures figures_;
};

}  // namespace

std::unique_ptr<LearningMode> make_serial(const ModeContext& context) {
    return std::make_unique<Serial>(context);
}

}  // namespace lockstep::rl
