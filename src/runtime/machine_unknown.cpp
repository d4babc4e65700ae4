#include "runtime/machine.hpp"

namespace lockstep::runtime {

// Built without hwloc: what is not known stays 0.
void add_machine(Topology&) {}

}  // namespace lockstep::runtime
