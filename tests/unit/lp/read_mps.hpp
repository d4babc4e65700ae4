#pragma once

#include <optional>
#include <string>

namespace lockstep::lp::testing {

/// What a solver makes of an MPS file that it reads itself.
struct ReadBack {
    double optimum = 0.0;
    int columns = 0;
    int rows = 0;
};

/// Empty if the build has no Clp.
/// @throws std::runtime_error  Clp cannot read or solve it
std::optional<ReadBack> read_with_clp(const std::string& path);

}  // namespace lockstep::lp::testing
