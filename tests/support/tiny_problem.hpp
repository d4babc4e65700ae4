#pragma once

#include "lockstep/sddp/problem.hpp"

namespace lockstep::test {

/// One bus with deficit at 100 $/MWh and no load, a tree of one opening: something to build on by
/// hand.
sddp::Problem tiny_problem(int stages, double hours);

/// A thermal plant on bus 0.
sddp::Thermal tiny_thermal(const sddp::Problem& problem, double cost, double max_mw);

/// A plant on bus 0 with one group of 1000 m³/s, 1 MW/(m³/s) and costs of 0; its inflow is 0.
/// Call before noise is added.
void add_tiny_hydro(sddp::Problem& problem, double storage_hm3, double max_storage_hm3);

}  // namespace lockstep::test
