#include "lockstep/sddp/train.hpp"

#include <utility>

#include "sddp/hydro/hydro_model.hpp"
#include "sddp/passes/runs/option_checks.hpp"
#include "sddp/passes/runs/simulation.hpp"
#include "sddp/passes/runs/training_rounds.hpp"

namespace lockstep::sddp {

void require_fit(const Problem& problem, const TrainOptions& options) {
    options.validate();
    require_fit(HydroModel(problem, options.speed), options);
}

TrainResult train(const Problem& problem,
                  const TrainOptions& options,
                  runtime::Team& team,
                  Observer& observer,
                  const runtime::EngineState* resume_from,
                  EarlierTraining earlier) {
    options.validate();
    HydroModel model(problem, options.speed);
    return TrainingRounds(model, options, team, observer, resume_from, std::move(earlier)).run();
}

SimulateResult simulate(const Problem& problem,
                        Policy policy,
                        const SimulateOptions& options,
                        runtime::Team& team,
                        Observer& observer) {
    options.validate();
    HydroModel model(problem, options.speed);
    return run_simulation(model, std::move(policy), options, team, observer);
}

}  // namespace lockstep::sddp
