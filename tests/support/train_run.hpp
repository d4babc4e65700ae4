#pragma once

#include <cstdint>
#include <functional>

#include "lockstep/sddp/train.hpp"

namespace lockstep::test {

/// What must be equal between two ways to run the same job.
struct RunBits {
    Digest train{};
    Digest simulate{};
    double lower_bound = 0;
    double inner_bound = 0;
    double policy_cost = 0;
    friend bool operator==(const RunBits&, const RunBits&) = default;
};

inline sddp::TrainOptions with_iterations(sddp::TrainOptions options, int iterations) {
    options.stopping = {{sddp::StoppingRule::Kind::iteration_limit, iterations, 0, 0}};
    return options;
}

/// Trains on one rank and thread.
inline sddp::TrainResult train_alone(const sddp::Problem& problem,
                                     const sddp::TrainOptions& options) {
    const auto communicator = comm::make_local();
    runtime::ThreadTeam threads(1);
    runtime::Team team{*communicator, threads};
    sddp::Observer silent;
    return sddp::train(problem, options, team, silent);
}

/// Trains and simulates on threads that are ranks.
/// @param dies  as of comm::run_in_process; survivors go on
inline RunBits run_bits(const sddp::Problem& problem,
                        const sddp::TrainOptions& options,
                        int scenarios,
                        int ranks,
                        int threads,
                        const std::function<bool(int, std::int64_t)>& dies = {}) {
    RunBits bits;
    comm::run_in_process(
        ranks,
        [&](comm::Communicator& communicator) {
            runtime::ThreadTeam thread_team(threads);
            runtime::Team team{
                communicator, thread_team, runtime::Survival([](const runtime::Loss&) {})};
            sddp::Observer silent;
            const auto trained = sddp::train(problem, options, team, silent);
            sddp::SimulateOptions simulate;
            simulate.scenarios = scenarios;
            simulate.solver = options.solver;
            simulate.tolerances = options.tolerances;
            simulate.speed = options.speed;
            const auto simulated = sddp::simulate(problem, trained.policy, simulate, team, silent);
            if (communicator.rank() == 0) {
                bits = {trained.digest,
                        simulated.digest,
                        trained.lower_bound,
                        trained.iterations.back().inner_bound,
                        trained.iterations.back().policy_cost};
            }
        },
        dies);
    return bits;
}

}  // namespace lockstep::test
