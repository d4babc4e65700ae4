#include <memory>

#include "lockstep/base/error.hpp"

#include "lp/backends.hpp"

namespace lockstep::lp::detail {

std::unique_ptr<Solver> make_clp(const SolverOptions& /*options*/) {
    throw NotBuiltError(
        "LP solver 'clp' is not in this build: configure with -DLOCKSTEP_WITH_CLP=ON, or use "
        "'highs'");
}

bool clp_is_built() {
    return false;
}

}  // namespace lockstep::lp::detail
