#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/rl/model.hpp"

namespace lockstep::test {

/// Optimal values of a model that nobody here computed (tests/data/rl/README.md).
struct ExactValues {
    double gamma = 1;
    std::vector<double> value;
    std::vector<std::int64_t> optimal;  ///< a bit for each action
};
struct ExactModel {
    std::string name;
    rl::Model model;
    std::vector<ExactValues> values;
};
std::vector<ExactModel> exact_models();

}  // namespace lockstep::test
