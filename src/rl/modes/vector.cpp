#include <algorithm>
#include <utility>

#include "lockstep/base/index.hpp"
#include "lockstep/base/stopwatch.hpp"

#include "rl/modes/batch_learner.hpp"
#include "rl/modes/learning_mode.hpp"

namespace lockstep::rl {
namespace {

/// All environments act by the same values, then the table takes up their transitions in their
/// order. Every rank does the same.
class Vector final : public LearningMode {
public:
    explicit Vector(const ModeContext& context)
        : context_(context),
          actors_(context.world.actors(
              context.options, 0, at(context.options.batch_size), context.options.batch_size)),
          learner_(context.world, context.options, context.table),
          transitions_(at(context.options.batch_size)) {}

    void play(std::int64_t transitions_done) override {
        const std::int64_t batch = context_.options.batch_size;
        const auto left = (context_.options.steps - transitions_done + batch - 1) / batch;
        planned_ = std::min(std::max<std::int64_t>(transitions_of_a_round / batch, 1), left);
        done_ = transitions_done;
    }

    [[nodiscard]] std::int64_t planned() const override {
        return planned_ * context_.options.batch_size;
    }

    // Nothing that a lost rank could take with it: so it is done once it is final.
    void commit() override {
        const Stopwatch clock;
        for (std::int64_t i = 0; i < planned_; ++i) {
            actors_->play(1, context_.table.cells(), transitions_, tally_);
            learner_.learn(transitions_, done_, tally_);
            done_ += context_.options.batch_size;
        }
        figures_.learn_seconds += clock.seconds();
        figures_.transitions += planned_ * context_.options.batch_size;
    }

    [[nodiscard]] Counts counts() const override { return tally_; }
    void add_returns(std::vector<double>& returns) const override { add_last(tally_, returns); }
    ModeFigures take_figures() override { return std::exchange(figures_, {}); }

    void save(ByteWriter& bytes) override {
        bytes.add(tally_);
        actors_->save(bytes);
        learner_.save(bytes);
    }
    void load(ByteReader& bytes) override {
        tally_ = bytes.read<Tally>();
        actors_->load(bytes);
        learner_.load(bytes);
    }

private:
    static constexpr std::int64_t transitions_of_a_round = 1 << 16;

    ModeContext context_;
    std::unique_ptr<Actors> actors_;
    BatchLearner learner_;
    std::vector<Transition> transitions_;  // [environments]
    std::int64_t planned_ = 0;             // lock steps of the pending round
    std::int64_t done_ = 0;
    Tally tally_;
    ModeFigures figures_;
};

}  // namespace

std::unique_ptr<LearningMode> make_vector(const ModeContext& context) {
    return std::make_unique<Vector>(context);
}

}  // namespace lockstep::rl
