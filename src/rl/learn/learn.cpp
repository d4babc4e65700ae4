#include "lockstep/rl/learn.hpp"

#include "rl/learn/training.hpp"

namespace lockstep::rl {

LearnResult learn(const World& world,
                  const LearnOptions& options,
                  runtime::Team& team,
                  LearnObserver& observer,
                  const runtime::EngineState* resume_from) {
    options.validate();
    return Training(world, options, team, observer, resume_from).run();
}

}  // namespace lockstep::rl
