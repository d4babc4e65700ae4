#include "lockstep/base/index.hpp"
#include "lockstep/sddp/train.hpp"

#include "sddp/hydro/process/realisation.hpp"

namespace lockstep::sddp {

namespace {

// Curtailing all that is available, the mean over the stage's openings.
double mean_cost(const Problem& problem, int stage) {
    const auto& here = problem.calendar.stages[at(stage)];
    const int openings = problem.process.tree.count[at(stage)];
    const std::vector<double> lags(problem.process.inflow.initial_lags.size(), 0.0);
    Realisation realisation;
    double mean = 0;
    for (int opening = 0; opening < openings; ++opening) {
        realise(problem, stage, lags, problem.process.tree.noise(stage, opening), realisation);
        std::size_t index = 0;
        for (const auto& source : problem.system.sources) {
            for (int k = 0; k < static_cast<int>(here.blocks.size()); ++k) {
                mean += source.curtailment_cost(stage, k) * here.blocks[at(k)].hours *
                        realisation.available[index++] / openings;
            }
        }
    }
    return mean;
}

}  // namespace

double curtailment_constant(const Problem& problem) {
    double total = 0;
    double weight = 1;
    for (int t = 0; t < problem.stage_count(); ++t) {
        total += weight * mean_cost(problem, t);
        weight *= problem.calendar.stages[at(t)].discount_factor();
    }
    return total;
}

}  // namespace lockstep::sddp
