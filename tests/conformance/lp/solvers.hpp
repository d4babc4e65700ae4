#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/lp/solver.hpp"

namespace lockstep::lp::testing {

inline std::vector<SolverKind> built_solvers() {
    std::vector<SolverKind> built;
    for (const SolverKind kind : {SolverKind::highs, SolverKind::clp}) {
        if (is_built(kind)) {
            built.push_back(kind);
        }
    }
    return built;
}

inline std::string solver_name(const ::testing::TestParamInfo<SolverKind>& info) {
    return std::string(to_string(info.param));
}

}  // namespace lockstep::lp::testing
