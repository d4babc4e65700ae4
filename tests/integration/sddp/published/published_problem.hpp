#pragma once

#include <functional>
#include <string>
#include <vector>

#include "support/linear/linear_problem.hpp"

namespace lockstep::test {

/// A problem of tests/data/sddp/oracles.json.
struct PublishedProblem {
    std::string id;
    std::function<LinearProblem()> problem;
    bool is_maximum = false;     ///< its costs here are what it earns, negated
    int iterations = 100;        ///< at most
    int passes = 1;              ///< an iteration
    bool has_small_tree = true;  ///< all paths fit into one tree
};

std::vector<PublishedProblem> hydro_problems();
std::vector<PublishedProblem> planning_problems();
std::vector<PublishedProblem> finance_problems();
std::vector<PublishedProblem> smps_problems();
std::vector<PublishedProblem> brazilian_problems();
std::vector<PublishedProblem> network_problems();

}  // namespace lockstep::test
