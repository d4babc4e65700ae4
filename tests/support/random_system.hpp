#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/sddp/problem.hpp"

namespace lockstep::test {

/// A small hydrothermal problem: up to 3 stages of 3 openings, 4 plants, 3 buses and 3 blocks, each
/// feature present with some probability.
///
/// Every stage has an answer from every state within its storage limits. The samplers are a random
/// opening in training and every path of the tree in simulation.
sddp::Problem random_problem(std::uint64_t seed);

/// The first of the random problems from `seed` on that has inflows with memory, of which negative
/// ones are truncated: costs are not convex in the lags.
sddp::Problem truncated_problem(std::uint64_t seed);

/// Names of the features of the model that `problem` uses, each once.
std::vector<std::string> features_of(const sddp::Problem& problem);

/// All names that features_of may return.
std::vector<std::string> all_features();

}  // namespace lockstep::test
