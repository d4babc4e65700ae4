#pragma once

#include <cstdint>
#include <memory>

#include "lockstep/base/problems.hpp"
#include "lockstep/sddp/process.hpp"

#include "sddp/hydro/process/noise/correlation.hpp"
#include "sddp/hydro/process/scenarios/scenario_library.hpp"

namespace lockstep::sddp {

/// What forward trajectories draw from; shared by the samplers of training and simulation.
struct NoiseModel {
    Calendar calendar;
    NoiseLayout layout;
    NoiseCorrelation correlation;
    OpeningTree tree;
    std::uint64_t tree_seed = 0;
};

/// Ready-made scenarios that a source names; empty for classes whose scheme needs none.
struct ScenarioLibraries {
    NoiseLibrary inflow;
    NoiseLibrary load;
    NoiseLibrary source;
};

/// A sampler by the scheme of each class.
///
/// In-sample classes of a (iteration, scenario, stage) share one opening of the tree. Out-of-sample
/// classes draw fresh noise by the stage's method, each from a seed of its own; the stages of a
/// noise group see the same draw. A trajectory keeps to one scenario of a library from the first
/// stage to the last. A class that is not in-sample without a seed is a problem of `config.json`.
std::shared_ptr<const TrajectorySampler> make_sampler(std::shared_ptr<const NoiseModel> model,
                                                      ScenarioLibraries libraries,
                                                      const ScenarioSource& source,
                                                      Problems& problems);

/// Where a trajectory that leaves a node of the stage falls in [0, 1): which arc it takes.
double transition_draw(std::int64_t seed, int iteration, int scenario, int stage);

/// |seed| as Cobre takes it.
std::uint64_t seed_base(std::int64_t seed);

}  // namespace lockstep::sddp
