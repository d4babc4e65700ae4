#include "rl/modes/replicated.hpp"

namespace lockstep::rl {
namespace {

class Serial final : public Replicated {
public:
    explicit Serial(const ModeContext& context)
        : Replicated(context), learner_(context.world.learner(context.options, 0, 1)) {}

    void play(std::int64_t transitions_done) override { plan(transitions_done, 1); }

    void save(ByteWriter& bytes) override {
        bytes.add(tally_);
        learner_->save(bytes);
    }
    void load(ByteReader& bytes) override {
        tally_ = bytes.read<Tally>();
        learner_->load(bytes);
    }

private:
    void learn(std::int64_t transitions) override {
        learner_->run(transitions, context_.table.cells(), Access::own, tally_);
    }

    std::unique_ptr<Learner> learner_;
};

}  // namespace

std::unique_ptr<LearningMode> make_serial(const ModeContext& context) {
    return std::make_unique<Serial>(context);
}

}  // namespace lockstep::rl
