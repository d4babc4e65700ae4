#pragma once

#include <cstdint>

#include "lockstep/sddp/problem.hpp"

namespace lockstep::test {

/// Gives a problem a graph with up to three nodes a stage, which join and part, some of them pinned
/// to an opening of their stage.
void add_random_graph(sddp::Problem& problem, std::uint64_t seed);

/// Gives a problem a tree of nodes that are all pinned.
void add_random_tree(sddp::Problem& problem, std::uint64_t seed);

}  // namespace lockstep::test
