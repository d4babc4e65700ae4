#include "lockstep/base/index.hpp"

#include "rl/modes/batch_learner.hpp"
#include "rl/modes/replicated.hpp"

namespace lockstep::rl {
namespace {

/// All environments act by the same values, then the table takes up their transitions in their
/// order.
class Vector final : public Replicated {
public:
    explicit Vector(const ModeContext& context)
        : Replicated(context),
          actors_(context.world.actors(
              context.options, 0, at(context.options.batch_size), context.options.batch_size)),
          learner_(context.world, context.options, context.table),
          transitions_(at(context.options.batch_size)) {}

    void play(std::int64_t transitions_done) override {
        plan(transitions_done, context_.options.batch_size);
        done_ = transitions_done;
    }

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
    void learn(std::int64_t transitions) override {
        for (const auto end = done_ + transitions; done_ < end;
             done_ += context_.options.batch_size) {
            actors_->play(1, context_.table.cells(), transitions_, tally_);
            learner_.learn(transitions_, done_, tally_);
        }
    }

    std::unique_ptr<Actors> actors_;
    BatchLearner learner_;
    std::vector<Transition> transitions_;  // [environments]
    std::int64_t done_ = 0;
};

}  // namespace

std::unique_ptr<LearningMode> make_vector(const ModeContext& context) {
    return std::make_unique<Vector>(context);
}

}  // namespace lockstep::rl
