#include "lockstep/sddp/train.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

#include "sddp/passes/training_rounds.hpp"

namespace lockstep::sddp {

namespace {

void check(const TrainOptions& options) {
    if (options.forward_passes < 1)
        throw InputError(
            fmt::format("forward_passes is {} (must be 1 or more)", options.forward_passes));
    const auto is_limit = [](const auto& rule) {
        return rule.kind == StoppingRule::Kind::iteration_limit;
    };
    if (std::none_of(options.stopping.begin(), options.stopping.end(), is_limit))
        throw InputError("stopping rules hold no iteration_limit: training might never end");
    for (const auto& rule : options.stopping)
        if (rule.kind != StoppingRule::Kind::time_limit && rule.iterations < 1)
            throw InputError(fmt::format("a stopping rule has {} iterations (must be 1 or more)",
                                         rule.iterations));
}

}  // namespace

TrainResult train(const Problem& problem,
                  const TrainOptions& options,
                  runtime::Team& team,
                  Observer& observer,
                  const runtime::EngineState* resume_from) {
    check(options);
    return TrainingRounds(problem, options, team, observer, resume_from).run();
}

}  // namespace lockstep::sddp
