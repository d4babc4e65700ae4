#include "lockstep/sddp/train.hpp"

#include "sddp/passes/training_rounds.hpp"

namespace lockstep::sddp {

TrainResult train(const Problem& problem,
                  const TrainOptions& options,
                  runtime::Team& team,
                  Observer& observer,
                  const runtime::EngineState* resume_from) {
    options.validate();
    return TrainingRounds(problem, options, team, observer, resume_from).run();
}

}  // namespace lockstep::sddp
