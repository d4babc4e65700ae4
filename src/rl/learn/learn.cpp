#include "lockstep/rl/learn.hpp"

#include "rl/learn/training.hpp"

namespace lockstep::rl {
namespace {

std::unique_ptr<LearningMode> make_mode(const ModeContext& context) {
    switch (context.options.mode) {
        case Mode::serial:
            return make_serial(context);
        case Mode::threads:
        case Mode::allreduce:
            return context.options.overlap ? make_overlapped(context) : make_workers(context);
        case Mode::hogwild:
            return make_hogwild(context);
        case Mode::vector:
            return make_vector(context);
        case Mode::server:
            return make_server(context);
        case Mode::actor_learner:
            break;
    }
    return make_actor_learner(context);
}

}  // namespace

// With overlap ranks are in different rounds.
bool can_share_table(const LearnOptions& options) noexcept {
    return (options.mode == Mode::threads || options.mode == Mode::allreduce) && !options.overlap;
}

LearnResult learn(const World& world,
                  const LearnOptions& options,
                  runtime::Team& team,
                  LearnObserver& observer,
                  const runtime::EngineState* resume_from) {
    options.validate();
    return Training(world, options, team, observer, make_mode, resume_from).run();
}

}  // namespace lockstep::rl
