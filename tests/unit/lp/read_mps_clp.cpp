#include <optional>
#include <stdexcept>
#include <string>

#include <ClpSimplex.hpp>

#include "unit/lp/read_mps.hpp"

namespace lockstep::lp::testing {

std::optional<ReadBack> read_with_clp(const std::string& path) {
    ClpSimplex clp;
    clp.setLogLevel(0);
    if (clp.readMps(path.c_str(), true, false) != 0) {
        throw std::runtime_error("Clp cannot read " + path);
    }
    clp.primal();
    if (clp.status() != 0) {
        throw std::runtime_error("Clp cannot solve " + path);
    }
    return ReadBack{clp.objectiveValue(), clp.numberColumns(), clp.numberRows()};
}

}  // namespace lockstep::lp::testing
